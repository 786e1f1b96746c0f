"""The pieces of one word on their way to being text: literals, expansions, substitutions."""

from tree_sitter import Node

from assent.engine.bash import expansion, numbers, words
from assent.engine.bash.expansion import (
    Statements,
    holds_substitution,
    read_arithmetic,
    read_expansion,
    read_substitutions,
)
from assent.engine.bash.scope import Scope
from assent.engine.lines import listing
from assent.engine.lines.command import Unreadable
from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex

_SPLIT = "\ue0f0"
"""Stands where an unquoted constant is cut into words."""

PROCESS = "/dev/fd/63"
"""What `<(…)` and `>(…)` become: the name of a pipe to another command of the line."""

_DOLLAR = regex(r"(?<!\\)(?:\\\\)*\$$")
_CLOSED = ("string", "raw_string", "ansi_c_string", "simple_expansion", "expansion", "command_substitution")
_GAP = regex(r"(?<!\\)[ \t\n]")
_GAPS = regex(r"[ \t\n]+")


def read_word(reader: Statements, nodes: list[Node], scope: Scope, *, split: bool = True) -> tuple[Word, ...]:
    """The words that touching nodes become; an assignment's value is never split."""
    if len(nodes) == 1:
        node = nodes[0]
        if plain := words.plain(reader.source[node.start_byte : node.end_byte]):
            return plain
    pieces = _Pieces(reader, scope, split=split)
    for node in nodes:
        pieces.add(node)
    return pieces.words()


class _Pieces:
    def __init__(self, reader: Statements, scope: Scope, *, split: bool) -> None:
        self.reader = reader
        self.scope = scope
        self.split = split
        self.marked = ""
        self.is_quoted = False
        self.splits = False
        self.count = 0
        self.listed = False
        self.plain = True
        """Each hole is a number or a hash."""
        self.parameter = ""
        self.dollar = False
        """What was just added ends in a `$`, which before a string means that it is to be translated."""
        self.defaults: list[str] = []
        """For each hole, what stands there if its variable is not set."""

    def words(self) -> tuple[Word, ...]:
        texts = self.marked.split(_SPLIT) if _SPLIT in self.marked else (self.marked,)
        listed = self.listed and self.count == 1
        if any(self.defaults) and len(texts) == 1:
            found = words.finish(self.marked, is_quoted=self.is_quoted, splits=self.splits and self.split)
            return tuple(word._replace(otherwise=self._filled(word.text)) for word in found)
        plain, parameter = self.plain and HOLE in self.marked, self.parameter if self.count == 1 else ""
        return tuple(
            word._replace(listed=listed, plain=plain, parameter=parameter) if HOLE in text else word
            for text in texts
            if text or self.is_quoted
            for word in words.finish(text, is_quoted=self.is_quoted, splits=self.splits and self.split)
        )

    def add(self, node: Node) -> None:
        """Add what the next node of the word means."""
        if node.type == "translated_string":
            node = node.children[-1]
        self._after_dollar(node)
        match node.type:
            case "word" | "number" | "test_operator" | "brace_expression":
                self._plain(node)
            case "command_name" | "concatenation":
                self._parts(node)
            case "string":
                self._string(node)
            case "raw_string":
                self._quoted(words.quoted(self._text(node)[1:-1]))
            case "ansi_c_string":
                self._quoted(words.unescape_ansi(self._text(node)[2:-1]))
            case "simple_expansion" | "expansion":
                self._expansion(node, is_quoted=False)
            case "command_substitution" | "process_substitution":
                self._substitution(node, is_quoted=False)
            case "arithmetic_expansion":
                self._arithmetic(node, is_quoted=False)
            case _:
                self._other(node)

    def _after_dollar(self, node: Node) -> None:
        """A dollar that the grammar left alone belongs to the quotes behind it."""
        if self.dollar and node.type == "string":
            self.marked = self.marked[:-1]
        elif self.dollar and node.type == "raw_string":
            raise Unreadable("holds a quoted text that we cannot place")
        if node.type not in ("concatenation", "command_name"):
            self.dollar = node.type not in _CLOSED and _DOLLAR.search(self._text(node)) is not None

    def _other(self, node: Node) -> None:
        if node.type == "$" and self._text(node) == "$$":
            self.dollar = False
            self._hole(is_quoted=False)
            return
        read_substitutions(self.reader, node, self.scope)
        self._literal(node)

    def _plain(self, node: Node) -> None:
        if _GAP.search(self._text(node)):
            raise Unreadable("holds a word with a gap in it")
        self._literal(node)

    def _text(self, node: Node) -> str:
        return self.reader.source[node.start_byte : node.end_byte].decode()

    def _parts(self, node: Node) -> None:
        at = node.start_byte
        for child in node.children:
            if child.start_byte != at:
                raise Unreadable("holds a word with a gap in it")
            self.add(child)
            at = child.end_byte

    def _literal(self, node: Node) -> None:
        text = self._text(node)
        self.count += 1
        if "`" in text or "$(" in text or "${" in text:
            read_substitutions(self.reader, node, self.scope)
        if "\\" in text:
            self.is_quoted = True
            text = words.unescape_word(text)
        self.marked += text

    def _quoted(self, text: str) -> None:
        self.count += 1
        self.is_quoted = True
        self.marked += text

    def _string(self, node: Node) -> None:
        """A double-quoted string: what its expansions do not cover is literal."""
        source = self.reader.source
        self.is_quoted = True
        at = source.index(b'"', node.start_byte) + 1
        for child in node.children:
            if child.type in ('"', "string_content", "$", '$"'):
                continue
            self._string_text(source[at : child.start_byte].decode())
            self._inside_string(child)
            at = child.end_byte
        self._string_text(source[at : node.end_byte - 1].decode())

    def _string_text(self, raw: str) -> None:
        if not raw:
            return
        if holds_substitution(raw.replace("<(", "").replace(">(", "")):
            raise Unreadable("holds a substitution we cannot read")
        self.count += 1
        self.marked += words.unescape_string(raw)

    def _inside_string(self, child: Node) -> None:
        match child.type:
            case "simple_expansion" | "expansion":
                self._expansion(child, is_quoted=True)
            case "command_substitution":
                self._substitution(child, is_quoted=True)
            case "arithmetic_expansion":
                self._arithmetic(child, is_quoted=True)
            case kind:
                raise Unreadable(f"holds a string we do not read ({kind})")

    def _expansion(self, node: Node, *, is_quoted: bool) -> None:
        text = self._text(node)
        value = self.scope.value(expansion.same_value(text))
        if value is None:
            read_expansion(self.reader, node, self.scope)
            self.parameter = expansion.parameter(text)
            plain = expansion.counts(text)
            self._hole(is_quoted=is_quoted, default=expansion.default(text), plain=plain)
        elif value.tilde or value.text == ".":
            # A directory's name stands for itself only at the start of a word.
            self.count += 1
            self.marked += HOLE if self.marked else value.text
        elif HOLE in value.text:
            if value.plain:
                # A number wherever the line gives it one; before that it may come from the environment.
                read_expansion(self.reader, node, self.scope)
            self.listed = value.listed
            self._hole(is_quoted=is_quoted, plain=value.plain)
        else:
            self._constant(value, is_quoted=is_quoted)

    def _constant(self, value: Word, *, is_quoted: bool) -> None:
        self.count += 1
        if value.glob:
            # A loop variable that holds names matched by a glob: any of them, one a turn.
            self.marked += value.text
            self.splits = self.splits or not is_quoted
        elif is_quoted:
            self.is_quoted = True
            self.marked += words.quoted(value.text)
        elif self.split:
            self.marked += _SPLIT.join(_GAPS.split(words.expanded(value.text)))
        else:
            self.marked += words.quoted(value.text)

    def _substitution(self, node: Node, *, is_quoted: bool) -> None:
        if node.type == "process_substitution":
            self.reader.statement(node, self.scope)
            self._quoted(PROCESS)
            return
        first = len(self.reader.commands)
        self.reader.statement(node, self.scope)
        if (
            [command.program for command in self.reader.commands[first:]] == ["pwd"]
            and not self.marked
            and not self.scope.moves
        ):
            self.count += 1
            self.marked = "."
            return
        self.listed = listing.listed(self.reader.commands[first:]) is not None
        self._hole(is_quoted=is_quoted, plain=numbers.plain(self._text(node)))

    def _arithmetic(self, node: Node, *, is_quoted: bool) -> None:
        read_arithmetic(self.reader, node, self.scope)
        self._hole(is_quoted=is_quoted, plain=True)

    def _filled(self, text: str) -> str:
        """A word with what its variables hold when they are not set."""
        pieces = text.split(HOLE)
        return "".join(piece + default for piece, default in zip(pieces, [*self.defaults, ""], strict=False))

    def _hole(self, *, is_quoted: bool, default: str = "", plain: bool = False) -> None:
        plain = plain and not self.scope.cuts_anew
        self.count += 1
        self.defaults.append(default)
        self.marked += HOLE
        self.is_quoted = self.is_quoted or is_quoted
        self.splits = self.splits or not (is_quoted or plain)
        self.plain = self.plain and plain
