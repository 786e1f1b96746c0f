"""The record: what the audit says of a verdict, an answer, a claim and an ending."""

from assent.engine.verdict import Verdict
from assent.gate.approval import Answer, Approval, Say, State
from assent.gate.audit import Entry
from assent.gate.binding import digest_of
from assent.gate.judge import Judged, Seat
from assent.gate.mark import timed

CLAIMED = "claimed"
"""The decision of a row that says who took a call, before anybody knows what came of it."""
_DECISIONS = {
    State.EXPIRED: "expired",
    State.WITHDRAWN: "withdrawn",
    State.LAPSED: "lapsed",
    State.REFUSED: "refused",
    State.DONE: "executed",
    State.FAILED: "failed",
    State.UNKNOWN: "unknown",
}


_RAN = frozenset({State.DONE, State.FAILED, State.UNKNOWN})


def verdict_entry(seat: Seat, judged: Judged, *, dry: bool = False) -> Entry:
    """The row of a verdict; it names the rule that decided, and neither its text nor any argument."""
    decision = judged.decision
    ran = decision.verdict is Verdict.RUN and not dry
    return Entry(
        id=timed(),
        user=seat.principal.user,
        agent=seat.agent,
        conversation=seat.conversation.id,
        call=judged.call.id,
        tool=judged.call.tool,
        verdict=decision.verdict.word,
        stage=decision.stage.value,
        rule=judged.origin,
        decision="automatic" if ran else "",
        mode=seat.mode_word,
        policy_version=judged.current.version,
    )


def answer_entry(approval: Approval, answer: Answer) -> Entry:
    """The row of a person's answer, in the words that tiers use."""
    return _about(
        approval,
        user=answer.by,
        decision=_said(answer),
        with_override=answer.say is Say.ALWAYS,
        reason=answer.reason if answer.say is Say.DENY else "",
    )


def ending_entry(approval: Approval) -> Entry:
    """The row of a question that ended otherwise, or of a call that ran."""
    return _about(
        approval, user=approval.owner, decision=_DECISIONS.get(approval.state, approval.state.value)
    )


def asked_again_entry(approval: Approval) -> Entry:
    """The row of a question that is put once more, because its file changed under the yes."""
    return _about(approval, user=approval.owner, decision="asked_again")


def claim_entry(approval: Approval) -> Entry:
    """The row of a call that was taken to be run."""
    return _about(approval, user=approval.owner, decision=CLAIMED)


def step_entries(before: Approval, after: Approval) -> tuple[Entry, ...]:
    """The rows of a step: an answer, a claim, an end. A store commits them with the step itself."""
    entries: list[Entry] = []
    if before.answer is None and after.answer is not None:
        entries.append(answer_entry(after, after.answer))
    if after.claim != before.claim:
        entries.append(claim_entry(after))
    if after.state is not before.state and after.state in _DECISIONS:
        entries.append(ending_entry(after))
    if before.state is State.APPROVED and after.state is State.PENDING:
        entries.append(asked_again_entry(after))
    return tuple(entries)


def _said(answer: Answer) -> str:
    if answer.yes:
        return "released" if answer.released_by else "approved"
    return "denied_with_reason" if answer.reason else "denied"


def _about(
    approval: Approval, *, user: str, decision: str, with_override: bool = False, reason: str = ""
) -> Entry:
    return Entry(
        id=timed(),
        user=user,
        agent=approval.call.agent,
        conversation=approval.call.conversation,
        call=approval.call.id,
        tool=approval.call.tool,
        verdict="",
        stage=approval.decision.stage.value,
        decision=decision,
        with_override=with_override,
        reason=reason,
        mode=approval.mode,
        approval=approval.id,
        asked_digest=approval.call_digest,
        ran_digest=_ran(approval),
    )


def _ran(approval: Approval) -> str:
    """The digest of the call that a yes is for; empty where nobody said yes."""
    if approval.answer is None or not approval.answer.yes:
        return approval.call_digest if approval.state in _RAN else ""
    if not approval.is_edited:
        return approval.call_digest
    return digest_of(approval.approved_call, approval.cwd, approval.tool)
