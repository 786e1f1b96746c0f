"""Expansions in words: substitutions, arithmetic and variables, and the commands inside them."""

import re
from typing import Protocol

from tree_sitter import Node

from assent.engine.base.lazy import regex
from assent.engine.bash.scope import Scope
from assent.engine.bash.tree import RespelledSource
from assent.engine.bash.variables import is_set_by_shell, replace_counts
from assent.engine.lines.command import Assignment, Command, Unreadable
from assent.engine.programs.variables import is_secret_variable
from assent.engine.programs.word import HOLE, Word

_SUBSTITUTIONS = ("command_substitution", "process_substitution")
_RAW_SUBSTITUTION = regex(r"`|\$\(|\$\{|[<>]\(")
_NAME = regex(r"\$\{?[!#]?([A-Za-z_]\w*)")
_BACKTICKS = regex(rb"(?<!\\)`([^`\\]*)`")
_ESCAPED = regex(r"\\.", re.DOTALL)


class StatementReader(Protocol):
    """The methods of the tree walker that words use to read the commands inside them."""

    source: bytes
    commands: list[Command]
    secret_variables: list[str]

    def read_statement(self, node: Node, scope: Scope) -> None:
        """Read a statement."""

    def emit(self, command: Command) -> None:
        """Add a command to the commands of the line."""


_DEFAULT = regex(r"\$\{\w+:?[-=]([\w./~-]+)\}")
_REQUIRED_VARIABLE = regex(r"\$\{\w+:\?.*\}", re.DOTALL)
_PARAMETER = regex(r"\$\{?([0-9])\}?")
_NUMBER_EXPANSION = regex(r"\$[#?!]|\$\{[#?!]\}|\$\{#\w+(?:\[[@*]\])?\}")
_WHOLE_VARIABLE = regex(r"\$(\w+)|\$\{(\w+)(?::?\?[^}]*|%/)?\}")
_NAMES = regex(r"[A-Za-z_]\w*")
_ASSIGNED = regex(
    r"([A-Za-z_]\w*)\s*(?:\[[^]]*\]\s*)?(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)
_QUOTES = regex(r"['\"\\]")
_SUBSTITUTION = regex(r"\$\(|`|\$\{|\$[0-9@*]")
"""A source of values other than variables: a command, or an argument of the shell."""
_BRACED = regex(r"\$\{([A-Za-z_]\w*)\}")
_INDIRECT = regex(r"\$\{!\w+[^*@\w]")
_SUBSCRIPT = regex(r"\w\[([^]]*)\]?")
_SUBSTRING = regex(r"\$\{!?\w+(?:\[[^]]*\])?:(?![-=+?])(.*)\}", re.DOTALL)
_DEFAULT_ASSIGNED = regex(r"\$\{(\w+)(?:\[[^]]*\])?:?=")


def holds_substitution(raw: str) -> bool:
    """Whether the shell would expand a text that the grammar takes as literal."""
    return _RAW_SUBSTITUTION.search(_ESCAPED.sub("", raw)) is not None


def read_arithmetic(reader: StatementReader, node: Node, scope: Scope, *, until: int | None = None) -> None:
    """Read the commands in arithmetic; add an unknown command if a value is evaluated."""
    text = reader.source[node.start_byte : until or node.end_byte].decode()
    if (problem := arithmetic_problem(text)) is not None:
        raise Unreadable(problem)
    if evaluates_unknown(text, scope):
        _emit_evaluation(reader, scope)
    _emit_assignments(reader, names_assigned_in(text), scope)
    read_substitutions(reader, node, scope, until=until)


def read_substitutions(
    reader: StatementReader, node: Node, scope: Scope, *, until: int | None = None
) -> None:
    """Read the commands anywhere below a node; a substitution that the grammar did not parse is refused."""
    rest = ""
    at = node.start_byte
    for child in _outermost_expansions(node, until):
        rest += reader.source[at : child.start_byte].decode()
        at = child.end_byte
        if child.type == "arithmetic_expansion":
            read_arithmetic(reader, child, scope)
        elif child.type in _SUBSTITUTIONS:
            reader.read_statement(child, scope)
        else:
            read_expansion(reader, child, scope)
    rest += reader.source[at : until or node.end_byte].decode()
    opened = node.type in ("expansion", "arithmetic_expansion")
    opening = node.children[0].end_byte - node.start_byte if opened else 0
    if holds_substitution(rest[opening:]):
        _respell_backticks(reader.source, node)
        raise Unreadable("holds a substitution we cannot read")


def read_expansion(reader: StatementReader, node: Node, scope: Scope) -> None:
    """Read the commands inside an expansion whose value is unknown."""
    text = reader.source[node.start_byte : node.end_byte].decode()
    if (name := _NAME.match(text)) and is_secret_variable(name[1]):
        reader.secret_variables.append(name[1])
    if node.type == "simple_expansion":
        return
    if (problem := expansion_problem(text)) is not None:
        raise Unreadable(problem)
    if expansion_evaluates_unknown(text, scope):
        _emit_evaluation(reader, scope)
    _emit_assignments(reader, names_assigned_by_expansion(text), scope)
    read_substitutions(reader, node, scope)


def positional_parameter(text: str) -> str:
    """The number of the positional parameter that an expansion means; empty for other expansions."""
    found = _PARAMETER.fullmatch(text)
    return found[1] if found else ""


def is_number_expansion(text: str) -> bool:
    """Whether an expansion is a number: a count, a process id, or an exit status."""
    return _NUMBER_EXPANSION.fullmatch(text) is not None


def expanded_variable(text: str) -> str:
    """The variable whose whole value an expansion is; empty for other expansions."""
    found = _WHOLE_VARIABLE.fullmatch(text)
    return (found[1] or found[2]) if found else ""


def default_value(text: str) -> str:
    """The value of an expansion when its variable is not set; a placeholder when it must be set."""
    if found := _DEFAULT.fullmatch(text):
        return found[1]
    return "set" if _REQUIRED_VARIABLE.fullmatch(text) else ""


def arithmetic_problem(text: str) -> str | None:
    """Why an arithmetic text cannot be read, or None."""
    if _QUOTES.search(text):
        return "holds quotes inside arithmetic, which the shell would evaluate"
    return None


def evaluates_unknown(text: str, scope: Scope) -> bool:
    """Whether an arithmetic text uses a value that may not be a number, which the shell would evaluate."""
    text = _BRACED.sub(r"$\1", replace_counts(text))
    if _SUBSTITUTION.search(text.removeprefix("$((").removeprefix("${")):
        return True
    return any(is_set_by_shell(name) or scope.may_hold_text(name, text) for name in _NAMES.findall(text))


def names_assigned_in(text: str) -> list[str]:
    """The variables that an arithmetic text assigns."""
    return [before or after for before, after in _ASSIGNED.findall(text)]


def names_assigned_by_expansion(text: str) -> list[str]:
    """The variable that `${name:=…}` assigns."""
    return _DEFAULT_ASSIGNED.findall(text)


def expansion_problem(text: str) -> str | None:
    """Why a `${…}` cannot be read, or None."""
    if "@P" in text:
        return "expands text as a prompt, which may run commands"
    if ("[" in text or _SUBSTRING.match(text)) and _QUOTES.search(text):
        return "holds quotes inside a subscript, which the shell would evaluate"
    return None


def expansion_evaluates_unknown(text: str, scope: Scope) -> bool:
    """Whether a `${…}` evaluates a value that may not be a number, or is indirect."""
    if _INDIRECT.match(text):
        return True
    subscripts = [inner for inner in _SUBSCRIPT.findall(text) if inner not in ("@", "*")]
    substring = _SUBSTRING.fullmatch(text)
    evaluated = [*subscripts, *([substring[1]] if substring else [])]
    return any(not _is_number(inner) and evaluates_unknown(inner, scope) for inner in evaluated)


def _respell_backticks(source: bytes, node: Node) -> None:
    """Respell the first pair of backticks below a node as `$(…)`."""
    text = source[node.start_byte : node.end_byte]
    found = _BACKTICKS.search(text)
    if found is not None:
        respelled = text[: found.start()] + b"$(" + found[1] + b")" + text[found.end() :]
        raise RespelledSource(source[: node.start_byte] + respelled + source[node.end_byte :])


def _emit_evaluation(reader: StatementReader, scope: Scope) -> None:
    """Add an unknown command, because the shell evaluates a value as arithmetic."""
    reader.emit(Command((Word("(("), Word(HOLE)), directories=scope.directories))


def _emit_assignments(reader: StatementReader, names: list[str], scope: Scope) -> None:
    """Add the assignments that an expansion makes."""
    for name in names:
        scope.uncertain_variables.add(name)
        reader.emit(Command((), (Assignment(name, Word(HOLE)),), directories=scope.directories))


def _outermost_expansions(node: Node, until: int | None) -> list[Node]:
    """The outermost expansions and substitutions below a node, in order."""
    found: list[Node] = []
    for child in node.children:
        if until is not None and child.start_byte >= until:
            break
        if child.type in (*_SUBSTITUTIONS, "arithmetic_expansion", "expansion", "simple_expansion"):
            found.append(child)
        elif child.child_count:
            found.extend(_outermost_expansions(child, until))
    return found


def _is_number(text: str) -> bool:
    return text.replace(":", "").replace("-", "").replace(" ", "").isdecimal()
