"""Checks the rights for each change of policy, people and conversations, and makes audit rows and events."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol, TypeVar

from assent.engine.policy.verdict import Verdict
from assent.errors import NotFoundError
from assent.gate.access import Principal, sub_agents_to_text
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, Excerpt, State
from assent.gate.audit import Entry, Link
from assent.gate.calls import DecidedCall, TurnContext
from assent.gate.events import EventKind
from assent.gate.ids import digest_of_call, time_ordered_id
from assent.gate.policy import StoredGrant, StoredRule
from assent.gate.store import ToolTier
from assent.gate.workspaces import RegisteredWorkspace

T = TypeVar("T")
RightCheck = Callable[[Principal], None]
"""Raises `ForbiddenError` or `NotFoundError` where a principal lacks the right."""
CLAIM_DECISION = "claimed"
"""The `decision` of the audit row that is written when a call is claimed."""
_ALLOWED_STATES = frozenset({State.APPROVED, State.RUNNING, State.DONE, State.FAILED, State.UNKNOWN})
"""The states of calls that ran or may run."""


class AuditRecorder(Protocol):
    """The part of a store that records audit entries."""

    def record(self, entry: Entry) -> None:
        """Queue an audit entry; never waits and never fails."""
        ...


@dataclass(frozen=True, slots=True)
class AuthorizedChange:
    """A change whose rights were checked; `authorize` creates it."""

    recorder: AuditRecorder
    by: str

    async def write(self, writing: Awaitable[T], *entries: Entry) -> T:
        """Await a write, then record its audit entries; a failed write leaves no audit row."""
        result = await writing
        self.record(*entries)
        return result

    def record(self, *entries: Entry) -> None:
        """Record audit entries that depend on the result of a write."""
        for entry in entries:
            self.recorder.record(entry)


def authorize(recorder: AuditRecorder, principal: Principal, *rights: RightCheck) -> AuthorizedChange:
    """Check the rights of a principal before a change.

    INVARIANT: only modules of `assent.gate` call the methods of a store that change something, and they
    do so through an `AuthorizedChange`, so that each change has its right and its audit row.
    """
    for right in rights:
        right(principal)
    return AuthorizedChange(recorder, principal.id)


class ChangeKind(StrEnum):
    """The kind of a change: the `decision` of an audit row that belongs to no call."""

    PAUSED = "paused"
    RESUMED = "resumed"
    PERSON_ADDED = "person_added"
    PERSON_DISABLED = "person_disabled"
    PERSON_ENABLED = "person_enabled"
    ADMINISTRATOR_MADE = "administrator_made"
    ADMINISTRATOR_ENDED = "administrator_ended"
    ROLE_GIVEN = "role_given"
    ROLE_TAKEN = "role_taken"
    TOKEN_MADE = "token_made"
    TOKEN_ENDED = "token_ended"
    PAGE_MADE = "page_made"
    PAGE_ENDED = "page_ended"
    LINK_MADE = "link_made"
    LINK_ENDED = "link_ended"
    SESSION_MADE = "session_made"
    SESSION_ENDED = "session_ended"
    RULE_WRITTEN = "rule_written"
    RULE_ENDED = "rule_ended"
    GRANT_GIVEN = "grant_given"
    GRANT_ENDED = "grant_ended"
    TIERS_SET = "tiers_set"
    TOOLS_DECLARED = "tools_declared"
    DEFINITION_ACCEPTED = "definition_accepted"
    RULES_MOVED = "rules_moved"
    """The rules and tiers of a renamed tool were moved to its new name."""
    WORKSPACE_ADDED = "workspace_added"
    WORKSPACE_REMOVED = "workspace_removed"
    SETTING_CHANGED = "setting_changed"
    MODE_CHANGED = "mode_changed"
    CONVERSATION_CHANGED = "conversation_changed"
    """The title or the model of a conversation was changed."""
    CHAIN_CLOSED = "chain_closed"
    """Another process closed the audit chain of a crashed process."""
    DATABASE_RESTORED = "database_restored"


CHANGES = frozenset(one.value for one in ChangeKind)
"""All values of `ChangeKind`."""


def change_entry(
    by: str,
    what: ChangeKind,
    about: str = "",
    *,
    agent: str = "",
    conversation: str = "",
    rule: str = "",
    mode: str = "",
) -> Entry:
    """The audit row of a change; `about` names the changed object, never a secret or the text of a rule."""
    return Entry(
        id=time_ordered_id(),
        user=by,
        agent=agent,
        conversation=conversation,
        call="",
        tool="",
        verdict="",
        rule=rule,
        decision=what.value,
        reason=about,
        mode=mode,
    )


def rule_entry(what: ChangeKind, rule: StoredRule, by: str) -> Entry:
    """The audit row of a rule: its list, its tool and its id, but not its text."""
    return change_entry(
        by, what, f"{rule.list.value} {_tool_name(rule.text)}", rule=rule.id, **_scope_fields(rule)
    )


def grant_entry(what: ChangeKind, grant: StoredGrant, by: str) -> Entry:
    """The audit row of a grant that is given or revoked."""
    whose = f" for {grant.user}" if grant.user else ""
    return change_entry(
        by, what, f"{_tool_name(grant.pattern)}{whose}", rule=grant.id, **_scope_fields(grant)
    )


def revoked_entry(given: StoredRule | StoredGrant, by: str) -> Entry:
    """The audit row of a revoked rule or grant."""
    if isinstance(given, StoredRule):
        return rule_entry(ChangeKind.RULE_ENDED, given, by)
    return grant_entry(ChangeKind.GRANT_ENDED, given, by)


def tiers_entry(agent: str, tool_tiers: Sequence[ToolTier], by: str, *, cleared: Sequence[str] = ()) -> Entry:
    """The audit row of all tiers that were set or cleared for an agent."""
    parts = [f"{one.tool}: {one.assignment.tier.value}" for one in tool_tiers]
    parts += [f"{tool}: not set" for tool in cleared]
    return change_entry(by, ChangeKind.TIERS_SET, ", ".join(parts), agent=agent)


def workspace_entry(what: ChangeKind, workspace: RegisteredWorkspace, by: str) -> Entry:
    """The audit row of a workspace that is added or removed."""
    kind = "remote" if workspace.remote else "local"
    return change_entry(by, what, f"{kind} {workspace.root}", agent=workspace.agent)


def verdict_entry(context: TurnContext, decided: DecidedCall) -> Entry:
    """The audit row of a verdict; it names the rule that decided, never its text or an argument."""
    decision = decided.decision
    return Entry(
        id=time_ordered_id(),
        user=context.principal.user,
        agent=context.agent,
        conversation=context.conversation.id,
        call=decided.call.id,
        tool=decided.call.tool,
        verdict=decision.verdict.word,
        stage=decision.stage.value,
        rule=decided.rule_origin,
        decision="automatic" if decision.verdict is Verdict.RUN else "",
        mode=context.mode_name,
        policy_version=decided.policy.version,
        sub_agents=sub_agents_to_text(context.sub_agents),
    )


def answer_entry(approval: Approval, answer: Answer) -> Entry:
    """The audit row of a person's answer."""
    return _approval_entry(
        approval,
        user=answer.by,
        decision=_answer_decision(answer),
        with_override=answer.say is Say.ALWAYS,
        reason=answer.reason if answer.say is Say.DENY else "",
    )


def ending_entry(approval: Approval) -> Entry:
    """The audit row of an approval that ended without an answer, or of a call that ran."""
    return _approval_entry(approval, user=approval.owner, decision=_end_decision(approval.state))


def asked_again_entry(approval: Approval) -> Entry:
    """The audit row of an approval that is asked again because its file changed after the answer."""
    return _approval_entry(approval, user=approval.owner, decision="asked_again")


def claim_entry(approval: Approval) -> Entry:
    """The audit row of a claimed call."""
    return _approval_entry(approval, user=approval.owner, decision=CLAIM_DECISION)


def step_entries(before: Approval, after: Approval) -> tuple[Entry, ...]:
    """The audit rows of one change of an approval; a store commits them together with the change."""
    entries: list[Entry] = []
    if before.answer is None and after.answer is not None:
        entries.append(answer_entry(after, after.answer))
    if after.claim != before.claim:
        entries.append(claim_entry(after))
    if after.state is not before.state and _end_decision(after.state):
        entries.append(ending_entry(after))
    if before.state is State.APPROVED and after.state is State.PENDING:
        entries.append(asked_again_entry(after))
    return tuple(entries)


def event_kinds(before: Approval | None, after: Approval) -> tuple[EventKind, ...]:
    """The kinds of events for one change of an approval; none for a change that concerns only its caller."""
    if before is None:
        return (EventKind.ASKED,)
    if before.state is after.state:
        return (EventKind.LATER,) if before.later_at != after.later_at else ()
    match after.state:
        case State.PENDING:
            return (EventKind.ASKED,)
        case State.APPROVED | State.DENIED:
            return (_answer_kind(after),)
        case (
            State.RUNNING
            | State.DONE
            | State.FAILED
            | State.EXPIRED
            | State.WITHDRAWN
            | State.LAPSED
            | State.REFUSED
            | State.UNKNOWN
        ):
            end = EventKind(after.state.value)
    # A proposal is answered and claimed in one change.
    return (_answer_kind(after), end) if before.answer is None and after.answer is not None else (end,)


class CallRecord(NamedTuple):
    """The arguments of an audited call; the audit row itself has only digests."""

    asked: Mapping[str, object]
    ran: Mapping[str, object] | None
    """The arguments that ran, possibly edited by a person; None where the call was not allowed."""
    clipped: bool = False
    """Whether the values are shortened because they are too large for a list."""


def call_record(excerpt: Excerpt) -> CallRecord | None:
    """The call of an approval; None after its arguments were deleted."""
    approval = excerpt.approval
    # Every approval has at least one step; the steps are deleted together with the arguments.
    if not approval.decision.steps:
        return None
    ran = approval.approved_call.args if approval.state in _ALLOWED_STATES else None
    return CallRecord(approval.call.args, ran, excerpt.clipped)


async def call_records(
    load_excerpt: Callable[[str], Awaitable[Excerpt]], links: Iterable[Link]
) -> Mapping[str, CallRecord]:
    """The arguments of audited calls by approval id, except where `load_excerpt` refuses."""
    ids = list(dict.fromkeys(link.entry.approval for link in links if link.entry.approval))
    found = await asyncio.gather(*(_record_if_visible(load_excerpt, id_) for id_ in ids))
    return {id_: one for id_, one in zip(ids, found, strict=True) if one is not None}


def _tool_name(text: str) -> str:
    """The tool of a rule; the rest of the text may repeat arguments of a call."""
    return text.partition("(")[0]


def _scope_fields(given: StoredRule | StoredGrant) -> dict[str, str]:
    return {"agent": given.agent or "", "conversation": given.conversation or ""}


def _end_decision(state: State) -> str:
    """The audit decision for this final state; empty for a state that needs no row of its own."""
    match state:
        case State.DONE:
            return "executed"
        case State.EXPIRED | State.WITHDRAWN | State.LAPSED | State.REFUSED | State.FAILED | State.UNKNOWN:
            return state.value
        case State.PENDING | State.APPROVED | State.RUNNING | State.DENIED:
            return ""


def _answer_decision(answer: Answer) -> str:
    if answer.yes:
        return "released" if answer.released_by else "approved"
    return "denied_with_reason" if answer.reason else "denied"


def _approval_entry(
    approval: Approval, *, user: str, decision: str, with_override: bool = False, reason: str = ""
) -> Entry:
    return Entry(
        id=time_ordered_id(),
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
        ran_digest=_allowed_call_digest(approval),
        sub_agents=sub_agents_to_text(approval.sub_agents),
    )


def _allowed_call_digest(approval: Approval) -> str:
    """The digest of the allowed call; empty where the call was not allowed."""
    if approval.answer is None or not approval.answer.yes:
        ran = approval.state in (State.DONE, State.FAILED, State.UNKNOWN)
        return approval.call_digest if ran else ""
    if not approval.is_edited:
        return approval.call_digest
    return digest_of_call(approval.approved_call, approval.cwd, approval.tool)


def _answer_kind(approval: Approval) -> EventKind:
    released = approval.answer is not None and approval.answer.released_by
    return EventKind.RELEASED if released else EventKind.ANSWERED


async def _record_if_visible(
    load_excerpt: Callable[[str], Awaitable[Excerpt]], id_: str
) -> CallRecord | None:
    try:
        return call_record(await load_excerpt(id_))
    except NotFoundError:
        return None
