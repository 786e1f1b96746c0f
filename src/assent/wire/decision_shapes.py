"""Types of the JSON of a decision: its reasons, steps, pieces, acts and inputs."""

from typing import Annotated, Literal, NotRequired, TypedDict

from assent.engine.base.reason import ReasonCode
from assent.engine.lines.specifier import InputSource
from assent.engine.policy.verdict import Stage
from assent.engine.programs.losses import Loss

VerdictWord = Annotated[str, Literal["run", "ask", "deny", "absent"]]


class Reason(TypedDict):
    """A reason as data: its code and its values, from which every surface makes its own sentence."""

    code: Annotated[str, ReasonCode]
    values: dict[str, str]


class Step(TypedDict):
    """One step of a decision: the verdict of one stage."""

    stage: Annotated[str, Stage]
    verdict: VerdictWord
    reason: str
    """The reason as an English sentence."""
    code: NotRequired[Annotated[str, ReasonCode]]
    values: NotRequired[dict[str, str]]
    rule: NotRequired[str | None]
    part: NotRequired[str | None]


class Piece(TypedDict):
    """A part of a call's text with its own verdict; it ends where the next part starts."""

    start: int
    """The position of its first character, in code points."""
    verdict: VerdictWord
    reason: str
    """The reason as an English sentence."""
    code: NotRequired[Annotated[str, ReasonCode]]
    values: NotRequired[dict[str, str]]
    rule: NotRequired[str | None]


class ActValues(TypedDict):
    """The object of an irreversible act."""

    kind: str
    """The kind of thing that is lost: `namespace`, `table`."""
    name: str
    """The name of the object, if the call contains it."""


class Act(TypedDict):
    """Something irreversible that the call would do, as a code and its values."""

    code: Annotated[str, Loss]
    values: ActValues


class DisclosedInput(TypedDict):
    """An input of some commands of a call, which may change what they do."""

    source: Annotated[str, InputSource]
    commands: list[str]
    """The commands with this input, as a person reads them."""
    path: NotRequired[str]
    """For a file: its path, relative to the workspace if it is inside."""
    digest: NotRequired[str]
    """For a file: the SHA-256 of its content; empty if it was not read."""
    argument: NotRequired[str]
    """For a text: the argument that contains it, from `start` to `end` in code points."""
    start: NotRequired[int]
    end: NotRequired[int]
    text: NotRequired[str]
    """For a text that is not part of an argument: the text itself."""
    can_be_named: bool
    """Whether a rule can name this input, so that a lasting approval of it is possible."""
    must_be_named: bool
    """Whether only a rule that names this input covers the commands."""


class Decision(TypedDict):
    """A verdict, and the reasons for it."""

    verdict: VerdictWord
    stage: Annotated[str, Stage]
    because: str
    """The reason as an English sentence."""
    reason: NotRequired[Reason]
    """The reason as data; a reason that is only a text, as in rows of earlier versions, has none."""
    rule: NotRequired[str | None]
    part: NotRequired[str | None]
    always_offered: bool
    steps: list[Step]
    pieces: NotRequired[list[Piece]]
    """The parts of a question about several commands; empty for a single one, and without a question."""
    irreversible: NotRequired[list[Act]]
    """The irreversible acts of the call; they never change the verdict."""
    inputs: NotRequired[list[DisclosedInput]]
    """The inputs of commands that may change what they do; a clipped question has no texts."""
    batch_key: NotRequired[str]
    """Questions with the same key may be allowed together; a question without a key only alone."""
