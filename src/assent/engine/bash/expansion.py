"""Read expansions in words: substitutions, arithmetic and variables, and the commands inside them."""

import re
from typing import Protocol

from tree_sitter import Node

from assent.engine.base.lazy import regex
from assent.engine.bash.scope import Scope
from assent.engine.bash.tree import RespelledSource
from assent.engine.bash.variables import is_set_by_shell, replace_number_substitutions
from assent.engine.lines.command import Assignment, Command, Unreadable
from assent.engine.programs.variables import is_secret_variable
from assent.engine.programs.word import UNKNOWN_MARK, Word

_SUBSTITUTIONS = ("command_substitution", "process_substitution")
_RAW_SUBSTITUTION = regex(r"`|\$\(|\$\{|[<>]\(")
"""The beginning of a substitution or expansion in unparsed text."""
_EXPANDED_NAME = regex(r"\$\{?[!#]?([A-Za-z_]\w*)")
"""An expansion; its group is the name of the variable."""
_BACKTICKS = regex(rb"(?<!\\)`([^`\\]*)`")
_ESCAPED_CHARACTER = regex(r"\\.", re.DOTALL)


class StatementReader(Protocol):
    """The methods and fields of the tree walker that words use to read the commands inside them."""

    source: bytes
    commands: list[Command]
    secret_variables: list[str]

    def read_statement(self, node: Node, scope: Scope) -> None:
        """Read a statement and add its commands."""

    def emit(self, command: Command) -> None:
        """Append a command to the commands of the line."""


_DEFAULT_EXPANSION = regex(r"\$\{\w+:?[-=]([\w./~-]+)\}")
"""An expansion with a default value, such as `${name:-value}`."""
_REQUIRED_VARIABLE = regex(r"\$\{\w+:\?.*\}", re.DOTALL)
"""An expansion that fails if its variable is not set, such as `${name:?}`."""
_PARAMETER = regex(r"\$\{?([0-9])\}?")
_NUMBER_EXPANSION = regex(r"\$[#?!]|\$\{[#?!]\}|\$\{#\w+(?:\[[@*]\])?\}")
"""An expansion that is always a number, such as `$#` or `$?`."""
_WHOLE_VARIABLE = regex(r"\$(\w+)|\$\{(\w+)(?::?\?[^}]*|%/)?\}")
"""An expansion to the whole value of a variable."""
_VARIABLE_NAME = regex(r"[A-Za-z_]\w*")
_ARITHMETIC_ASSIGNMENT = regex(
    r"([A-Za-z_]\w*)\s*(?:\[[^]]*\]\s*)?(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)
"""An assignment, increment or decrement of a variable in arithmetic."""
_QUOTES = regex(r"['\"\\]")
_SUBSTITUTION = regex(r"\$\(|`|\$\{|\$[0-9@*]")
"""A source of values other than variables: a command, or an argument of the shell."""
_BRACED_VARIABLE = regex(r"\$\{([A-Za-z_]\w*)\}")
_INDIRECT_EXPANSION = regex(r"\$\{!\w+[^*@\w]")
"""An expansion `${!name}` of a variable that another variable names."""
_SUBSCRIPT = regex(r"\w\[([^]]*)\]?")
_SUBSTRING = regex(r"\$\{!?\w+(?:\[[^]]*\])?:(?![-=+?])(.*)\}", re.DOTALL)
"""An expansion to a part of a value, such as `${name:1:2}`."""
_DEFAULT_ASSIGNMENT = regex(r"\$\{(\w+)(?:\[[^]]*\])?:?=")
"""An expansion `${name:=…}`, which also assigns the variable."""


def contains_substitution(raw: str) -> bool:
    """Whether the shell expands a text that the grammar treats as literal."""
    return _RAW_SUBSTITUTION.search(_ESCAPED_CHARACTER.sub("", raw)) is not None


def read_arithmetic(reader: StatementReader, node: Node, scope: Scope, *, until: int | None = None) -> None:
    """Add the commands inside an arithmetic text.

    If the shell evaluates an unknown value, an unknown command is added too.
    """
    text = reader.source[node.start_byte : until or node.end_byte].decode()
    if (problem := arithmetic_problem(text)) is not None:
        raise Unreadable(problem)
    if evaluates_unknown_value(text, scope):
        _emit_unknown_command(reader, scope)
    _emit_assignments(reader, variables_assigned_by_arithmetic(text), scope)
    read_substitutions(reader, node, scope, until=until)


def read_substitutions(
    reader: StatementReader, node: Node, scope: Scope, *, until: int | None = None
) -> None:
    """Add the commands of all substitutions below a node; raises `Unreadable` if the grammar missed one."""
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
    if contains_substitution(rest[opening:]):
        _replace_backticks(reader.source, node)
        raise Unreadable("holds a substitution we cannot read")


def read_expansion(reader: StatementReader, node: Node, scope: Scope) -> None:
    """Add the commands inside an expansion whose value is unknown."""
    text = reader.source[node.start_byte : node.end_byte].decode()
    if (name := _EXPANDED_NAME.match(text)) and is_secret_variable(name[1]):
        reader.secret_variables.append(name[1])
    if node.type == "simple_expansion":
        return
    if (problem := expansion_problem(text)) is not None:
        raise Unreadable(problem)
    if expansion_evaluates_unknown(text, scope):
        _emit_unknown_command(reader, scope)
    _emit_assignments(reader, variables_assigned_by_expansion(text), scope)
    read_substitutions(reader, node, scope)


def positional_parameter_number(text: str) -> str:
    """The number of a positional parameter such as `$1`; empty for other expansions."""
    found = _PARAMETER.fullmatch(text)
    return found[1] if found else ""


def is_number_expansion(text: str) -> bool:
    """Whether an expansion is always a number: a count, a process id or an exit status."""
    return _NUMBER_EXPANSION.fullmatch(text) is not None


def variable_of_expansion(text: str) -> str:
    """The name of the variable if an expansion is its whole value; empty for other expansions."""
    found = _WHOLE_VARIABLE.fullmatch(text)
    return (found[1] or found[2]) if found else ""


def default_of_expansion(text: str) -> str:
    """The value of an expansion whose variable is not set; `set` for a variable that must be set."""
    if found := _DEFAULT_EXPANSION.fullmatch(text):
        return found[1]
    return "set" if _REQUIRED_VARIABLE.fullmatch(text) else ""


def arithmetic_problem(text: str) -> str | None:
    """Why an arithmetic text is unreadable; None if it is readable."""
    if _QUOTES.search(text):
        return "holds quotes inside arithmetic, which the shell would evaluate"
    return None


def evaluates_unknown_value(text: str, scope: Scope) -> bool:
    """Whether an arithmetic text uses a value that may not be a number; the shell evaluates such a value."""
    text = _BRACED_VARIABLE.sub(r"$\1", replace_number_substitutions(text))
    if _SUBSTITUTION.search(text.removeprefix("$((").removeprefix("${")):
        return True
    return any(
        is_set_by_shell(name) or scope.may_contain_text(name, text) for name in _VARIABLE_NAME.findall(text)
    )


def variables_assigned_by_arithmetic(text: str) -> list[str]:
    """The variables that an arithmetic text assigns."""
    return [before or after for before, after in _ARITHMETIC_ASSIGNMENT.findall(text)]


def variables_assigned_by_expansion(text: str) -> list[str]:
    """The variables that `${name:=…}` assigns."""
    return _DEFAULT_ASSIGNMENT.findall(text)


def expansion_problem(text: str) -> str | None:
    """Why an expansion `${…}` is unreadable; None if it is readable."""
    if "@P" in text:
        return "expands text as a prompt, which may run commands"
    if ("[" in text or _SUBSTRING.match(text)) and _QUOTES.search(text):
        return "holds quotes inside a subscript, which the shell would evaluate"
    return None


def expansion_evaluates_unknown(text: str, scope: Scope) -> bool:
    """Whether an expansion `${…}` is indirect, or evaluates a value that may not be a number."""
    if _INDIRECT_EXPANSION.match(text):
        return True
    subscripts = [inner for inner in _SUBSCRIPT.findall(text) if inner not in ("@", "*")]
    substring = _SUBSTRING.fullmatch(text)
    evaluated = [*subscripts, *([substring[1]] if substring else [])]
    return any(not _is_number(inner) and evaluates_unknown_value(inner, scope) for inner in evaluated)


def _replace_backticks(source: bytes, node: Node) -> None:
    """Raise `RespelledSource` with the first pair of backticks below a node replaced by `$(…)`."""
    text = source[node.start_byte : node.end_byte]
    found = _BACKTICKS.search(text)
    if found is not None:
        respelled = text[: found.start()] + b"$(" + found[1] + b")" + text[found.end() :]
        raise RespelledSource(source[: node.start_byte] + respelled + source[node.end_byte :])


def _emit_unknown_command(reader: StatementReader, scope: Scope) -> None:
    """Add an unknown command, because the shell evaluates a value as arithmetic."""
    reader.emit(Command((Word("(("), Word(UNKNOWN_MARK)), directories=scope.directories))


def _emit_assignments(reader: StatementReader, names: list[str], scope: Scope) -> None:
    """Add the assignments that an expansion makes."""
    for name in names:
        scope.uncertain_variables.add(name)
        reader.emit(Command((), (Assignment(name, Word(UNKNOWN_MARK)),), directories=scope.directories))


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
    """Whether a text is a number, or a range of numbers such as `1:-2`."""
    return text.replace(":", "").replace("-", "").replace(" ", "").isdecimal()
