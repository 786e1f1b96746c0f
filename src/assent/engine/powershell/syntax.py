"""The syntax tree of a PowerShell text, as far as deciding needs it."""

from typing import NamedTuple, TypeAlias


class Text(NamedTuple):
    """A constant: a bare word, a number, or a string without anything to expand."""

    value: str
    quoted: bool = False


class Variable(NamedTuple):
    """`$name`, `${name}` or `$drive:name`; with `@` its items become arguments of their own."""

    name: str
    splat: bool = False


class Unknown(NamedTuple):
    """A piece of text that means different things to different versions of the shell."""


class Expand(NamedTuple):
    """A string, or a bare word, with variables and sub-expressions in it."""

    parts: "tuple[Expression, ...]"
    quoted: bool


class Sub(NamedTuple):
    """`( )`, `$( )` or `@( )`: the value of statements."""

    body: "tuple[Statement, ...]"


class Script(NamedTuple):
    """`{ }`: a block that somebody may run."""

    body: "tuple[Statement, ...]"
    source: str


class Table(NamedTuple):
    """`@{ }`: keys and values."""

    entries: "tuple[tuple[Expression, Statement], ...]"
    source: str


class Type(NamedTuple):
    """`[name]`, in lower case and without blanks."""

    name: str


class Cast(NamedTuple):
    """`[type]value`."""

    type: Type
    operand: "Expression"


class Member(NamedTuple):
    """`target.name`, `target::name`, or a call of it when there are arguments, even none."""

    target: "Expression"
    name: "Expression"
    static: bool
    arguments: "tuple[Expression, ...] | None"


class Index(NamedTuple):
    """`target[index]`."""

    target: "Expression"
    place: "Expression"


class Items(NamedTuple):
    """`a, b, c`."""

    elements: "tuple[Expression, ...]"
    spaced: bool = False
    """There is a blank somewhere around its commas."""


class Operation(NamedTuple):
    """Operands with operators between or before them, in writing order, in lower case."""

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


class Parameter(NamedTuple):
    """`-Name`, `-Name:value`; the value of `-Name value` is the next element."""

    name: str
    value: Expression | None = None
    spaced: bool = False
    """There is a blank between the colon and the value."""


class Redirection(NamedTuple):
    """`> file`, `2>> file`; `2>&1` has no target."""

    target: Expression | None
    appends: bool = False


class Call(NamedTuple):
    """One command: its program and what stands behind it."""

    program: Expression
    elements: tuple[Parameter | Expression, ...]
    redirections: tuple[Redirection, ...]
    span: tuple[int, int]


class Value(NamedTuple):
    """An expression where a command could stand: its value is printed or passed on."""

    expression: Expression
    redirections: tuple[Redirection, ...]
    span: tuple[int, int]


class Pipeline(NamedTuple):
    """Commands that feed each other."""

    stages: tuple[Call | Value, ...]


class Chain(NamedTuple):
    """Pipelines joined by `&&` and `||`."""

    pipelines: tuple[Pipeline, ...]
    operators: tuple[str, ...]


class Assign(NamedTuple):
    """`target = statement`, or one of the operators that change a variable."""

    target: Expression
    value: "Statement"
    plain: bool
    """The operator is `=`."""
    span: tuple[int, int]


class Group(NamedTuple):
    """A construct that runs its parts sometimes."""

    parts: "tuple[Statement, ...]"
    repeats: bool = False
    """It may run them more than once."""


class Loop(NamedTuple):
    """`foreach ($variable in source) { body }`."""

    variable: str
    source: "Statement"
    body: "tuple[Statement, ...]"


class Function(NamedTuple):
    """A named block that the rest of the line may call."""

    name: Expression
    body: "tuple[Statement, ...]"


Statement: TypeAlias = Pipeline | Chain | Assign | Group | Loop | Function


def valued(expression: Expression) -> Pipeline:
    """An expression as a statement of its own, where only what it holds counts."""
    return Pipeline((Value(expression, (), (0, 0)),))
