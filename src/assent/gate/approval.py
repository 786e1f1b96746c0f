"""An approval: a question to a person about a call, and all changes of its state."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from hmac import compare_digest
from typing import NamedTuple

from assent.engine.base.facts import Facts
from assent.engine.base.reason import text_reason
from assent.engine.base.tool import Call, Tool
from assent.engine.policy.verdict import Decision
from assent.errors import ConflictError, StateError
from assent.gate.access import Principal, Resource, SubAgent, check_can_answer
from assent.gate.answer import MAX_REASON_LENGTH, Answer, check_reason
from assent.gate.file_preview import FilePreview
from assent.gate.ids import answer_digest
from assent.gate.lease import Lease
from assent.gate.preset import Delivery

DEFAULT_USABLE_FOR = timedelta(minutes=15)
"""How long an approved call may wait before it runs."""


class State(StrEnum):
    """The state of an approval."""

    PENDING = "pending"
    APPROVED = "approved"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    DENIED = "denied"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    LAPSED = "lapsed"
    REFUSED = "refused"
    UNKNOWN = "unknown"

    @property
    def is_open(self) -> bool:
        """Whether the state is not final."""
        match self:
            case State.PENDING | State.APPROVED | State.RUNNING:
                return True
            case (
                State.DONE
                | State.FAILED
                | State.DENIED
                | State.EXPIRED
                | State.WITHDRAWN
                | State.LAPSED
                | State.REFUSED
                | State.UNKNOWN
            ):
                return False

    @property
    def is_before_run(self) -> bool:
        """Whether the call may still run but has not started."""
        return self in (State.PENDING, State.APPROVED)


OPEN_STATES = frozenset(state for state in State if state.is_open)
"""States that are not final."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A question about a call: what a person needs to answer it, its state, and its result."""

    id: str
    call: Call
    tool: Tool
    """The definition of the tool when the question was asked."""
    cwd: str
    call_digest: str
    """The digest of the call alone, without the file that was shown with it."""
    decision: Decision
    facts: Facts
    owner: str
    turn: str
    lineage: tuple[str, ...] = ()
    """The parent agents, nearest first."""
    sub_agents: tuple[SubAgent, ...] = ()
    """The sub-agents that a remote caller named, outermost first."""
    preset: str
    mode: str
    delivery: Delivery
    asked_at: datetime
    expires_at: datetime | None = None
    usable_for: timedelta = DEFAULT_USABLE_FOR
    """How long an approved call may wait before it runs."""
    state: State = State.PENDING
    boot: str = ""
    """The id of the process that waits for the answer or runs the call."""
    later_at: datetime | None = None
    """When a person postponed the approval, which stays pending."""
    answer: Answer | None = None
    answered_at: datetime | None = None
    claim: str = ""
    """The id of the claim with which a caller runs the call."""
    claim_nonce: str = ""
    """The digest of the nonce with which the same caller can claim again; empty if it sent none."""
    closed_at: datetime | None = None
    note: str = ""
    """Why the approval ended, or what the caller reported."""
    token_digest: str = ""
    preview: Mapping[str, object] | None = None
    """The result of the dry run of a proposed call."""
    file: FilePreview | None = None
    """The file that the call would change, as it was when the question was last asked."""
    lease: Lease | None = None
    """The lease of a caller that renews it while it waits; None for a caller that did not ask for one."""

    @property
    def digest(self) -> str:
        """The digest that an answer must contain: of the call and of the file shown with it."""
        return answer_digest(self.call_digest, self.file)

    @property
    def resource(self) -> Resource:
        """The resource that rights on this approval apply to."""
        return Resource(owner=self.owner, conversation=self.call.conversation, agent=self.call.agent)

    @property
    def root_agent(self) -> str:
        """The agent that a person started; calls of its sub-agents count for it."""
        return self.lineage[-1] if self.lineage else self.call.agent

    @property
    def approved_call(self) -> Call:
        """The call that may run, with the arguments that the person edited, if any."""
        if self.answer is None or self.answer.args is None:
            return self.call
        return replace(self.call, args=self.answer.args)

    @property
    def is_edited(self) -> bool:
        """Whether the person edited the arguments."""
        return self.approved_call.args != self.call.args

    @property
    def usable_until(self) -> datetime | None:
        """When an approved call that did not run lapses."""
        return None if self.answered_at is None else self.answered_at + self.usable_for


def answer(
    approval: Approval, answer: Answer, principal: Principal, digest: str, *, at: datetime
) -> Approval:
    """Answer a pending approval; the first answer wins, and the same answer again changes nothing."""
    check_can_answer(principal, approval.resource)
    answer = answer if answer.by == principal.id else replace(answer, by=principal.id)
    if approval.answer == answer and digest == approval.digest:
        return approval
    _check_state(approval, State.PENDING, "answered", at=at)
    if digest != approval.digest:
        raise ConflictError(f"approval `{approval.id}` is for a different call than the one shown")
    check_reason(answer.reason)
    if not answer.yes:
        return replace(approval, state=State.DENIED, answer=answer, answered_at=at, closed_at=at)
    return replace(approval, state=State.APPROVED, answer=answer, answered_at=at)


def release(approval: Approval, answer: Answer, *, at: datetime) -> Approval:
    """Approve a pending approval because the answer to another approval covers it."""
    _check_state(approval, State.PENDING, "released", at=at)
    return replace(approval, state=State.APPROVED, answer=answer, answered_at=at)


def postpone(approval: Approval, principal: Principal, *, at: datetime) -> Approval:
    """Mark an approval for later; it stays pending."""
    check_can_answer(principal, approval.resource)
    _check_state(approval, State.PENDING, "put off", at=at)
    return replace(approval, later_at=at)


def claim(approval: Approval, claim: str, boot: str, *, at: datetime, nonce: str = "") -> Approval:
    """Claim an approved call to run it; a second claim is refused."""
    if claim and approval.claim == claim and approval.state is State.RUNNING:
        return approval
    _check_state(approval, State.APPROVED, "run", at=at)
    return replace(approval, state=State.RUNNING, claim=claim, claim_nonce=nonce, boot=boot)


def reclaim(approval: Approval, claim: str, boot: str, *, at: datetime, nonce: str = "") -> Approval:  # noqa: ARG001
    """Return the same claim to a caller that lost the first reply and has not reported yet."""
    if not is_own_claim(approval, nonce):
        raise StateError(approval.id, approval.state, "run")
    return approval if approval.boot == boot else replace(approval, boot=boot)


def is_own_claim(approval: Approval, nonce: str) -> bool:
    """Whether a call was claimed with this nonce and its result was not reported yet."""
    is_same = bool(nonce) and compare_digest(approval.claim_nonce, nonce)
    return is_same and approval.state is State.RUNNING


FILE_CHANGED = "the file has changed since it was shown"
"""The reason to withhold a claim when the file of its call has changed."""


def can_claim(approval: Approval, nonce: str) -> bool:
    """Whether a caller with this nonce may claim the call: it is approved, or claimed by this caller."""
    return approval.state is State.APPROVED or is_own_claim(approval, nonce)


def withhold(approval: Approval, why: str) -> Approval:
    """Refuse to return a claim a second time, because the call may no longer run.

    The first reply may have reached the caller, so it is unknown whether the call ran; a report still settles
    it.
    """
    note = f"not handed out again ({why}): check whether it ran"
    if approval.state is State.UNKNOWN and approval.note == note:
        return approval
    if approval.state is not State.RUNNING:
        raise StateError(approval.id, approval.state, "withheld")
    return replace(approval, state=State.UNKNOWN, note=note)


def claim_pending(approval: Approval, claim: str, boot: str, *, at: datetime, nonce: str = "") -> Approval:
    """Claim a pending call that needs no answer: a proposal that policy allows, or a call that was paused."""
    if claim and approval.claim == claim and approval.state is State.RUNNING:
        return approval
    _check_state(approval, State.PENDING, "run", at=at)
    return replace(approval, state=State.RUNNING, claim=claim, claim_nonce=nonce, boot=boot)


def extend_after_pause(approval: Approval, *, at: datetime) -> Approval:
    """Give an approved call its full time again after a pause."""
    if approval.state is not State.APPROVED or approval.answered_at is None:
        return approval
    return replace(
        approval, usable_for=max(approval.usable_for, at - approval.answered_at + DEFAULT_USABLE_FOR)
    )


def start_expiry(approval: Approval, expires_at: datetime | None, *, at: datetime) -> Approval:
    """Start the expiry of a question that only a pause delayed."""
    _check_state(approval, State.PENDING, "asked", at=at)
    return approval if approval.expires_at is not None else replace(approval, expires_at=expires_at)


def ask_again(
    approval: Approval, file: FilePreview, expires_at: datetime | None, *, at: datetime
) -> Approval:
    """Ask again about an approved call, because its file changed after the answer."""
    _check_state(approval, State.APPROVED, "asked again", at=at)
    return replace(
        approval,
        state=State.PENDING,
        file=file,
        answer=None,
        answered_at=None,
        expires_at=expires_at,
        usable_for=DEFAULT_USABLE_FOR,
        later_at=None,
    )


def refuse(approval: Approval, why: str, *, at: datetime) -> Approval:
    """Refuse a call that policy no longer allows."""
    now = end_if_due(approval, at=at, alive=True)
    if not now.state.is_before_run:
        raise StateError(approval.id, now.state, "refused")
    return replace(approval, state=State.REFUSED, note=why, closed_at=at)


def report(approval: Approval, claim: str, *, failed: bool, note: str, at: datetime) -> Approval:
    """Record the result of a call; only the caller that claimed it can report, and once."""
    state = State.FAILED if failed else State.DONE
    if approval.claim == claim and approval.state is state:
        return approval
    if not claim or approval.claim != claim:
        raise StateError(approval.id, approval.state, "reported with this claim")
    if approval.state not in (State.RUNNING, State.UNKNOWN):
        raise StateError(approval.id, approval.state, "reported")
    return replace(approval, state=state, note=note[:MAX_REASON_LENGTH], claim_nonce="", closed_at=at)


def withdraw(approval: Approval, why: str, *, at: datetime) -> Approval:
    """Withdraw an approval because its caller is gone; a call that has not started never runs."""
    if approval.state.is_before_run:
        return replace(approval, state=State.WITHDRAWN, note=why, closed_at=at)
    return approval


def attach_to_process(approval: Approval, boot: str, *, at: datetime, paused: bool = False) -> Approval:
    """Record that a caller waits again, possibly in another process."""
    now = end_if_due(approval, at=at, alive=True, paused=paused)
    return replace(now, boot=boot) if now.state.is_before_run else now


def renew_lease(approval: Approval, *, at: datetime, paused: bool = False) -> Approval:
    """Renew the lease of a caller that waits; an approval that is over ends instead."""
    now = end_if_due(approval, at=at, alive=True, paused=paused)
    if now is not approval or approval.lease is None or not approval.state.is_before_run:
        return now
    return replace(approval, lease=approval.lease.renew(at=at))


def end_if_due(approval: Approval, *, at: datetime, alive: bool, paused: bool = False) -> Approval:
    """End an approval that expired or whose caller is gone; otherwise return it unchanged.

    `alive` is false when the process sends no heartbeats. An approved call does not lapse while all agents
    are `paused`, because it cannot run. A lease replaces the heartbeats: its caller can wait in
    another process after a restart.
    """
    if approval.state is State.PENDING and approval.expires_at is not None and approval.expires_at <= at:
        return replace(approval, state=State.EXPIRED, note="nobody answered in time", closed_at=at)
    until = approval.usable_until
    if approval.state is State.APPROVED and until is not None and until <= at and not paused:
        return replace(
            approval, state=State.LAPSED, note="the approved call did not run in time", closed_at=at
        )
    lease = approval.lease
    if lease is not None and lease.has_lapsed(at=at) and approval.state.is_before_run:
        return withdraw(approval, "its caller stopped waiting", at=at)
    if alive:
        return approval
    if approval.state is State.RUNNING:
        return replace(
            approval, state=State.UNKNOWN, note="the process that ran it is gone: check what it did"
        )
    if approval.delivery.needs_live_caller and lease is None:
        return withdraw(approval, "the process that asked is gone", at=at)
    return approval


def approval_after_restore(approval: Approval) -> Approval:
    """The approval after a backup was restored: an approved or running call becomes `unknown`."""
    if approval.state not in (State.APPROVED, State.RUNNING):
        return approval
    return replace(
        approval, state=State.UNKNOWN, note="the database was restored from a backup: check what it did"
    )


def without_arguments(approval: Approval) -> Approval:
    """The approval without the arguments of its call; names, stage, digest and final state stay."""
    answer = approval.answer
    said_by_tool = approval.state in (State.DONE, State.FAILED)
    return replace(
        approval,
        call=replace(approval.call, args={}),
        decision=approval.decision._replace(
            reason=text_reason(""), steps=(), part=None, pieces=(), irreversible=(), inputs=()
        ),
        facts=Facts(directories=approval.facts.directories),
        answer=None if answer is None else replace(answer, rules=(), args=None),
        note="" if said_by_tool else approval.note,
        preview=None,
        file=None,
    )


def ended_at(approval: Approval) -> datetime | None:
    """When the approval ended; None while it is open."""
    if approval.state.is_open:
        return None
    return approval.closed_at or approval.answered_at or approval.asked_at


MAX_WHOLE_BYTES = 8_000
"""The maximum size of an approval that lists show completely."""
MAX_EXCERPT_BYTES = 64_000
"""The maximum size of an excerpt."""


class Excerpt(NamedTuple):
    """An approval as lists show it. A person can allow a call only after loading all of it.

    INVARIANT: the arguments of a clipped excerpt are only shown, never matched, decided or run.
    """

    approval: Approval
    size: int
    """Bytes of the whole approval."""
    clipped: bool = False
    """Whether parts of the call are left out; load the approval by its id for the rest."""


class ExcerptPage(NamedTuple):
    """A page of excerpts, and the cursor of the next page (empty at the end)."""

    excerpts: tuple[Excerpt, ...]
    after: str = ""


def _check_state(approval: Approval, state: State, wanted: str, *, at: datetime) -> None:
    """Raise `StateError` for another state; an expired approval counts as expired before a sweep."""
    now = end_if_due(approval, at=at, alive=True)
    if now.state is not state:
        by = approval.answer.by if approval.answer is not None else ""
        raise StateError(approval.id, now.state, wanted, by=by)
