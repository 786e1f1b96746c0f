"""The names in a PowerShell text: its variables and functions, and what could change them."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import cast

from assent.engine.powershell.members import makes_collection
from assent.engine.powershell.syntax import (
    Assign,
    Call,
    Function,
    Loop,
    Node,
    Operation,
    Pipeline,
    Statement,
    Text,
    Value,
    Variable,
)
from assent.engine.regex import regex

_SCOPES = regex(r"(?:global|script|local|private|using):", re.IGNORECASE)
# What sets variables by names that are not written as variables.
_INDIRECT = regex(
    r"variable|(?<![\w-])(?:sv|nv|set|clv|rv|iex)(?![\w-])|-expression|-[opwei]v\b|\[ref\]", re.IGNORECASE
)

_DEFINES = regex(r"function|filter", re.IGNORECASE)
_BARE_NAME = regex(r"(?<![\w$:])(?<!\$\{)[A-Za-z_]\w*")
_OBJECTS = regex(r"@\{|member|import-|convertfrom-|select|::", re.IGNORECASE)


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
    def functions(self) -> frozenset[str]:
        """Functions that the text defines somewhere; what they give back is not known."""
        names = _functions(self.statements) if _DEFINES.search(self.text) else ()
        return frozenset(plain(name) for name in names)

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


def variables(node: object) -> Iterator[str]:
    """Every variable that stands below a node."""
    if isinstance(node, Variable):
        yield node.name
    for part in _parts(node):
        yield from variables(part)


def runs_command(node: object) -> bool:
    """Whether a command stands below a node."""
    return isinstance(node, Call) or any(runs_command(part) for part in _parts(node))


def _assigned(node: object) -> Iterator[str]:
    """Every variable below a node that something is assigned to, once for each time."""
    if isinstance(node, Assign):
        yield from variables(node.target)
    elif isinstance(node, Loop):
        yield node.variable
    elif isinstance(node, Operation) and node.operators == ("++",):
        yield from variables(node)
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


def _functions(node: object) -> Iterator[str]:
    """Every function below a node, by the name it is defined by, if that is known."""
    if isinstance(node, Function) and isinstance(node.name, Text):
        yield node.name.value
    for part in _parts(node):
        yield from _functions(part)


def _parts(node: object) -> tuple[object, ...]:
    """What a node is made of; a text or a number has no parts."""
    if isinstance(node, Node):
        return node.below()
    return cast("tuple[object, ...]", node) if isinstance(node, tuple) else ()
