"""An outcome: the gate's reply to a submitted call."""

from dataclasses import dataclass
from enum import StrEnum

from assent.engine.model import Call
from assent.engine.verdict import Decision, Stage, Verdict
from assent.errors import BytesError, LimitError
from assent.gate.approval import Approval, State
from assent.gate.ports import Issue


class Code(StrEnum):
    """Why a call does not run, as a stable code for programs."""

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
    """The approval of the call; the host reports the result to it."""
    claim: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuse:
    """The call does not run; the message is for the model, the reason is from the person."""

    code: Code
    message: str
    reason: str = ""
    issues: tuple[Issue, ...] = ()
    retry_after: float | None = None
    """Seconds after which a retry may succeed; None where a retry does not help."""

    @property
    def full_message(self) -> str:
        """The message together with the person's reason."""
        return f"{self.message} (they said: {self.reason})" if self.reason else self.message


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A person has been asked."""

    approval: Approval
    token: str = ""
    """The token that applies a proposal; only its caller gets it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """The gate itself ran the proposed call."""

    approval: Approval
    result: object


Outcome = Run | Refuse | Wait | Applied


def limit_refusal(error: LimitError) -> Refuse:
    """The refusal of a call whose question would exceed a limit."""
    return Refuse(code=Code.BYTES if isinstance(error, BytesError) else Code.LIMIT, message=str(error))


def policy_refusal(decision: Decision) -> Refuse:
    """The refusal of a call that policy denies; an absent tool looks like an unknown one."""
    if decision.verdict is Verdict.ABSENT:
        return Refuse(code=Code.UNKNOWN_TOOL, message="there is no such tool")
    match decision.stage:
        case Stage.PLAN:
            return Refuse(code=Code.PLAN, message="plan mode only reads: describe what you would do instead")
        case Stage.UNATTENDED:
            return Refuse(code=Code.UNATTENDED, message=decision.because)
        case _:
            return Refuse(code=Code.DENIED, message=f"{decision.because}; do not retry the same call")


def approval_refusal(approval: Approval) -> Refuse:
    """The refusal of a call whose approval ended without a run."""
    match approval.state:
        case State.EXPIRED:
            return Refuse(code=Code.EXPIRED, message="nobody answered in time; do not retry the same call")
        case State.WITHDRAWN:
            return Refuse(code=Code.WITHDRAWN, message=f"the question was withdrawn: {approval.note}")
        case State.LAPSED:
            return Refuse(code=Code.LAPSED, message="the approved call did not run in time; submit it again")
        case State.REFUSED:
            return Refuse(code=Code.DENIED, message=f"{approval.note}; do not retry the same call")
        case State.DENIED:
            return _denial(approval)
        case (
            State.PENDING | State.APPROVED | State.RUNNING | State.DONE | State.FAILED | State.UNKNOWN
        ):  # INVARIANT: a call that was claimed once is never returned again.
            return Refuse(
                code=Code.ALREADY_RUN, message=f"this call was already claimed and is {approval.state}"
            )


def _denial(approval: Approval) -> Refuse:
    reason = approval.answer.reason if approval.answer is not None else ""
    return Refuse(
        code=Code.DENIED, message="a person denied this call; do not retry the same call", reason=reason
    )
