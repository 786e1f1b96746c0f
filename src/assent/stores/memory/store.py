"""A store in memory: for tests, and for programs whose approvals may end with the process."""

import asyncio
import json
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from assent.engine.policy.snapshot import TierSetting
from assent.errors import ConflictError, NotFoundError, StoreError
from assent.gate.approval import (
    Approval,
    Excerpt,
    ExcerptPage,
    State,
    end_if_due,
    ended_at,
    extend_after_pause,
    without_arguments,
)
from assent.gate.audit import CHAIN_START_HASH, BucketSize, Entry, Link, RuleHits, Tally, link_entry
from assent.gate.changes import step_entries
from assent.gate.conversation import CHANGEABLE_FIELDS, Conversation, merge_fields
from assent.gate.ids import canonical_json, new_id
from assent.gate.policy import Moment, PolicyKey, StoredGrant, StoredPolicy, StoredRule
from assent.gate.question import Limits
from assent.gate.store import (
    ALL_ENTRIES,
    ApprovalChange,
    ApprovalFilter,
    ApprovalPage,
    AuditFilter,
    Counters,
    MakeApproval,
    ToolTier,
    ToolUse,
)
from assent.stores.memory import queries as memory_tally
from assent.stores.memory.people import MemoryChat, MemoryPeople
from assent.stores.memory.policy import MemoryLiveState, MemoryPolicy
from assent.stores.memory.queries import (
    count_pending_load,
    find_tool_uses,
    matches_filter,
    matches_search,
    take_page,
)
from assent.stores.sql.approval_rows import question_size
from assent.stores.sql.statement import Clock, HostClock
from assent.wire.excerpt import make_excerpt


class MemoryStore(MemoryPeople, MemoryLiveState, MemoryChat, MemoryPolicy):
    """A store in memory; no method awaits during a change, so each change is atomic."""

    def __init__(self, *, clock: Clock | None = None) -> None:
        MemoryPeople.__init__(self, self._current_time)
        MemoryLiveState.__init__(self, self._current_time)
        MemoryChat.__init__(self, self._current_time)
        MemoryPolicy.__init__(self, self._current_time)
        self._clock = clock or HostClock()
        self._boot = new_id()
        self._secret = secrets.token_bytes(32)
        self._latest = self._clock()
        self._approvals: dict[str, Approval] = {}
        self._pending_sizes: dict[str, int] = {}
        self._waiting: dict[str, set[asyncio.Future[None]]] = {}
        self._scrubbed: set[str] = set()
        self._conversations: dict[str, Conversation] = {}
        self._audit: list[Link] = []
        self._seen = {self._boot: self._latest}
        self._closed_error = False

    @property
    def upgraded_from(self) -> str:
        """Empty: a store in memory is always new."""
        return ""

    @property
    def boot(self) -> str:
        """The random id of this store."""
        return self._boot

    @property
    def secret(self) -> bytes:
        """The random secret of this store."""
        return self._secret

    # ---- policy ---------------------------------------------------------------------------------

    async def stored_policy(self, about: PolicyKey) -> StoredPolicy:
        """The current policy."""
        at, version, _ = await self.moment()
        return StoredPolicy(
            version=version,
            at=at,
            tiers=_tiers_of_agent(self._tiers.values(), about.agent),
            rules=tuple(rule for rule in self._active_rules() if _is_in_scope(rule, about)),
            grants=tuple(grant for grant in self._active_grants() if _is_in_scope(grant, about)),
            pins={key: pin.digest for key, pin in self._pins.items()},
            reviewed={key: pin.digest for key, pin in self._pins.items() if pin.accepted_by},
            conversation=self._conversations.get(about.conversation),
            paused=self._paused,
            declarations_version=self._declared_at,
            start_mode=self._start_mode,
            workspaces=self._workspaces_of(about.agent),
        )

    async def moment(self) -> Moment:
        """The time and the policy version."""
        return Moment(self._current_time(), self._version, self._paused is not None)

    async def save_conversation(
        self, conversation: Conversation, *, fields: Collection[str] = CHANGEABLE_FIELDS
    ) -> Conversation:
        """Create a conversation, or write the named fields of mode, title and model."""
        now = self._current_time()
        known = self._conversations.get(conversation.id)
        if known is None:
            saved = replace(conversation, at=now)
        else:
            saved = merge_fields(known, conversation, fields)
            if known.mode != saved.mode:
                self._increment_version()
        self._conversations[saved.id] = saved
        return saved

    async def conversation(self, id: str) -> Conversation | None:
        """The conversation with this id."""
        self._check_open()
        return self._conversations.get(id)

    # ---- approvals ------------------------------------------------------------------------------

    async def add_approval(self, id: str, ask: MakeApproval, limits: Limits) -> Approval:
        """Add an approval, or return the existing one."""
        asked = _with_owned_values(ask(await self.moment()))
        known = self._approvals.get(id)
        if known is None:
            if asked.state is State.PENDING:
                limits.check(
                    asked, count_pending_load(asked, self._approvals.values(), self._pending_sizes, limits)
                )
                self._pending_sizes[id] = question_size(asked)
            self._approvals[id] = asked
            self._add_step_events(None, asked)
        elif known.call_digest != asked.call_digest:
            raise ConflictError(f"approval `{id}` is about another call than this one")
        return _with_owned_values(self._approvals[id])

    async def change_approval(self, id: str, change: ApprovalChange) -> Approval:
        """Change the state of an approval; waiting tasks are notified."""
        moment = await self.moment()
        changed = change(self._find_approval(id), moment)
        approval = _with_owned_values(changed.approval)
        self._save_approval(approval)
        self._add_new_policy(changed.grants, changed.rules, at=moment.at)
        return _with_owned_values(approval)

    async def approval(self, id: str) -> Approval:
        """The approval with this id."""
        self._check_open()
        return _with_owned_values(self._find_approval(id))

    async def approvals(
        self, which: ApprovalFilter, *, limit: int = 100, after: str = "", newest_first: bool = False
    ) -> ApprovalPage:
        """A page of the matching approvals, in the order in which they were asked."""
        self._check_open()

        def is_selected(one: Approval) -> bool:
            is_whole = not (which.has_arguments and one.id in self._scrubbed)
            return is_whole and matches_filter(one, which, self._conversations)

        every = tuple(self._approvals.values())
        found, after = take_page(every, is_selected, limit, after, newest_first=newest_first)
        return ApprovalPage(tuple(map(_with_owned_values, found)), after)

    async def excerpts(self, which: ApprovalFilter, *, limit: int = 100, after: str = "") -> ExcerptPage:
        """A page of excerpts of approvals."""
        page = await self.approvals(which, limit=limit, after=after)
        return ExcerptPage(tuple(make_excerpt(one, question_size(one)) for one in page.approvals), page.after)

    async def excerpt(self, id: str) -> Excerpt:
        """The excerpt of an approval."""
        approval = await self.approval(id)
        return make_excerpt(approval, question_size(approval))

    async def wait_for_answer(self, id: str) -> Approval:
        """Wait until the approval is no longer pending."""
        self._check_open()
        while self._find_approval(id).state is State.PENDING:
            woken = asyncio.get_running_loop().create_future()
            waiting = self._waiting.setdefault(id, set())
            waiting.add(woken)
            try:
                await woken
            finally:
                waiting.discard(woken)
                if not waiting and self._waiting.get(id) is waiting:
                    del self._waiting[id]
        return _with_owned_values(self._find_approval(id))

    # ---- audit, time and the end ----------------------------------------------------------------

    def record(self, entry: Entry) -> None:
        """Write an audit entry; after the store is closed, entries are ignored."""
        if not self._closed_error:
            previous = self._audit[-1].hash if self._audit else CHAIN_START_HASH
            number = len(self._audit) + 1
            self._audit.append(
                link_entry(
                    entry, writer=self._boot, number=number, at=self._current_time(), previous=previous
                )
            )

    async def flush_audit(self) -> None:
        """Every entry is written when `record` returns."""

    async def audit(
        self,
        audit_filter: AuditFilter = ALL_ENTRIES,
        *,
        limit: int = 100,
        after: str = "",
        newest_first: bool = False,
    ) -> tuple[tuple[Link, ...], str]:
        """A page of matching audit rows, and the cursor of the next page."""
        self._check_open()
        wanted = partial(matches_search, audit_filter=audit_filter)
        return take_page(self._audit, wanted, limit, after, newest_first=newest_first)

    async def tally(
        self, audit_filter: AuditFilter = ALL_ENTRIES, *, span: BucketSize = BucketSize.HOUR
    ) -> Tally:
        """Statistics of the matching audit rows."""
        self._check_open()
        return memory_tally.count_tally(self._audit, audit_filter, span)

    async def rule_hits(self, audit_filter: AuditFilter = ALL_ENTRIES) -> tuple[int, Sequence[RuleHits]]:
        """The number of matching decisions, and how many of them each rule made."""
        self._check_open()
        return memory_tally.count_rule_hits(self._audit, audit_filter)

    async def tool_uses(self, owner: str | None = None) -> frozenset[ToolUse]:
        """Every known agent, with the tools that it called."""
        self._check_open()
        return find_tool_uses(self._audit, self._approvals.values(), owner)

    async def count_pending(self) -> int:
        """The number of pending approvals."""
        self._check_open()
        return sum(one.state is State.PENDING for one in self._approvals.values())

    def counters(self) -> Counters:
        """The number of waiting tasks; no audit entry is ever unwritten."""
        return Counters(waiting=len(self._waiting))

    async def record_heartbeat(self) -> None:
        """Record that this process is alive."""
        self._seen[self._boot] = self._current_time()

    async def check_writable(self) -> None:
        """Raise an error if the store is closed."""
        self._check_open()

    async def sweep(self, grace: timedelta, *, keep: timedelta | None = None) -> Sequence[Approval]:
        """End overdue approvals and return them; delete the arguments of those that ended long ago."""
        now = self._current_time()
        alive = {boot for boot, seen in self._seen.items() if seen >= now - grace}
        paused = self._paused is not None
        swept = [
            end_if_due(one, at=now, alive=one.boot in alive, paused=paused)
            for one in self._approvals.values()
        ]
        ended = [one for one in swept if one is not self._approvals[one.id]]
        for one in ended:
            self._save_approval(one)
        if keep is not None:
            self._delete_arguments(now - keep)
            self._delete_old_events()
        return ended

    async def close(self) -> None:
        """Close the store; waiting tasks get a `StoreError`."""
        self._closed_error = True
        self._signal.fail(_closed_error())
        for future in [one for waiting in self._waiting.values() for one in waiting if not one.done()]:
            future.set_exception(_closed_error())

    # ---- helpers --------------------------------------------------------------------------------

    def _check_open(self) -> None:
        if self._closed_error:
            raise _closed_error()

    def _current_time(self) -> datetime:
        """The clock's time, but never earlier than a time that was returned before."""
        self._check_open()
        self._latest = max(self._latest, self._clock())
        return self._latest

    def _find_approval(self, id: str) -> Approval:
        if id not in self._approvals:
            raise NotFoundError("approval", id)
        return self._approvals[id]

    def _save_approval(self, approval: Approval) -> None:
        before, self._approvals[approval.id] = self._approvals[approval.id], approval
        self._add_step_events(before, approval)
        for entry in step_entries(before, approval):
            self.record(entry)
        if approval.state is not State.PENDING:
            self._pending_sizes.pop(approval.id, None)
            for woken in self._waiting.pop(approval.id, ()):
                if not woken.done():
                    woken.set_result(None)

    def _delete_arguments(self, before: datetime) -> None:
        for one in list(self._approvals.values()):
            ended = ended_at(one)
            if ended is not None and ended <= before:
                self._approvals[one.id] = without_arguments(one)
                self._scrubbed.add(one.id)

    def _extend_approved(self, now: datetime) -> None:
        self._approvals = {id: extend_after_pause(one, at=now) for id, one in self._approvals.items()}


def _closed_error() -> StoreError:
    return StoreError("the store in memory is closed, and what it held is gone: open a new one")


def _with_owned_values(approval: Approval) -> Approval:
    """A copy of an approval whose arguments no other caller can change."""
    answer = approval.answer
    if answer is not None and answer.args is not None:
        answer = replace(answer, args=_deep_copy(answer.args))
    return replace(
        approval,
        call=replace(approval.call, args=_deep_copy(approval.call.args)),
        answer=answer,
        preview=None if approval.preview is None else _deep_copy(approval.preview),
    )


def _deep_copy(value: Mapping[str, object]) -> Mapping[str, object]:
    copied: dict[str, object] = json.loads(canonical_json(dict(value)))
    return copied


def _is_in_scope(one: StoredGrant | StoredRule, about: PolicyKey) -> bool:
    return (
        one.conversation in (None, about.conversation)
        and one.agent in (None, about.agent)
        and one.user in (None, about.user)
    )


def _tiers_of_agent(tool_tiers: Iterable[ToolTier], agent: str) -> Mapping[str, TierSetting]:
    return {one.tool: one.assignment for one in tool_tiers if one.agent == agent}
