"""A call on its way through the gate, and what comes of it."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue, StringConstraints

from assent.gate.approval import State
from assent.gate.outcome import Code
from assent.gate.preset import Delivery
from assent.surfaces.http.models.base import Args, Id, Line, Received, Sent, Text, ToolName
from assent.surfaces.http.models.decision import Decision

LONGEST_WAIT = 60
"""Seconds of one long poll."""


Nonce = Annotated[
    str,
    StringConstraints(pattern=r"^[!-~]{16,128}$"),
    Field(
        description="Random, and the caller's own: sent again with the same token, it gives the same claim"
        " again until the report, where a reply was lost."
    ),
]


class CallIn(Received):
    """One use of a tool."""

    tool: ToolName
    args: Args
    id: Id = ""
    """The caller's own id; the same one again, with the same arguments, is the same call."""
    cwd: Text = ""
    """The directory it would run in, an absolute path; left out, the server's own workspace."""


class Submission(Received):
    """A call that somebody wants to make."""

    call: CallIn
    agent: Id = ""
    """Who makes it; an agent's token says so itself."""
    conversation: Id = ""
    turn: Id = ""
    """The turn it belongs to, as an earlier reply named it."""
    preset: Id = ""
    """For a conversation that begins with this call."""
    mode: Id | None = None
    delivery: Annotated[Delivery, Field(strict=False)] | None = None
    attended: bool = True
    """Whether a person can be reached while the agent runs."""
    nonce: Nonce | None = None


class Patience(Received):
    """How long to wait for an answer."""

    seconds: Annotated[float, Field(ge=0, le=LONGEST_WAIT)] = 30
    nonce: Nonce | None = None


class Report(Received):
    """What came of a call that ran."""

    claim: Id
    failed: bool = False
    note: Text = ""


class Withdrawal(Received):
    """Why a call is no longer wanted."""

    why: Line = "its caller took it back"


class Called(Sent):
    """A call as it was taken."""

    tool: str
    args: Args
    id: str
    agent: str
    conversation: str
    user: str
    cwd: str


class Issue(Sent):
    """Something wrong with the arguments."""

    path: str
    message: str


class Run(Sent):
    """It may run now, once, with these arguments; report to `approval` with `claim` where there is one."""

    outcome: Literal["run"]
    turn: str
    call: Called
    decision: Decision
    approval: str
    claim: str


class Wait(Sent):
    """A person has been asked."""

    outcome: Literal["wait"]
    turn: str
    approval: str
    decision: Decision
    expires_at: str | None
    token: str
    """What applies a proposal; empty for a call that waits."""


class Refuse(Sent):
    """It does not run; the message is for the model, the reason is what a person said."""

    outcome: Literal["refuse"]
    turn: str
    code: Code
    message: str
    reason: str
    retry_after: float | None
    """In how many seconds the same call may be tried again, where time alone helps."""
    issues: list[Issue]


class Applied(Sent):
    """The gate ran it itself."""

    outcome: Literal["applied"]
    turn: str
    approval: str
    result: JsonValue


Outcome = Annotated[Run | Wait | Refuse | Applied, Field(discriminator="outcome")]


class CallStatus(Sent):
    """Where a call that was asked about stands; its claim is never told twice."""

    id: str
    call: Called
    state: State
    decision: Decision
    asked_at: str
    expires_at: str | None
    answered_at: str | None
    closed_at: str | None
    note: str
