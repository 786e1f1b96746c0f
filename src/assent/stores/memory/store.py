"""A store in memory: for tests, and for programs whose approvals may end with the process."""

import asyncio
import json
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from assent.engine.policy.tiers import TierSetting
from assent.errors import ConflictError, NotFoundError, StoreError
from assent.gate.approval import (
    Approval,
    Excerpt,
    ExcerptPage,
    State,
    apply_time,
    ended_at,
    extend_after_pause,
    without_arguments,
)
from assent.gate.audit import START, Entry, Link, Sought, linked
from assent.gate.changes import step_entries
from assent.gate.conversation import CHANGEABLE_FIELDS, Conversation, merge_fields
from assent.gate.history import BucketSize, RuleHits, Tally
from assent.gate.ids import canonical_json, new_id
from assent.gate.ports import Limits
from assent.gate.store import (
    ALL_ENTRIES,
    ApprovalChange,
    ApprovalFilter,
    ApprovalPage,
    Counters,
    MakeApproval,
    Moment,
    ToolTier,
    ToolUse,
)
from assent.gate.stored_policy import PolicyKey, StoredGrant, StoredPolicy, StoredRule
from assent.stores.memory import queries as memory_tally
from assent.stores.memory.chat import MemoryChat
from assent.stores.memory.people import MemoryPeople
from assent.stores.memory.policy import MemoryLive, MemoryPolicy
from assent.stores.memory.queries import count_load, find_callers, matches_filter, matches_search, take_page
from assent.stores.sql.approval_rows import question_size
from assent.stores.sql.times import Clock, HostClock
from assent.wire.excerpt import excerpt_of


class MemoryStore(MemoryPeople, MemoryLive, MemoryChat, MemoryPolicy):
    """Implements `gate.store.Store` in memory; no method awaits during a change, so each is atomic."""

    def __init__(self, *, clock: Clock | None = None) -> None:
        MemoryPeople.__init__(self, self._now)
        MemoryLive.__init__(self, self._now)
        MemoryChat.__init__(self, self._now)
        MemoryPolicy.__init__(self, self._now)
        self._clock = clock or HostClock()
        self._boot = new_id()
        self._secret = secrets.token_bytes(32)
        self._latest = self._clock()
        self._approvals: dict[str, Approval] = {}
        self._waiting: dict[str, set[asyncio.Future[None]]] = {}
        self._scrubbed: set[str] = set()
        self._conversations: dict[str, Conversation] = {}
        self._audit: list[Link] = []
        self._seen = {self._boot: self._latest}
        self._closed = False

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
            tiers=_of_agent(self._tiers.values(), about.agent),
            rules=tuple(rule for rule in self._live_rules() if _reaches(rule, about)),
            grants=tuple(grant for grant in self._live_grants() if _reaches(grant, about)),
            pins={key: pin.digest for key, pin in self._pins.items()},
            conversation=self._conversations.get(about.conversation),
            paused=self._paused,
            declarations_version=self._declared_at,
            start_mode=self._starts_in,
        )

    async def moment(self) -> Moment:
        """The time and the policy version."""
        return Moment(self._now(), self._version, self._paused is not None)

    async def save_conversation(
        self, conversation: Conversation, *, fields: Collection[str] = CHANGEABLE_FIELDS
    ) -> Conversation:
        """Create a conversation, or write the named fields of mode, title and model."""
        now = self._now()
        known = self._conversations.get(conversation.id)
        if known is None:
            saved = replace(conversation, at=now)
        else:
            saved = merge_fields(known, conversation, fields)
            if known.mode != saved.mode:
                self._bump()
        self._conversations[saved.id] = saved
        return saved

    async def conversation(self, id: str) -> Conversation | None:
        """The conversation with this id."""
        self._check_open()
        return self._conversations.get(id)

    # ---- approvals ------------------------------------------------------------------------------

    async def add_approval(self, id: str, ask: MakeApproval, limits: Limits) -> Approval:
        """Add an approval, or return the existing one."""
        asked = _owned(ask(await self.moment()))
        known = self._approvals.get(id)
        if known is None:
            if asked.state is State.PENDING:
                limits.check(asked, count_load(asked, self._approvals.values(), limits))
            self._approvals[id] = asked
            self._step(None, asked)
        elif known.call_digest != asked.call_digest:
            raise ConflictError(f"approval `{id}` is about another call than this one")
        return _owned(self._approvals[id])

    async def change_approval(self, id: str, change: ApprovalChange) -> Approval:
        """Change the state of an approval; waiting tasks are notified."""
        moment = await self.moment()
        changed = change(self._found(id), moment)
        approval = _owned(changed.approval)
        self._put(approval)
        self._write(changed.grants, changed.rules, at=moment.at)
        return _owned(approval)

    async def approval(self, id: str) -> Approval:
        """The approval with this id."""
        self._check_open()
        return _owned(self._found(id))

    async def approvals(
        self, which: ApprovalFilter, *, limit: int = 100, after: str = "", newest_first: bool = False
    ) -> ApprovalPage:
        """A page of the matching approvals, in the order in which they were asked."""
        self._check_open()

        def meant(one: Approval) -> bool:
            is_whole = not (which.has_arguments and one.id in self._scrubbed)
            return is_whole and matches_filter(one, which, self._conversations)

        every = tuple(self._approvals.values())
        found, after = take_page(every, meant, limit, after, newest_first=newest_first)
        return ApprovalPage(tuple(map(_owned, found)), after)

    async def excerpts(self, which: ApprovalFilter, *, limit: int = 100, after: str = "") -> ExcerptPage:
        """A page of excerpts of approvals."""
        page = await self.approvals(which, limit=limit, after=after)
        return ExcerptPage(tuple(excerpt_of(one, question_size(one)) for one in page.approvals), page.after)

    async def excerpt(self, id: str) -> Excerpt:
        """The excerpt of an approval."""
        approval = await self.approval(id)
        return excerpt_of(approval, question_size(approval))

    async def wait_for_answer(self, id: str) -> Approval:
        """Wait until the approval is no longer pending."""
        self._check_open()
        while self._found(id).state is State.PENDING:
            woken = asyncio.get_running_loop().create_future()
            waiting = self._waiting.setdefault(id, set())
            waiting.add(woken)
            try:
                await woken
            finally:
                waiting.discard(woken)
        return _owned(self._found(id))

    # ---- audit, time and the end ----------------------------------------------------------------

    def record(self, entry: Entry) -> None:
        """Write an audit entry; after the store is closed, entries are ignored."""
        if not self._closed:
            previous = self._audit[-1].hash if self._audit else START
            number = len(self._audit) + 1
            self._audit.append(
                linked(entry, writer=self._boot, number=number, at=self._now(), previous=previous)
            )

    async def flush_audit(self) -> None:
        """Every entry is written when `record` returns."""

    async def audit(
        self, sought: Sought = ALL_ENTRIES, *, limit: int = 100, after: str = "", newest_first: bool = False
    ) -> tuple[tuple[Link, ...], str]:
        """A page of matching audit rows, and the cursor of the next page."""
        self._check_open()
        wanted = partial(matches_search, sought=sought)
        return take_page(self._audit, wanted, limit, after, newest_first=newest_first)

    async def tally(self, sought: Sought = ALL_ENTRIES, *, span: BucketSize = BucketSize.HOUR) -> Tally:
        """Statistics of the matching audit rows."""
        self._check_open()
        return memory_tally.count_tally(self._audit, sought, span)

    async def hits(self, sought: Sought = ALL_ENTRIES) -> tuple[int, Sequence[RuleHits]]:
        """The number of matching decisions, and how many of them each rule made."""
        self._check_open()
        return memory_tally.count_rule_hits(self._audit, sought)

    async def tool_uses(self, owner: str | None = None) -> frozenset[ToolUse]:
        """Every known agent, with the tools that it called."""
        self._check_open()
        return find_callers(self._audit, self._approvals.values(), owner)

    async def count_pending(self) -> int:
        """The number of pending approvals."""
        self._check_open()
        return sum(one.state is State.PENDING for one in self._approvals.values())

    def counters(self) -> Counters:
        """The number of waiting tasks; no audit entry is ever unwritten."""
        return Counters(waiting=len(self._waiting))

    async def record_heartbeat(self) -> None:
        """Record that this process is alive."""
        self._seen[self._boot] = self._now()

    async def check_writable(self) -> None:
        """Raise an error if the store is closed."""
        self._check_open()

    async def sweep(self, grace: timedelta, *, keep: timedelta | None = None) -> Sequence[Approval]:
        """Settle approvals that expired, and return them; scrub those that ended long ago."""
        now = self._now()
        alive = {boot for boot, seen in self._seen.items() if seen >= now - grace}
        paused = self._paused is not None
        swept = [
            apply_time(one, at=now, alive=one.boot in alive, paused=paused)
            for one in self._approvals.values()
        ]
        ended = [one for one in swept if one is not self._approvals[one.id]]
        for one in ended:
            self._put(one)
        if keep is not None:
            self._scrub(now - keep)
            self._forget_old()
        return ended

    async def close(self) -> None:
        """Close the store; waiting tasks get a `StoreError`."""
        self._closed = True
        self._stirs.fail(_closed())
        for future in [one for waiting in self._waiting.values() for one in waiting if not one.done()]:
            future.set_exception(_closed())

    # ---- within ---------------------------------------------------------------------------------

    def _check_open(self) -> None:
        if self._closed:
            raise _closed()

    def _now(self) -> datetime:
        """The clock's time, which never goes back here."""
        self._check_open()
        self._latest = max(self._latest, self._clock())
        return self._latest

    def _found(self, id: str) -> Approval:
        if id not in self._approvals:
            raise NotFoundError("approval", id)
        return self._approvals[id]

    def _put(self, approval: Approval) -> None:
        before, self._approvals[approval.id] = self._approvals[approval.id], approval
        self._step(before, approval)
        for entry in step_entries(before, approval):
            self.record(entry)
        if approval.state is not State.PENDING:
            for woken in self._waiting.pop(approval.id, ()):
                if not woken.done():
                    woken.set_result(None)

    def _scrub(self, before: datetime) -> None:
        for one in list(self._approvals.values()):
            ended = ended_at(one)
            if ended is not None and ended <= before:
                self._approvals[one.id] = without_arguments(one)
                self._scrubbed.add(one.id)

    def _revive(self, now: datetime) -> None:
        self._approvals = {id: extend_after_pause(one, at=now) for id, one in self._approvals.items()}


def _closed() -> StoreError:
    return StoreError("the store in memory is closed, and what it held is gone: open a new one")


def _owned(approval: Approval) -> Approval:
    """A copy whose arguments no other caller can change."""
    answer = approval.answer
    if answer is not None and answer.args is not None:
        answer = replace(answer, args=_copied(answer.args))
    return replace(
        approval,
        call=replace(approval.call, args=_copied(approval.call.args)),
        answer=answer,
        preview=None if approval.preview is None else _copied(approval.preview),
    )


def _copied(value: Mapping[str, object]) -> Mapping[str, object]:
    copied: dict[str, object] = json.loads(canonical_json(dict(value)))
    return copied


def _reaches(one: StoredGrant | StoredRule, about: PolicyKey) -> bool:
    return (
        one.conversation in (None, about.conversation)
        and one.agent in (None, about.agent)
        and one.user in (None, about.user)
    )


def _of_agent(tierings: Iterable[ToolTier], agent: str) -> Mapping[str, TierSetting]:
    return {one.tool: one.assignment for one in tierings if one.agent == agent}
