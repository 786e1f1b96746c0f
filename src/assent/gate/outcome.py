"""An outcome: what a host gets for a call it submitted."""

from dataclasses import dataclass
from enum import StrEnum

from assent.engine.model import Call
from assent.engine.verdict import Decision, Stage, Verdict
from assent.errors import BytesError, LimitError
from assent.gate.approval import Approval, State
from assent.gate.ports import Issue


class Code(StrEnum):
    """Why a call does not run, in a word that programs can rely on."""

    UNKNOWN_TOOL = "unknown_tool"
    PLAN = "blocked_in_plan_mode"
    DENIED = "permission_denied"
    UNATTENDED = "nobody_to_ask"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    LAPSED = "lapsed"
    ALREADY_RUN = "already_run"
    ALREADY_PROPOSED = "awaiting_operator"
    INVALID = "invalid_arguments"
    FORBIDDEN = "forbidden"
    NOT_PROPOSABLE = "not_proposable"
    LIMIT = "too_many_questions"
    BYTES = "too_many_bytes"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The call may run now, once, with exactly these arguments."""

    call: Call
    decision: Decision
    approval: str = ""
    """The approval it runs under; whoever runs it reports to it."""
    claim: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuse:
    """The call does not run; the message is for the model, the reason is what a person said."""

    code: Code
    message: str
    reason: str = ""
    issues: tuple[Issue, ...] = ()
    again_after: float | None = None
    """In how many seconds the same call may be tried again, where time alone helps."""

    @property
    def told(self) -> str:
        """The message, and what the person said with it."""
        return f"{self.message} (they said: {self.reason})" if self.reason else self.message


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A person has been asked."""

    approval: Approval
    token: str = ""
    """What applies a proposal; only whoever proposed it ever sees it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """The gate itself ran the call, because its caller would be gone."""

    approval: Approval
    result: object


Outcome = Run | Refuse | Wait | Applied


def over_limit(error: LimitError) -> Refuse:
    """What the model hears of a question that there is no room for."""
    return Refuse(code=Code.BYTES if isinstance(error, BytesError) else Code.LIMIT, message=str(error))


def refusal(decision: Decision) -> Refuse:
    """What the model hears of a call that policy stops; an absent tool is one that does not exist."""
    if decision.verdict is Verdict.ABSENT:
        return Refuse(code=Code.UNKNOWN_TOOL, message="there is no such tool")
    match decision.stage:
        case Stage.PLAN:
            return Refuse(code=Code.PLAN, message="plan mode only reads: describe what you would do instead")
        case Stage.UNATTENDED:
            return Refuse(code=Code.UNATTENDED, message=decision.because)
        case _:
            return Refuse(code=Code.DENIED, message=f"{decision.because}; do not retry the same call")


def ending(approval: Approval) -> Refuse:
    """What the model hears of a question that did not end in a run."""
    match approval.state:
        case State.EXPIRED:
            return Refuse(code=Code.EXPIRED, message="nobody answered in time; do not retry the same call")
        case State.WITHDRAWN:
            return Refuse(code=Code.WITHDRAWN, message=f"the question was withdrawn: {approval.note}")
        case State.LAPSED:
            return Refuse(code=Code.LAPSED, message="the approval was not used in time; ask again")
        case State.REFUSED:
            return Refuse(code=Code.DENIED, message=f"{approval.note}; do not retry the same call")
        case State.DENIED:
            return _denial(approval)
        case (
            State.PENDING | State.APPROVED | State.RUNNING | State.DONE | State.FAILED | State.UNKNOWN
        ):  # INVARIANT: a call that was taken once is never handed out again.
            return Refuse(
                code=Code.ALREADY_RUN, message=f"this call was already taken and is {approval.state}"
            )


def _denial(approval: Approval) -> Refuse:
    reason = approval.answer.reason if approval.answer is not None else ""
    return Refuse(
        code=Code.DENIED, message="a person denied this call; do not retry the same call", reason=reason
    )
