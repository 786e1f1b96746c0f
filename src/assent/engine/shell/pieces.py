"""The pieces of one word on their way to being text: literals, expansions, substitutions."""

import re
from typing import Protocol

from tree_sitter import Node

from assent.engine.shell import arithmetic, listing, words
from assent.engine.shell.assignments import secret_variable
from assent.engine.shell.command import HOLE, Command, Word
from assent.engine.shell.refusal import Respelled, Unreadable
from assent.engine.shell.scope import Scope

_SPLIT = "\ue0f0"
"""Stands where an unquoted constant is cut into words."""

PROCESS = "/dev/fd/63"
"""What `<(…)` and `>(…)` become: the name of a pipe to another command of the line."""

_SUBSTITUTIONS = ("command_substitution", "process_substitution")
_RAW_SUBSTITUTION = re.compile(r"`|\$\(|\$\{|[<>]\(")
_PLAIN = re.compile(rb"[\w./:=@%+,^-]+", re.ASCII).fullmatch
_BACKTICKS = re.compile(rb"(?<!\\)`([^`\\]*)`")
_ESCAPED = re.compile(r"\\.", re.DOTALL)


class Statements(Protocol):
    """What a word needs of the reader around it: to read the commands that stand inside it."""

    source: bytes
    commands: list[Command]
    secrets: list[str]

    def statement(self, node: Node, scope: Scope) -> None:
        """Read a statement."""

    def emit(self, command: Command) -> None:
        """Add a command."""


def read_word(reader: Statements, nodes: list[Node], scope: Scope, *, split: bool = True) -> tuple[Word, ...]:
    """The words that touching nodes become; an assignment's value is never split."""
    if len(nodes) == 1:
        node = nodes[0]
        text = reader.source[node.start_byte : node.end_byte]
        if _PLAIN(text):
            return (Word(text.decode()),)
    pieces = _Pieces(reader, scope, split=split)
    for node in nodes:
        pieces.add(node)
    return pieces.words()


def read_arithmetic(reader: Statements, node: Node, scope: Scope, *, until: int | None = None) -> None:
    """Read the commands in arithmetic, and add one we cannot know where a value is evaluated."""
    text = reader.source[node.start_byte : until or node.end_byte].decode()
    if (problem := arithmetic.problem(text)) is not None:
        raise Unreadable(problem)
    if arithmetic.computed(text, scope):
        reader.emit(Command((Word("(("), Word(HOLE)), directories=scope.directories))
    read_substitutions(reader, node, scope, until=until)


def read_substitutions(reader: Statements, node: Node, scope: Scope, *, until: int | None = None) -> None:
    """Read the commands anywhere below a node; text the grammar left unread is refused."""
    rest = ""
    at = node.start_byte
    for child in _found(node, until):
        rest += reader.source[at : child.start_byte].decode()
        at = child.end_byte
        if child.type == "arithmetic_expansion":
            read_arithmetic(reader, child, scope)
        elif child.type in _SUBSTITUTIONS:
            reader.statement(child, scope)
        else:
            read_expansion(reader, child, scope)
    rest += reader.source[at : until or node.end_byte].decode()
    opened = node.type in ("expansion", "arithmetic_expansion")
    opening = node.children[0].end_byte - node.start_byte if opened else 0
    if _RAW_SUBSTITUTION.search(_ESCAPED.sub("", rest[opening:])):
        _respell_backticks(reader.source, node)
        raise Unreadable("holds a substitution we cannot read")


def _respell_backticks(source: bytes, node: Node) -> None:
    """Write the first pair of backticks below a node as `$(…)`, where that is the same."""
    text = source[node.start_byte : node.end_byte]
    found = _BACKTICKS.search(text)
    if found is not None:
        respelled = text[: found.start()] + b"$(" + found[1] + b")" + text[found.end() :]
        raise Respelled(source[: node.start_byte] + respelled + source[node.end_byte :])


def read_expansion(reader: Statements, node: Node, scope: Scope) -> None:
    """Read what stands inside a `${…}` whose value is unknown."""
    if node.type == "simple_expansion":
        return
    text = reader.source[node.start_byte : node.end_byte].decode()
    if (problem := arithmetic.problem_in_expansion(text)) is not None:
        raise Unreadable(problem)
    read_substitutions(reader, node, scope)


def _found(node: Node, until: int | None) -> list[Node]:
    """The outermost expansions and substitutions below a node, in order."""
    found: list[Node] = []
    for child in node.children:
        if until is not None and child.start_byte >= until:
            break
        if child.type in (*_SUBSTITUTIONS, "arithmetic_expansion", "expansion", "simple_expansion"):
            found.append(child)
        elif child.child_count:
            found.extend(_found(child, until))
    return found


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

    def words(self) -> tuple[Word, ...]:
        texts = self.marked.split(_SPLIT) if _SPLIT in self.marked else (self.marked,)
        listed = self.listed and self.count == 1
        return tuple(
            word._replace(listed=True) if listed else word
            for text in texts
            if text or self.is_quoted
            for word in words.finish(text, is_quoted=self.is_quoted, splits=self.splits and self.split)
        )

    def add(self, node: Node) -> None:
        match node.type:
            case "word" | "number" | "test_operator" | "brace_expression":
                self._literal(node)
            case "command_name" | "concatenation":
                self._parts(node)
            case "string" | "translated_string":
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
                read_substitutions(self.reader, node, self.scope)
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
        if self.marked.endswith("$") and self.count == 1:
            self.marked = self.marked[:-1]  # `$"…"` is a translated string
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
        if _RAW_SUBSTITUTION.search(_ESCAPED.sub("", raw).replace("<(", "").replace(">(", "")):
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
        name = text[2:-1] if text.startswith("${") else text[1:]
        value = self.scope.value(name)
        if value is None:
            if secret_variable(name):
                self.reader.secrets.append(name)
            read_expansion(self.reader, node, self.scope)
            self._hole(is_quoted=is_quoted)
        elif value.tilde or value.text == ".":
            # A directory's name stands for itself only at the start of a word.
            self.count += 1
            self.marked += HOLE if self.marked else value.text
        elif HOLE in value.text:
            self.listed = value.listed
            self._hole(is_quoted=is_quoted)
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
            self.marked += _SPLIT.join(re.split(r"[ \t\n]+", words.expanded(value.text)))
        else:
            self.marked += words.quoted(value.text)

    def _substitution(self, node: Node, *, is_quoted: bool) -> None:
        if node.type == "process_substitution":
            self.reader.statement(node, self.scope)
            self._quoted(PROCESS)
            return
        first = len(self.reader.commands)
        self.reader.statement(node, self.scope)
        if [command.program for command in self.reader.commands[first:]] == ["pwd"] and not self.marked:
            self.count += 1
            self.marked = "."
            return
        self.listed = listing.listed(self.reader.commands[first:]) is not None
        self._hole(is_quoted=is_quoted)

    def _arithmetic(self, node: Node, *, is_quoted: bool) -> None:
        read_arithmetic(self.reader, node, self.scope)
        self._hole(is_quoted=is_quoted)

    def _hole(self, *, is_quoted: bool) -> None:
        self.count += 1
        self.marked += HOLE
        self.is_quoted = self.is_quoted or is_quoted
        self.splits = self.splits or not is_quoted
