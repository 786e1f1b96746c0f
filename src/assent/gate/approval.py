"""An approval: a question put to a person, and the few ways it may move."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from hmac import compare_digest

from assent.engine.facts import Facts
from assent.engine.model import Call, Tool
from assent.engine.verdict import Decision
from assent.errors import ConflictError, InputError, MovedOnError
from assent.gate.access import Principal, Subject, check_answer
from assent.gate.binding import answer_digest
from assent.gate.filepreview import FilePreview
from assent.gate.preset import Delivery, Lifetime, Scope

LONGEST_REASON = 2000
USABLE_FOR = timedelta(minutes=15)


class State(StrEnum):
    """Where an approval stands."""

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


OPEN = frozenset({State.PENDING, State.APPROVED, State.RUNNING})
"""States that something can still come of by itself."""


class Say(StrEnum):
    """What a person can say to a question."""

    ONCE = "once"
    CONVERSATION = "conversation"
    ALWAYS = "always"
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a person said, and how far it is to reach."""

    say: Say
    by: str = ""
    reason: str = ""
    rules: tuple[str, ...] = ()
    """The rules that "always" writes; none means the exact call."""
    scope: Scope | None = None
    lifetime: Lifetime | None = None
    until: datetime | None = None
    uses: int | None = None
    args: Mapping[str, object] | None = None
    """Other arguments, which the person prefers; they are decided again."""
    released_by: str = ""
    """The question whose answer covered this one, too."""

    @property
    def yes(self) -> bool:
        """Whether the call may run."""
        return self.say is not Say.DENY


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A question, everything a person needs to answer it, and what became of it."""

    id: str
    call: Call
    tool: Tool
    """The tool as it was defined when the question was asked."""
    cwd: str
    call_digest: str
    """The same call has the same one, whatever file it was shown against."""
    decision: Decision
    facts: Facts
    owner: str
    turn: str
    lineage: tuple[str, ...] = ()
    """The agents that started this one, nearest first."""
    preset: str
    mode: str
    delivery: Delivery
    asked_at: datetime
    expires_at: datetime | None = None
    usable_for: timedelta = USABLE_FOR
    """How long a yes may be used."""
    state: State = State.PENDING
    boot: str = ""
    """The process that waits for the answer, or that runs the call."""
    later_at: datetime | None = None
    """When somebody put it off; it is still pending."""
    answer: Answer | None = None
    answered_at: datetime | None = None
    claim: str = ""
    """The mark of the one who took it to run it."""
    claim_nonce: str = ""
    """The digest of the nonce by which that one may ask for the claim again; empty where there is none."""
    closed_at: datetime | None = None
    note: str = ""
    """Why it ended as it did, or what came out of it."""
    token_digest: str = ""
    preview: Mapping[str, object] | None = None
    """What a dry run said would happen, for a call that is proposed."""
    file: FilePreview | None = None
    """The file that the call would change, as it was when the question was asked, or asked again."""

    @property
    def digest(self) -> str:
        """What an answer must show: the digest of the call, and of the file that it was shown against."""
        return answer_digest(self.call_digest, self.file)

    @property
    def subject(self) -> Subject:
        """What rights on this approval are about."""
        return Subject(owner=self.owner, conversation=self.call.conversation, agent=self.call.agent)

    @property
    def root_agent(self) -> str:
        """The agent that a person started: what its sub-agents ask is asked for it."""
        return self.lineage[-1] if self.lineage else self.call.agent

    @property
    def approved_call(self) -> Call:
        """The call that may run: with the person's own arguments, if they gave any."""
        if self.answer is None or self.answer.args is None:
            return self.call
        return replace(self.call, args=self.answer.args)

    @property
    def is_edited(self) -> bool:
        """Whether the person who allowed the call gave it other arguments."""
        return self.approved_call.args != self.call.args

    @property
    def usable_until(self) -> datetime | None:
        """When a yes lapses."""
        return None if self.answered_at is None else self.answered_at + self.usable_for


def check_reason(reason: str) -> None:
    """Refuse a reason that could not be kept whole; the question stays open for a shorter one."""
    if len(reason) > LONGEST_REASON:
        raise InputError(f"the reason is longer than {LONGEST_REASON} characters")


def answered(
    approval: Approval, answer: Answer, principal: Principal, digest: str, *, at: datetime
) -> Approval:
    """Answer a question that is still open; the first answer wins, the same one twice is one."""
    check_answer(principal, approval.subject)
    answer = answer if answer.by == principal.id else replace(answer, by=principal.id)
    if approval.answer == answer and digest == approval.digest:
        return approval
    _must_be(approval, State.PENDING, "answered", at=at)
    if digest != approval.digest:
        raise ConflictError(f"approval `{approval.id}` is about another call than the one that was shown")
    check_reason(answer.reason)
    if not answer.yes:
        return replace(approval, state=State.DENIED, answer=answer, answered_at=at, closed_at=at)
    return replace(approval, state=State.APPROVED, answer=answer, answered_at=at)


def released(approval: Approval, answer: Answer, *, at: datetime) -> Approval:
    """Approve a question that the answer to another one covers, too."""
    _must_be(approval, State.PENDING, "released", at=at)
    return replace(approval, state=State.APPROVED, answer=answer, answered_at=at)


def put_off(approval: Approval, principal: Principal, *, at: datetime) -> Approval:
    """Say "later": it stays pending, and out of the way."""
    check_answer(principal, approval.subject)
    _must_be(approval, State.PENDING, "put off", at=at)
    return replace(approval, later_at=at)


def claimed(approval: Approval, claim: str, boot: str, *, at: datetime, nonce: str = "") -> Approval:
    """Take an approved call to run it; whoever comes second is refused, unless they know the nonce."""
    if claim and approval.claim == claim and approval.state is State.RUNNING:
        return approval
    _must_be(approval, State.APPROVED, "run", at=at)
    return replace(approval, state=State.RUNNING, claim=claim, claim_nonce=nonce, boot=boot)


def claimed_again(approval: Approval, claim: str, boot: str, *, at: datetime, nonce: str = "") -> Approval:  # noqa: ARG001
    """Give a caller that lost the reply to its claim the same claim, until it reports."""
    if not is_own_claim(approval, nonce):
        raise MovedOnError(approval.id, approval.state, "run")
    return approval if approval.boot == boot else replace(approval, boot=boot)


def is_own_claim(approval: Approval, nonce: str) -> bool:
    """Whether a call was taken with this nonce, and nobody has reported on it."""
    is_same = bool(nonce) and compare_digest(approval.claim_nonce, nonce)
    return is_same and approval.state is State.RUNNING


def can_take(approval: Approval, nonce: str) -> bool:
    """Whether a caller with this nonce may have the call: it is approved, or this caller took it already."""
    return approval.state is State.APPROVED or is_own_claim(approval, nonce)


def withheld(approval: Approval, why: str) -> Approval:
    """Give a claim no second time, because the call may no longer run.

    The first reply may have reached its caller after all, so nobody knows whether the call ran; a report
    still says.
    """
    note = f"not handed out again ({why}): check whether it ran"
    if approval.state is State.UNKNOWN and approval.note == note:
        return approval
    if approval.state is not State.RUNNING:
        raise MovedOnError(approval.id, approval.state, "withheld")
    return replace(approval, state=State.UNKNOWN, note=note)


def taken_automatically(
    approval: Approval, claim: str, boot: str, *, at: datetime, nonce: str = ""
) -> Approval:
    """Take a call that policy lets run without a person: one that was proposed, or that a pause held."""
    if claim and approval.claim == claim and approval.state is State.RUNNING:
        return approval
    _must_be(approval, State.PENDING, "run", at=at)
    return replace(approval, state=State.RUNNING, claim=claim, claim_nonce=nonce, boot=boot)


def revived(approval: Approval, *, at: datetime) -> Approval:
    """A yes that was kept over a pause may be used for its whole time from its end on."""
    if approval.state is not State.APPROVED or approval.answered_at is None:
        return approval
    return replace(approval, usable_for=max(approval.usable_for, at - approval.answered_at + USABLE_FOR))


def asked_on(approval: Approval, expires_at: datetime | None, *, at: datetime) -> Approval:
    """A question that only a pause held is for a person now, and time runs for it."""
    _must_be(approval, State.PENDING, "asked", at=at)
    return approval if approval.expires_at is not None else replace(approval, expires_at=expires_at)


def asked_again(
    approval: Approval, file: FilePreview, expires_at: datetime | None, *, at: datetime
) -> Approval:
    """Ask once more about an approved call: the file changed since somebody looked, so the yes is void."""
    _must_be(approval, State.APPROVED, "asked again", at=at)
    return replace(
        approval,
        state=State.PENDING,
        file=file,
        answer=None,
        answered_at=None,
        expires_at=expires_at,
        usable_for=USABLE_FOR,
        later_at=None,
    )


def refused(approval: Approval, why: str, *, at: datetime) -> Approval:
    """Stop a call that was decided again and may no longer run."""
    now = settled(approval, at=at, alive=True)
    if now.state not in (State.PENDING, State.APPROVED):
        raise MovedOnError(approval.id, now.state, "refused")
    return replace(approval, state=State.REFUSED, note=why, closed_at=at)


def reported(approval: Approval, claim: str, *, failed: bool, note: str, at: datetime) -> Approval:
    """Write down what came of a call that ran; only whoever ran it can tell, and once."""
    state = State.FAILED if failed else State.DONE
    if approval.claim == claim and approval.state is state:
        return approval
    if not claim or approval.claim != claim:
        raise MovedOnError(approval.id, approval.state, "reported with this claim")
    if approval.state not in (State.RUNNING, State.UNKNOWN):
        raise MovedOnError(approval.id, approval.state, "reported")
    return replace(approval, state=state, note=note[:LONGEST_REASON], claim_nonce="", closed_at=at)


def withdrawn(approval: Approval, why: str, *, at: datetime) -> Approval:
    """Take a question back because its caller is gone; a call that was not started never runs."""
    if approval.state in (State.PENDING, State.APPROVED):
        return replace(approval, state=State.WITHDRAWN, note=why, closed_at=at)
    return approval


def attached(approval: Approval, boot: str, *, at: datetime, paused: bool = False) -> Approval:
    """A caller that had lost its question waits for the answer again, perhaps in another process."""
    settled_now = settled(approval, at=at, alive=True, paused=paused)
    return (
        replace(settled_now, boot=boot)
        if settled_now.state in (State.PENDING, State.APPROVED)
        else settled_now
    )


def settled(approval: Approval, *, at: datetime, alive: bool, paused: bool = False) -> Approval:
    """What time alone made of it; `alive` says whether the process behind it was heard of lately.

    A yes does not lapse while everything is `paused`: nobody could use it.
    """
    if approval.state is State.PENDING and approval.expires_at is not None and approval.expires_at <= at:
        return replace(approval, state=State.EXPIRED, note="nobody answered in time", closed_at=at)
    until = approval.usable_until
    if approval.state is State.APPROVED and until is not None and until <= at and not paused:
        return replace(approval, state=State.LAPSED, note="the yes was not used in time", closed_at=at)
    if alive:
        return approval
    if approval.state is State.RUNNING:
        return replace(
            approval, state=State.UNKNOWN, note="the process that ran it is gone: check what it did"
        )
    if approval.delivery is Delivery.WAIT:
        return withdrawn(approval, "the process that asked is gone", at=at)
    return approval


def restored(approval: Approval) -> Approval:
    """What a backup makes of it: whether it ran after the backup was made, nobody knows."""
    if approval.state not in (State.APPROVED, State.RUNNING):
        return approval
    return replace(
        approval, state=State.UNKNOWN, note="the database was restored from a backup: check what it did"
    )


def scrubbed(approval: Approval) -> Approval:
    """The same without what was in the call: who, which tool, the stage, the digest and the end stay."""
    answer = approval.answer
    said_by_tool = approval.state in (State.DONE, State.FAILED)
    return replace(
        approval,
        call=replace(approval.call, args={}),
        decision=approval.decision._replace(
            because="", steps=(), part=None, pieces=(), irreversible=(), inputs=()
        ),
        facts=Facts(place=approval.facts.place),
        answer=None if answer is None else replace(answer, rules=(), args=None),
        note="" if said_by_tool else approval.note,
        preview=None,
        file=None,
    )


def ended_at(approval: Approval) -> datetime | None:
    """Since when nothing can come of it by itself any more; None while it is open."""
    if approval.state in OPEN:
        return None
    return approval.closed_at or approval.answered_at or approval.asked_at


def _must_be(approval: Approval, state: State, wanted: str, *, at: datetime) -> None:
    """Refuse a step from any other state; time counts whether or not anybody swept."""
    now = settled(approval, at=at, alive=True)
    if now.state is not state:
        by = approval.answer.by if approval.answer is not None else ""
        raise MovedOnError(approval.id, now.state, wanted, by=by)
