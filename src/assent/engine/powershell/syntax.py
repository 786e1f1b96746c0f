"""The syntax tree of a PowerShell text, as far as decisions need it."""

from dataclasses import dataclass
from typing import TypeAlias


class Node:
    """A node of the tree."""

    __slots__: tuple[str, ...] = ()

    def children(self) -> tuple[object, ...]:
        """Its children, in the order of the text."""
        return tuple(getattr(self, name) for name in self.__slots__)


@dataclass(frozen=True, slots=True)
class Text(Node):
    """A constant: a bare word, a number, or a string without expansions."""

    value: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Variable(Node):
    """`$name`, `${name}` or `$drive:name`; `@name` makes each item an argument."""

    name: str
    splat: bool = False


@dataclass(frozen=True, slots=True)
class Unknown(Node):
    """A text that versions of PowerShell read differently."""


@dataclass(frozen=True, slots=True)
class Expand(Node):
    """A string or bare word with variables and sub-expressions."""

    parts: "tuple[Expression, ...]"
    quoted: bool


@dataclass(frozen=True, slots=True)
class Sub(Node):
    """`( )`, `$( )` or `@( )`: the value of statements."""

    body: "tuple[Statement, ...]"


@dataclass(frozen=True, slots=True)
class Script(Node):
    """`{ }`: a block that may run."""

    body: "tuple[Statement, ...]"
    source: str


@dataclass(frozen=True, slots=True)
class Table(Node):
    """`@{ }`: keys and values."""

    entries: "tuple[tuple[Expression, Statement], ...]"
    source: str


@dataclass(frozen=True, slots=True)
class Type(Node):
    """`[name]`, in lower case and without blanks."""

    name: str


@dataclass(frozen=True, slots=True)
class Cast(Node):
    """`[type]value`."""

    type: Type
    operand: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member(Node):
    """`target.name`, `target::name`, or a call of it when there are arguments, even none."""

    target: "Expression"
    name: "Expression"
    static: bool
    arguments: "tuple[Expression, ...] | None"


@dataclass(frozen=True, slots=True)
class Index(Node):
    """`target[index]`."""

    target: "Expression"
    place: "Expression"


@dataclass(frozen=True, slots=True)
class Items(Node):
    """`a, b, c`."""

    elements: "tuple[Expression, ...]"
    spaced: bool = False
    """There is a blank next to one of its commas."""


@dataclass(frozen=True, slots=True)
class Operation(Node):
    """Operands with operators between or before them, in order and in lower case."""

    operators: tuple[str, ...]
    operands: "tuple[Expression, ...]"


Expression: TypeAlias = (
    Text
    | Variable
    | Unknown
    | Expand
    | Sub
    | Script
    | Table
    | Type
    | Cast
    | Member
    | Index
    | Items
    | Operation
)


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    """`-Name`, `-Name:value`; the value of `-Name value` is the next element."""

    name: str
    value: Expression | None = None
    spaced: bool = False
    """There is a blank between the colon and the value."""


@dataclass(frozen=True, slots=True)
class Redirection(Node):
    """`> file`, `2>> file`; `2>&1` has no target."""

    target: Expression | None
    appends: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Node):
    """One command: its program, arguments and redirections."""

    program: Expression
    elements: tuple[Parameter | Expression, ...]
    redirections: tuple[Redirection, ...]
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Value(Node):
    """An expression in place of a command: its value is printed or passed on."""

    expression: Expression
    redirections: tuple[Redirection, ...]
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Pipeline(Node):
    """Commands joined by pipes."""

    stages: tuple[Call | Value, ...]


@dataclass(frozen=True, slots=True)
class Chain(Node):
    """Pipelines joined by `&&` and `||`."""

    pipelines: tuple[Pipeline, ...]
    operators: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assign(Node):
    """`target = statement`, or another assignment operator."""

    target: Expression
    value: "Statement"
    plain: bool
    """The operator is `=`."""
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Group(Node):
    """A construct whose parts may or may not run."""

    parts: "tuple[Statement, ...]"
    repeats: bool = False
    """The parts may run more than once."""


@dataclass(frozen=True, slots=True)
class Loop(Node):
    """`foreach ($variable in source) { body }`."""

    variable: str
    source: "Statement"
    body: "tuple[Statement, ...]"


@dataclass(frozen=True, slots=True)
class Function(Node):
    """A named block that the text may call."""

    name: Expression
    body: "tuple[Statement, ...]"


Statement: TypeAlias = Pipeline | Chain | Assign | Group | Loop | Function


def as_statement(expression: Expression) -> Pipeline:
    """An expression as a statement."""
    return Pipeline((Value(expression, (), (0, 0)),))
