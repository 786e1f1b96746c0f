"""The state of a PowerShell session at one point of a text: variables, functions and directories."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import cast

from assent.engine.base.lazy import regex
from assent.engine.powershell.members import makes_collection
from assent.engine.powershell.paths import Values, has_provider
from assent.engine.powershell.syntax import (
    AssignmentNode,
    CommandNode,
    ForeachLoop,
    FunctionDefinition,
    Node,
    Operation,
    Pipeline,
    Statement,
    TextConstant,
    ValueNode,
    Variable,
)
from assent.engine.programs.word import UNKNOWN_MARK, Word

MAX_DIRECTORIES = 8
"""The maximal number of possible current directories; with more, the directory is unknown."""

_HOME = Word("~", tilde=True)
_INITIAL_VALUES = {
    "true": Word("$true"),
    "false": Word("$false"),
    "null": Word("$null"),
    "home": _HOME,
    "env:home": _HOME,
    "env:userprofile": _HOME,
    "env:homepath": _HOME,
    "pwd": Word("."),
    "profile": Word("~/.config/powershell/Microsoft.PowerShell_profile.ps1", tilde=True),
    "env:systemdrive": Word("C:"),
    "env:homedrive": Word("C:"),
    "env:systemroot": Word("C:\\Windows"),
    "env:windir": Word("C:\\Windows"),
    "env:programfiles": Word("C:\\Program Files"),
    "env:programfiles(x86)": Word("C:\\Program Files (x86)"),
    "env:programdata": Word("C:\\ProgramData"),
    "env:allusersprofile": Word("C:\\ProgramData"),
    "env:public": Word("C:\\Users\\Public"),
}
"""Variables with an initial value; the Windows directories have their usual values."""

_READ_ONLY_VARIABLES = frozenset({"true", "false", "null", "home"})
"""Variables that no assignment changes."""
_SCOPE_PREFIX = regex(r"(?:global|script|local|private|using):", re.IGNORECASE)

_VARIABLE_COMMAND = regex(
    r"variable|(?<![\w-])(?:sv|nv|set|clv|rv|iex)(?![\w-])|-expression|-[opwei]v\b|\[ref\]", re.IGNORECASE
)
"""Commands and parameters that set a variable by its name."""

_FUNCTION_KEYWORD = regex(r"function|filter", re.IGNORECASE)
_BARE_NAME = regex(r"(?<![\w$:])(?<!\$\{)[A-Za-z_]\w*")
_OBJECT_CREATION = regex(r"@\{|member|import-|convertfrom-|select|::", re.IGNORECASE)
"""Code that may create objects with properties of its choice."""


def variable_name_without_scope(name: str) -> str:
    """The name of a variable in lower case, without its scope."""
    return _SCOPE_PREFIX.sub("", name, count=1).lower()


def may_set_variables(text: str) -> bool:
    """Whether a text may set a variable other than by an assignment."""
    return _VARIABLE_COMMAND.search(text) is not None


class DefinedNames:
    """The variables and functions of a text; only a variable that is assigned once has a known value."""

    def __init__(self, text: str, statements: tuple[Statement, ...], *, constants: bool = True) -> None:
        self.text = text
        self.statements = statements
        self.constants = constants
        """Whether a variable that is assigned once is taken as a constant."""

    @cached_property
    def assignment_counts(self) -> Counter[str]:
        """How often each variable is assigned."""
        return Counter(variable_name_without_scope(name) for name in _assigned_variables(self.statements))

    @cached_property
    def defined_functions(self) -> frozenset[str]:
        """The functions that the text defines; their results are unknown."""
        names = _function_names(self.statements) if _FUNCTION_KEYWORD.search(self.text) else ()
        return frozenset(variable_name_without_scope(name) for name in names)

    @cached_property
    def mentioned_names(self) -> set[str]:
        """Names in the text that are not written as variables."""
        return {name.lower() for name in _BARE_NAME.findall(self.text)}

    @cached_property
    def creates_custom_objects(self) -> bool:
        """Whether the text creates objects with properties of its choice."""
        return _OBJECT_CREATION.search(self.text) is not None

    @cached_property
    def collection_variables(self) -> frozenset[str]:
        """Variables whose only value is a collection that this text creates."""
        names = (variable_name_without_scope(name) for name in _collection_variables(self.statements))
        return frozenset(name for name in names if self.is_constant(name))

    def is_constant(self, name: str) -> bool:
        """Whether the value of a variable never changes after its first assignment."""
        return self.constants and self.assignment_counts[name] <= 1 and name not in self.mentioned_names


def variable_names_below(node: object) -> Iterator[str]:
    """The names of all variables below a node."""
    if isinstance(node, Variable):
        yield node.name
    for part in _child_nodes(node):
        yield from variable_names_below(part)


def contains_command(node: object) -> bool:
    """Whether there is a command below a node."""
    return isinstance(node, CommandNode) or any(contains_command(part) for part in _child_nodes(node))


def initial_variable_value(name: str) -> Word | None:
    """The initial value of a variable; None if it has none."""
    return _INITIAL_VALUES.get(name.lower())


class LocationHistory:
    """The changes of directory in a session; all states of a text share one history."""

    __slots__ = ("moves", "stack")

    def __init__(self) -> None:
        self.moves = 0
        """How often the directory may have changed."""
        self.stack: list[tuple[str, ...]] = []
        """The directories that `Pop-Location` returns to, as far as known."""


class SessionState:
    """The state at one point of a text; a block that may run several times, or never, gets a copy."""

    __slots__ = (
        "after_moves",
        "always_runs",
        "directories",
        "history",
        "in_other_session",
        "names",
        "variables",
    )

    def __init__(self, names: DefinedNames) -> None:
        self.names = names
        self.variables: dict[str, Values] = {}
        self.directories: tuple[str, ...] = ("",)
        self.history = LocationHistory()
        self.after_moves: dict[str, int] = {}
        """Variables whose value depends on the directory, with the number of moves at their assignment."""
        self.always_runs = True
        """Whether this point is always reached, so that an assignment certainly happens."""
        self.in_other_session = False
        """Whether this may run in another session, in which nothing of this one is defined."""

    def copy_for_branch(self) -> "SessionState":
        """Return a copy for code that may or may not run."""
        copy = SessionState(self.names)
        copy.variables = dict(self.variables)
        copy.directories = self.directories
        copy.history = self.history
        copy.after_moves = dict(self.after_moves)
        copy.in_other_session = self.in_other_session
        copy.always_runs = False
        return copy

    def variable_values(self, name: str) -> Values | None:
        """The values of a variable; None if they are unknown."""
        name = variable_name_without_scope(name)
        if name in self.variables:
            moves = self.history.moves
            return self.variables[name] if self.after_moves.get(name, moves) == moves else None
        known = (
            initial_variable_value(name)
            if name in _READ_ONLY_VARIABLES or not self.names.assignment_counts[name]
            else None
        )
        return None if known is None else (known,)

    def record_assignment(self, name: str, values: Values | None, source: Statement) -> None:
        """Record an assignment; the value is kept if this is the only assignment of the variable."""
        name = variable_name_without_scope(name)
        if name in _READ_ONLY_VARIABLES:
            return
        if self._depends_on_location(source):
            self.after_moves[name] = self.history.moves
        if values is not None and self.always_runs and ":" not in name and self.names.is_constant(name):
            self.variables[name] = values
        else:
            self.variables.pop(name, None)

    def set_loop_variable(self, name: str, value: Word | None) -> None:
        """Set the variable of a loop for one iteration."""
        name = variable_name_without_scope(name)
        if value is not None and (name == "_" or self.names.is_constant(name)):
            self.variables[name] = (value,)
        else:
            self.variables.pop(name, None)
        if name == "_":
            self.set_loop_variable("psitem", value)

    def directories_after(self, target: Word) -> tuple[str, ...]:
        """The directories after a change of directory; for a provider or drive, its name."""
        text = target.text.replace("\\", "/")
        if UNKNOWN_MARK in text or target.glob or text in ("", "-", "+"):
            return (UNKNOWN_MARK,)
        if has_provider(text) or re.match(r"[A-Za-z]:", text) or text.startswith("//"):
            return (text, UNKNOWN_MARK)
        if text.startswith(("/", "~")):
            return (text,)
        return tuple(dict.fromkeys(posixpath.join(directory, text) for directory in self.directories))

    def change_directory(self, directories: tuple[str, ...]) -> None:
        """Change the directory, although the change may fail.

        The path with `/.` at its end exists only if the directory exists.
        """
        self.history.moves += 1
        self.directories = tuple(one if UNKNOWN_MARK in one else f"{one}/." for one in directories)

    def push_location(self) -> None:
        """Push the directories on the stack; if this code may not run, the stack becomes unknown."""
        if self.always_runs:
            self.history.stack.append(self.directories)
        else:
            self.forget_stack()

    def pop_location(self) -> tuple[str, ...]:
        """Return to the directories on top of the stack."""
        known = self.always_runs and self.history.stack
        back = self.history.stack.pop() if known else (UNKNOWN_MARK,)
        if not known:
            self.forget_stack()
        self.history.moves += 1
        self.directories = back
        return back

    def forget_stack(self) -> None:
        """Mark the stack of directories as unknown."""
        self.history.stack.clear()

    def add_directories(self, directories: tuple[str, ...]) -> None:
        """Add directories in which later commands may run."""
        merged = tuple(dict.fromkeys((*self.directories, *directories)))
        self.directories = merged if len(merged) <= MAX_DIRECTORIES else (UNKNOWN_MARK,)

    def _depends_on_location(self, source: Statement) -> bool:
        """Whether a value may depend on the directory: the output of a command, or `$PWD`."""
        names = {variable_name_without_scope(name) for name in variable_names_below(source)}
        return contains_command(source) or "pwd" in names or not self.after_moves.keys().isdisjoint(names)


def _assigned_variables(node: object) -> Iterator[str]:
    """The name of each assigned variable below a node, once for each assignment."""
    if isinstance(node, AssignmentNode):
        yield from variable_names_below(node.target)
    elif isinstance(node, ForeachLoop):
        yield node.variable
    elif isinstance(node, Operation) and node.operators == ("++",):
        yield from variable_names_below(node)
    for part in _child_nodes(node):
        yield from _assigned_variables(part)


def _collection_variables(node: object) -> Iterator[str]:
    """The name of each variable below a node to which a new collection is assigned."""
    match node:
        case AssignmentNode(
            target=Variable(name=name),
            value=Pipeline(stages=(ValueNode(expression=made),)),
            plain=True,
        ):
            if makes_collection(made):
                yield name
        case _:
            for part in _child_nodes(node):
                yield from _collection_variables(part)


def _function_names(node: object) -> Iterator[str]:
    """The name of each function below a node, if the name is known."""
    if isinstance(node, FunctionDefinition) and isinstance(node.name, TextConstant):
        yield node.name.value
    for part in _child_nodes(node):
        yield from _function_names(part)


def _child_nodes(node: object) -> tuple[object, ...]:
    """The child nodes of a node; a text or a number has none."""
    if isinstance(node, Node):
        return node.children()
    return cast("tuple[object, ...]", node) if isinstance(node, tuple) else ()
