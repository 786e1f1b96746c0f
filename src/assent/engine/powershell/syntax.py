"""The nodes of the syntax tree of a PowerShell text, as far as decisions need them."""

from dataclasses import dataclass
from typing import TypeAlias


class Node:
    """A node of the syntax tree."""

    __slots__: tuple[str, ...] = ()

    def children(self) -> tuple[object, ...]:
        """The child nodes, in the order of the text."""
        return tuple(getattr(self, name) for name in self.__slots__)


@dataclass(frozen=True, slots=True)
class TextConstant(Node):
    """A constant: a bare word, a number, or a string without expansions."""

    value: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Variable(Node):
    """A variable: `$name`, `${name}` or `$drive:name`; `@name` passes each item as an argument."""

    name: str
    splat: bool = False
    """True for `@name`."""


@dataclass(frozen=True, slots=True)
class UnknownText(Node):
    """A text that has different meanings in different versions of PowerShell."""


@dataclass(frozen=True, slots=True)
class ExpandableString(Node):
    """A string or bare word with variables and subexpressions."""

    parts: "tuple[Expression, ...]"
    quoted: bool


@dataclass(frozen=True, slots=True)
class Subexpression(Node):
    """A subexpression `( )`, `$( )` or `@( )`: the value of statements."""

    body: "tuple[Statement, ...]"


@dataclass(frozen=True, slots=True)
class ScriptBlock(Node):
    """A script block `{ }`, which may run."""

    body: "tuple[Statement, ...]"
    source: str


@dataclass(frozen=True, slots=True)
class HashTable(Node):
    """A hash table `@{ }` with keys and values."""

    entries: "tuple[tuple[Expression, Statement], ...]"
    source: str


@dataclass(frozen=True, slots=True)
class TypeName(Node):
    """The name of a type `[name]`, in lower case and without blanks."""

    name: str


@dataclass(frozen=True, slots=True)
class Cast(Node):
    """A cast `[type]value`."""

    type: TypeName
    operand: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberAccess(Node):
    """A member `target.name` or `target::name`, or a call of this member."""

    target: "Expression"
    name: "Expression"
    static: bool
    """True for `::`."""
    arguments: "tuple[Expression, ...] | None"
    """The arguments of a method call; None if the member is not called."""


@dataclass(frozen=True, slots=True)
class IndexAccess(Node):
    """An element `target[index]`."""

    target: "Expression"
    index: "Expression"


@dataclass(frozen=True, slots=True)
class ItemList(Node):
    """A list `a, b, c`."""

    elements: "tuple[Expression, ...]"
    spaced: bool = False
    """True if a blank is next to one of the commas."""


@dataclass(frozen=True, slots=True)
class Operation(Node):
    """Operands with operators between or before them, in order and in lower case."""

    operators: tuple[str, ...]
    operands: "tuple[Expression, ...]"


Expression: TypeAlias = (
    TextConstant
    | Variable
    | UnknownText
    | ExpandableString
    | Subexpression
    | ScriptBlock
    | HashTable
    | TypeName
    | Cast
    | MemberAccess
    | IndexAccess
    | ItemList
    | Operation
)


@dataclass(frozen=True, slots=True)
class NamedParameter(Node):
    """A parameter `-Name` or `-Name:value`; the value of `-Name value` is the next element."""

    name: str
    value: Expression | None = None
    spaced: bool = False
    """True if a blank is between the colon and the value."""


@dataclass(frozen=True, slots=True)
class Redirection(Node):
    """A redirection such as `> file` or `2>> file`; `2>&1` has no target."""

    target: Expression | None
    appends: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandNode(Node):
    """One command: its program, arguments and redirections."""

    program: Expression
    elements: tuple[NamedParameter | Expression, ...]
    redirections: tuple[Redirection, ...]
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ValueNode(Node):
    """An expression in place of a command; its value is printed or passed on."""

    expression: Expression
    redirections: tuple[Redirection, ...]
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Pipeline(Node):
    """Commands joined by pipes."""

    stages: tuple[CommandNode | ValueNode, ...]


@dataclass(frozen=True, slots=True)
class PipelineChain(Node):
    """Pipelines joined by `&&` and `||`."""

    pipelines: tuple[Pipeline, ...]
    operators: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentNode(Node):
    """An assignment `target = statement`, or with another assignment operator."""

    target: Expression
    value: "Statement"
    plain: bool
    """True if the operator is `=`."""
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ConditionalBlock(Node):
    """A construct whose parts may or may not run."""

    parts: "tuple[Statement, ...]"
    repeats: bool = False
    """True if the parts may run more than once."""
    endless: bool = False
    """True if the parts run without end, and no part waits or ends the loop."""


@dataclass(frozen=True, slots=True)
class ForeachLoop(Node):
    """A loop `foreach ($variable in source) { body }`."""

    variable: str
    source: "Statement"
    body: "tuple[Statement, ...]"


@dataclass(frozen=True, slots=True)
class FunctionDefinition(Node):
    """A function that the text may call."""

    name: Expression
    body: "tuple[Statement, ...]"


Statement: TypeAlias = (
    Pipeline | PipelineChain | AssignmentNode | ConditionalBlock | ForeachLoop | FunctionDefinition
)


def to_statement(expression: Expression) -> Pipeline:
    """Convert an expression to a statement."""
    return Pipeline((ValueNode(expression, (), (0, 0)),))
