"""Commands inside words: substitutions, arithmetic and expansions, and text the grammar left unread."""

import re
from typing import Protocol

from tree_sitter import Node

from assent.engine.bash import arithmetic
from assent.engine.bash.respell import Respelled
from assent.engine.bash.scope import Scope
from assent.engine.lines.command import Assignment, Command, Unreadable
from assent.engine.programs.variables import secret_variable
from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex

_SUBSTITUTIONS = ("command_substitution", "process_substitution")
_RAW_SUBSTITUTION = regex(r"`|\$\(|\$\{|[<>]\(")
_NAME = regex(r"\$\{?[!#]?([A-Za-z_]\w*)")
_BACKTICKS = regex(rb"(?<!\\)`([^`\\]*)`")
_ESCAPED = regex(r"\\.", re.DOTALL)


class Statements(Protocol):
    """What a word needs of the reader around it: to read the commands that stand inside it."""

    source: bytes
    commands: list[Command]
    secrets: list[str]

    def statement(self, node: Node, scope: Scope) -> None:
        """Read a statement."""

    def emit(self, command: Command) -> None:
        """Add a command."""


def holds_substitution(raw: str) -> bool:
    """Whether text that the grammar took for literal would be expanded by the shell."""
    return _RAW_SUBSTITUTION.search(_ESCAPED.sub("", raw)) is not None


def read_arithmetic(reader: Statements, node: Node, scope: Scope, *, until: int | None = None) -> None:
    """Read the commands in arithmetic, and add one we cannot know where a value is evaluated."""
    text = reader.source[node.start_byte : until or node.end_byte].decode()
    if (problem := arithmetic.problem(text)) is not None:
        raise Unreadable(problem)
    if arithmetic.computed(text, scope):
        _evaluate(reader, scope)
    _assign(reader, arithmetic.assigned(text), scope)
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
    if holds_substitution(rest[opening:]):
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
    """Read what stands inside an expansion whose value is unknown."""
    text = reader.source[node.start_byte : node.end_byte].decode()
    if (name := _NAME.match(text)) and secret_variable(name[1]):
        reader.secrets.append(name[1])
    if node.type == "simple_expansion":
        return
    if (problem := arithmetic.problem_in_expansion(text)) is not None:
        raise Unreadable(problem)
    if arithmetic.computed_in_expansion(text, scope):
        _evaluate(reader, scope)
    _assign(reader, arithmetic.assigned_by_expansion(text), scope)
    read_substitutions(reader, node, scope)


def _evaluate(reader: Statements, scope: Scope) -> None:
    """Add a command that we cannot know: the shell evaluates a value as arithmetic."""
    reader.emit(Command((Word("(("), Word(HOLE)), directories=scope.directories))


def _assign(reader: Statements, names: list[str], scope: Scope) -> None:
    """Add assignments that are made on the way, so that they are looked at as any other."""
    for name in names:
        scope.branched.add(name)
        reader.emit(Command((), (Assignment(name, Word(HOLE)),), directories=scope.directories))


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


_DEFAULT = regex(r"\$\{\w+:?[-=]([\w./~-]+)\}")
_REQUIRED = regex(r"\$\{\w+:\?.*\}", re.DOTALL)
_PARAMETER = regex(r"\$\{?([0-9])\}?")
_COUNT = regex(r"\$[#?!]|\$\{[#?!]\}|\$\{#\w+(?:\[[@*]\])?\}")
_SAME_VALUE = regex(r"\$(\w+)|\$\{(\w+)(?::?\?[^}]*|%/)?\}")


def parameter(text: str) -> str:
    """The positional parameter that an expansion is, or nothing."""
    found = _PARAMETER.fullmatch(text)
    return found[1] if found else ""


def counts(text: str) -> bool:
    """Whether an expansion is a number: of arguments or characters, of a process, or how a command went."""
    return _COUNT.fullmatch(text) is not None


def same_value(text: str) -> str:
    """The variable whose value an expansion is, or nothing when it is more than that."""
    found = _SAME_VALUE.fullmatch(text)
    return (found[1] or found[2]) if found else ""


def default(text: str) -> str:
    """What an expansion is when its variable is not set; one that must be set is something."""
    if found := _DEFAULT.fullmatch(text):
        return found[1]
    return "set" if _REQUIRED.fullmatch(text) else ""
