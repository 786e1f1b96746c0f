"""A decision as JSON: its verdict and every step that led there."""

from typing import Literal

from pydantic import Field

from assent.engine.lines.input_names import InputSource
from assent.engine.programs.program import Loss
from assent.engine.verdict import Stage
from assent.surfaces.http.models.base import Args, Id, Received, Sent, Text, ToolName

VerdictWord = Literal["run", "ask", "deny", "absent"]


class Step(Sent):
    """One stage that spoke."""

    stage: Stage
    verdict: VerdictWord
    reason: str
    rule: str | None = None
    part: str | None = None


class Piece(Sent):
    """A stretch of a call's text, from here to the next one, by itself."""

    start: int
    """Its first character, in code points."""
    verdict: VerdictWord
    reason: str
    rule: str | None = None


class ActValues(Sent):
    """What an irreversible act is about."""

    kind: str
    """What sort of thing is lost, as its field calls it: `namespace`, `table`."""
    name: str
    """Which one, as far as the call says."""


class Act(Sent):
    """Something that the call would do and nobody can undo: a code and its values, for one's own words."""

    code: Loss
    values: ActValues


class FedInput(Sent):
    """What some commands of a call are fed and may act on."""

    source: InputSource
    commands: list[str]
    """The commands that are fed it, as a person reads them."""
    path: str = ""
    """Of a file: from the workspace's root where it is inside."""
    digest: str = ""
    """Of a file: the SHA-256 of its content; empty where nobody read it."""
    argument: str = ""
    """Of a text: the argument of the call that holds it, from `start` to `end`, in code points."""
    start: int = 0
    end: int = 0
    text: str = ""
    """Of a text that stands in no argument as it is fed: the text itself."""
    can_be_named: bool
    """A rule can name it, so that a lasting yes is possible and is for exactly this input."""
    must_be_named: bool
    """Only a rule that names it covers the commands."""


class Decision(Sent):
    """What was decided, and why."""

    verdict: VerdictWord
    stage: Stage
    because: str
    rule: str | None = None
    part: str | None = None
    always_offered: bool
    steps: list[Step]
    pieces: list[Piece] = Field(default_factory=list[Piece])
    """How a question about several commands is told apart; empty for one, and where nobody was asked."""
    irreversible: list[Act] = Field(default_factory=list[Act])
    """What cannot be undone; it never changes the verdict."""
    inputs: list[FedInput] = Field(default_factory=list[FedInput])
    """What commands are fed and may act on; a clipped question leaves texts out."""
    batch_key: str = ""
    """Questions with the same one may be allowed together; without one it is allowed by itself."""


class WhatIf(Received):
    """A call that is only thought of."""

    tool: ToolName
    args: Args
    agent: Id = ""
    conversation: Id = ""
    cwd: Text = ""
    preset: Id = ""
    mode: Id | None = None
