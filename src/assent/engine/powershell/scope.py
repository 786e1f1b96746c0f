"""What is known at one point of a PowerShell text: variables and directories."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import cast

from assent.engine.powershell.members import makes_collection
from assent.engine.powershell.places import is_elsewhere
from assent.engine.powershell.syntax import Assign, Loop, Operation, Pipeline, Statement, Value, Variable
from assent.engine.shell.command import HOLE, Word

MOST_DIRECTORIES = 8

_HOME = Word("~", tilde=True)
_AUTOMATIC = {
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
"""Variables that have a value from the start; where Windows may be installed elsewhere, its usual place."""

_READ_ONLY = frozenset({"true", "false", "null", "home"})
"""Variables that keep their value whatever is assigned to them."""

_SCOPES = re.compile(r"(?:global|script|local|private|using):", re.IGNORECASE)
# What sets variables by names that are not written as variables.
_INDIRECT = re.compile(
    r"variable|(?<![\w-])(?:sv|nv|set|clv|rv|iex)(?![\w-])|-expression|-[opwei]v\b|\[ref\]", re.IGNORECASE
)

_BARE_NAME = re.compile(r"(?<![\w$:])(?<!\$\{)[A-Za-z_]\w*")
_OBJECTS = re.compile(r"@\{|member|import-|convertfrom-|select|::", re.IGNORECASE)

Values = tuple[Word, ...]


def automatic(name: str) -> Word | None:
    """What a variable holds from the start, if it is one of those."""
    return _AUTOMATIC.get(name.lower())


def plain(name: str) -> str:
    """A variable's name in lower case and without the scope before it."""
    return _SCOPES.sub("", name, count=1).lower()


def sets_variables(text: str) -> bool:
    """Whether something may set a variable without writing it as one."""
    return _INDIRECT.search(text) is not None


class Names:
    """How often each variable of a text is assigned; only one that is assigned once is known."""

    def __init__(self, text: str, statements: tuple[Statement, ...], *, constants: bool = True) -> None:
        self.text = text
        self.statements = statements
        self.constants = constants
        """Whether to believe that what is assigned once stays what it is."""

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each variable is assigned."""
        return Counter(plain(name) for name in _assigned(self.statements))

    @cached_property
    def mentioned(self) -> set[str]:
        """Names that stand in the text other than as a variable."""
        return {name.lower() for name in _BARE_NAME.findall(self.text)}

    @cached_property
    def makes_objects(self) -> bool:
        """Whether the text makes objects whose properties hold anything it likes."""
        return _OBJECTS.search(self.text) is not None

    @cached_property
    def collections(self) -> frozenset[str]:
        """Variables that hold a collection made in this text, and nothing else."""
        names = (plain(name) for name in _collections(self.statements))
        return frozenset(name for name in names if self.is_constant(name))

    def is_constant(self, name: str) -> bool:
        """Whether a variable holds one and the same value once it has one."""
        return self.constants and self.counts[name] <= 1 and name not in self.mentioned


class Scope:
    """One point of a text; a block that may run often, or never, gets a copy."""

    __slots__ = ("away", "directories", "names", "straight", "variables")

    def __init__(self, names: Names) -> None:
        self.names = names
        self.variables: dict[str, Values] = {}
        self.directories: tuple[str, ...] = ("",)
        self.straight = True
        """Whether we are certain to come through here, so that an assignment is sure to count."""
        self.away = False
        """Whether this may run in another session, where nothing of this one is defined."""

    def branch(self) -> "Scope":
        """A copy for what may or may not run."""
        copy = Scope(self.names)
        copy.variables = dict(self.variables)
        copy.directories = self.directories
        copy.away = self.away
        copy.straight = False
        return copy

    def value(self, name: str) -> Values | None:
        """What a variable holds, or None when that cannot be known."""
        name = plain(name)
        if name in self.variables:
            return self.variables[name]
        known = automatic(name) if name in _READ_ONLY or not self.names.counts[name] else None
        return None if known is None else (known,)

    def assign(self, name: str, values: Values | None) -> None:
        """Remember a value that is assigned here and nowhere else."""
        name = plain(name)
        if name in _READ_ONLY:
            return
        if values is not None and self.straight and ":" not in name and self.names.is_constant(name):
            self.variables[name] = values
        else:
            self.variables.pop(name, None)

    def turn(self, name: str, value: Word | None) -> None:
        """Give the variable of a loop the value it has in one turn."""
        name = plain(name)
        if value is not None and (name == "_" or self.names.is_constant(name)):
            self.variables[name] = (value,)
        else:
            self.variables.pop(name, None)
        if name == "_":
            self.turn("psitem", value)

    def moved(self, target: Word) -> tuple[str, ...]:
        """Where a change of directory leads; of a place that is no path we only keep the name."""
        text = target.text.replace("\\", "/")
        if HOLE in text or target.glob or text in ("", "-", "+"):
            return (HOLE,)
        if is_elsewhere(text) or re.match(r"[A-Za-z]:", text) or text.startswith("//"):
            return (text, HOLE)
        if text.startswith(("/", "~")):
            return (text,)
        return tuple(dict.fromkeys(posixpath.join(place, text) for place in self.directories))

    def go_to(self, directories: tuple[str, ...]) -> None:
        """Be where a change of directory leads; whether it succeeds is not known.

        What ends in `/.` is there only if the directory is, so that a failed change is no place at all.
        """
        self.directories = tuple(one if HOLE in one else f"{one}/." for one in directories)

    def may_be_in(self, directories: tuple[str, ...]) -> None:
        """Add directories that the text may be in from here on."""
        merged = tuple(dict.fromkeys((*self.directories, *directories)))
        self.directories = merged if len(merged) <= MOST_DIRECTORIES else (HOLE,)


def _assigned(node: object) -> Iterator[str]:
    """Every variable below a node that something is assigned to, once for each time."""
    if isinstance(node, Assign):
        yield from _variables(node.target)
    elif isinstance(node, Loop):
        yield node.variable
    elif isinstance(node, Operation) and node.operators == ("++",):
        yield from _variables(node)
    for part in _parts(node):
        yield from _assigned(part)


def _collections(node: object) -> Iterator[str]:
    """Every variable below a node to which a new collection is assigned."""
    match node:
        case Assign(target=Variable(name=name), value=Pipeline(stages=(Value(expression=made),)), plain=True):
            if makes_collection(made):
                yield name
        case _:
            for part in _parts(node):
                yield from _collections(part)


def _variables(node: object) -> Iterator[str]:
    if isinstance(node, Variable):
        yield node.name
    for part in _parts(node):
        yield from _variables(part)


def _parts(node: object) -> tuple[object, ...]:
    """What a node is made of; a text or a number has no parts."""
    return cast("tuple[object, ...]", node) if isinstance(node, tuple) else ()
