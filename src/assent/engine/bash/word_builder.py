"""Build a word from its pieces: literals, expansions and substitutions."""

from tree_sitter import Node

from assent.engine.base.lazy import regex
from assent.engine.bash import expansion, words
from assent.engine.bash.arithmetic import arithmetic_value
from assent.engine.bash.expansion import (
    StatementReader,
    contains_substitution,
    read_arithmetic,
    read_expansion,
    read_substitutions,
)
from assent.engine.bash.scope import Scope
from assent.engine.bash.variables import prints_number_or_hash
from assent.engine.lines.command import Unreadable
from assent.engine.lines.output import find_copied_text, find_listing_roots
from assent.engine.programs.word import UNKNOWN_MARK, Word

_WORD_SEPARATOR = "\ue0f0"
"""The separator between the words into which an unquoted constant is split."""

PROCESS_FILE = "/dev/fd/63"
"""The value of `<(…)` and `>(…)`: the name of a pipe to another command of the line."""

_DOLLAR_AT_END = regex(r"(?<!\\)(?:\\\\)*\$$")
"""An unescaped dollar sign at the end of a piece."""
_COMPLETE_NODES = (
    "string",
    "raw_string",
    "ansi_c_string",
    "simple_expansion",
    "expansion",
    "command_substitution",
)
"""Types of nodes that never end in a dollar sign before quotes."""
_UNESCAPED_BLANK = regex(r"(?<!\\)[ \t\n]")
_BLANKS = regex(r"[ \t\n]+")


def read_word(
    reader: StatementReader, nodes: list[Node], scope: Scope, *, split: bool = True
) -> tuple[Word, ...]:
    """The words that adjacent nodes expand to; the value of an assignment is never split."""
    if len(nodes) == 1:
        node = nodes[0]
        if plain := words.parse_plain_word(reader.source[node.start_byte : node.end_byte]):
            return plain
    pieces = _WordBuilder(reader, scope, split=split)
    for node in nodes:
        pieces.add_piece(node)
    return pieces.build_words()


class _WordBuilder:
    """Joins the pieces of a word and tracks its quotes, globs and unknown texts."""

    def __init__(self, reader: StatementReader, scope: Scope, *, split: bool) -> None:
        self.reader = reader
        self.scope = scope
        self.split = split
        self.encoded = ""
        self.is_quoted = False
        self.splits = False
        self.count = 0
        self.listed = False
        self.plain = True
        """Whether each unknown text is a number or a hash."""
        self.parameter = ""
        self.dollar = False
        """Whether the last piece ends in a `$`, which before a string means a translation."""
        self.defaults: list[str] = []
        """For each unknown text, the value if its variable is not set."""

    def build_words(self) -> tuple[Word, ...]:
        """Return the finished words."""
        texts = self.encoded.split(_WORD_SEPARATOR) if _WORD_SEPARATOR in self.encoded else (self.encoded,)
        listed = self.listed and self.count == 1
        if any(self.defaults) and len(texts) == 1:
            found = words.decode_words(
                self.encoded, is_quoted=self.is_quoted, splits=self.splits and self.split
            )
            return tuple(word._replace(if_unset=self._insert_defaults(word.text)) for word in found)
        plain, parameter = (
            self.plain and UNKNOWN_MARK in self.encoded,
            self.parameter if self.count == 1 else "",
        )
        return tuple(
            word._replace(listed=listed, plain=plain, parameter=parameter) if UNKNOWN_MARK in text else word
            for text in texts
            if text or self.is_quoted
            for word in words.decode_words(text, is_quoted=self.is_quoted, splits=self.splits and self.split)
        )

    def add_piece(self, node: Node) -> None:
        """Add the next piece of the word."""
        if node.type == "translated_string":
            node = node.children[-1]
        self._drop_dollar_before_quotes(node)
        match node.type:
            case "word" | "number" | "test_operator" | "brace_expression":
                self._add_piece_without_blanks(node)
            case "command_name" | "concatenation":
                self._add_child_pieces(node)
            case "string":
                self._add_string(node)
            case "raw_string":
                self._add_quoted_text(words.encode_quoted_text(self._node_text(node)[1:-1]))
            case "ansi_c_string":
                self._add_quoted_text(words.unescape_ansi(self._node_text(node)[2:-1]))
            case "simple_expansion" | "expansion":
                self._add_expansion(node, is_quoted=False)
            case "command_substitution" | "process_substitution":
                self._add_substitution(node, is_quoted=False)
            case "arithmetic_expansion":
                self._add_arithmetic(node, is_quoted=False)
            case _:
                self._add_unlisted_piece(node)

    def _drop_dollar_before_quotes(self, node: Node) -> None:
        """Drop a dollar sign before double quotes, because it belongs to the quotes."""
        if self.dollar and node.type == "string":
            self.encoded = self.encoded[:-1]
        elif self.dollar and node.type == "raw_string":
            raise Unreadable("holds a dollar sign before single quotes")
        if node.type not in ("concatenation", "command_name"):
            self.dollar = (
                node.type not in _COMPLETE_NODES and _DOLLAR_AT_END.search(self._node_text(node)) is not None
            )

    def _add_unlisted_piece(self, node: Node) -> None:
        """Add a piece of an unlisted type, and the commands inside it."""
        if node.type == "$" and self._node_text(node) == "$$":
            self.dollar = False
            self._add_unknown_text(is_quoted=False)
            return
        read_substitutions(self.reader, node, self.scope)
        self._add_literal(node)

    def _add_piece_without_blanks(self, node: Node) -> None:
        """Add a piece that must not contain blanks."""
        if _UNESCAPED_BLANK.search(self._node_text(node)):
            raise Unreadable("holds a word with a blank in it")
        self._add_literal(node)

    def _node_text(self, node: Node) -> str:
        """The source text of a node."""
        return self.reader.source[node.start_byte : node.end_byte].decode()

    def _add_child_pieces(self, node: Node) -> None:
        """Add all children of a node; a gap between them makes the word unreadable."""
        at = node.start_byte
        for child in node.children:
            if child.start_byte != at:
                raise Unreadable("holds a word with a blank in it")
            self.add_piece(child)
            at = child.end_byte

    def _add_literal(self, node: Node) -> None:
        """Add unquoted literal text."""
        text = self._node_text(node)
        self.count += 1
        if "`" in text or "$(" in text or "${" in text:
            read_substitutions(self.reader, node, self.scope)
        if "\\" in text:
            self.is_quoted = True
            text = words.unescape_word(text)
        self.encoded += text

    def _add_quoted_text(self, text: str) -> None:
        """Add a quoted text whose escapes are already decoded."""
        self.count += 1
        self.is_quoted = True
        self.encoded += text

    def _add_string(self, node: Node) -> None:
        """Add a double-quoted string: its expansions, and the literal text between them."""
        source = self.reader.source
        self.is_quoted = True
        at = source.index(b'"', node.start_byte) + 1
        for child in node.children:
            if child.type in ('"', "string_content", "$", '$"'):
                continue
            self._add_string_text(source[at : child.start_byte].decode())
            self._add_string_expansion(child)
            at = child.end_byte
        self._add_string_text(source[at : node.end_byte - 1].decode())

    def _add_string_text(self, raw: str) -> None:
        """Add literal text of a double-quoted string."""
        if not raw:
            return
        if contains_substitution(raw.replace("<(", "").replace(">(", "")):
            raise Unreadable("holds a substitution we cannot read")
        self.count += 1
        self.encoded += words.unescape_string(raw)

    def _add_string_expansion(self, child: Node) -> None:
        """Add an expansion of a double-quoted string."""
        match child.type:
            case "simple_expansion" | "expansion":
                self._add_expansion(child, is_quoted=True)
            case "command_substitution":
                self._add_substitution(child, is_quoted=True)
            case "arithmetic_expansion":
                self._add_arithmetic(child, is_quoted=True)
            case kind:
                raise Unreadable(f"holds a string we do not read ({kind})")

    def _add_expansion(self, node: Node, *, is_quoted: bool) -> None:
        """Add the value of a variable, or unknown text if the value is unknown."""
        text = self._node_text(node)
        value = self.scope.variable_value(expansion.variable_of_expansion(text))
        if value is None:
            read_expansion(self.reader, node, self.scope)
            self.parameter = expansion.positional_parameter_number(text)
            plain = expansion.is_number_expansion(text)
            self._add_unknown_text(
                is_quoted=is_quoted, default=expansion.default_of_expansion(text), plain=plain
            )
        elif value.tilde or value.text == ".":
            # A directory has a known meaning only at the start of a word.
            self.count += 1
            self.encoded += UNKNOWN_MARK if self.encoded else value.text
        elif UNKNOWN_MARK in value.text:
            if value.plain:
                # Before its first assignment in the line, the variable may have any value of the environment.
                read_expansion(self.reader, node, self.scope)
            self.listed = value.listed
            self._add_unknown_text(is_quoted=is_quoted, plain=value.plain)
        else:
            self._add_variable_value(value, is_quoted=is_quoted)

    def _add_variable_value(self, value: Word, *, is_quoted: bool) -> None:
        """Add the known value of a variable; an unquoted value is split into words."""
        self.count += 1
        if value.glob:
            # The loop variable has a different matching name in each iteration.
            self.encoded += value.text
            self.splits = self.splits or not is_quoted
        elif is_quoted:
            self.is_quoted = True
            self.encoded += words.encode_quoted_text(value.text)
        elif self.split:
            self.encoded += _WORD_SEPARATOR.join(_BLANKS.split(words.encode_variable_value(value.text)))
        else:
            self.encoded += words.encode_quoted_text(value.text)

    def _add_substitution(self, node: Node, *, is_quoted: bool) -> None:
        """Add the output of a command substitution, which is unknown except for `pwd`."""
        if node.type == "process_substitution":
            self.reader.read_statement(node, self.scope)
            self._add_quoted_text(PROCESS_FILE)
            return
        first = len(self.reader.commands)
        self.reader.read_statement(node, self.scope)
        if (
            [command.program for command in self.reader.commands[first:]] == ["pwd"]
            and not self.encoded
            and not self.scope.changes_directory
        ):
            self.count += 1
            self.encoded = "."
            return
        text = find_copied_text(self.reader.commands[first:])
        if is_quoted and text is not None:
            self._add_quoted_text(words.encode_quoted_text(text))
            return
        self.listed = find_listing_roots(self.reader.commands[first:]) is not None
        self._add_unknown_text(is_quoted=is_quoted, plain=prints_number_or_hash(self._node_text(node)))

    def _add_arithmetic(self, node: Node, *, is_quoted: bool) -> None:
        """Add the result of an arithmetic expansion: an unknown number."""
        read_arithmetic(self.reader, node, self.scope)
        number = arithmetic_value(self._node_text(node), self.scope.variable_value)
        if number is not None and (is_quoted or not self.scope.changes_word_splitting):
            self._add_quoted_text(number) if is_quoted else self._add_number(number)
            return
        self._add_unknown_text(is_quoted=is_quoted, plain=True)

    def _add_number(self, number: str) -> None:
        """Add a number that is not quoted."""
        self.count += 1
        self.encoded += number

    def _insert_defaults(self, text: str) -> str:
        """Replace each unknown text by the default value of its variable."""
        pieces = text.split(UNKNOWN_MARK)
        return "".join(piece + default for piece, default in zip(pieces, [*self.defaults, ""], strict=False))

    def _add_unknown_text(self, *, is_quoted: bool, default: str = "", plain: bool = False) -> None:
        """Add the mark for an unknown text; `plain` texts are numbers or hashes, which are never split."""
        plain = plain and not self.scope.changes_word_splitting
        self.count += 1
        self.defaults.append(default)
        self.encoded += UNKNOWN_MARK
        self.is_quoted = self.is_quoted or is_quoted
        self.splits = self.splits or not (is_quoted or plain)
        self.plain = self.plain and plain
