"""A store in an SQL database: the gate's port, on something that writes batches and something that reads."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from datetime import timedelta
from functools import partial
from typing import Protocol, TypeVar, cast

from sqlalchemy import Connection

from assent.gate.approval import Approval, settled
from assent.gate.audit import Entry, Link, Sought
from assent.gate.conversation import CHANGEABLE, Conversation
from assent.gate.current import About, Current, Pin
from assent.gate.excerpt import Excerpt, Excerpts
from assent.gate.grant import Grant, StoredRule
from assent.gate.ports import (
    ALL,
    Ask,
    Called,
    Change,
    Changed,
    Counters,
    Limits,
    Moment,
    Page,
    Tiering,
    Which,
)
from assent.gate.tally import Hit, Span, Tally
from assent.stores import audit_pages, callers, closing, listing, policy, queries, scrubbing, tallies
from assent.stores.batch import Add, Edit, Move, Piece
from assent.stores.chat import SqlChat
from assent.stores.clock import Clock
from assent.stores.current import current_of
from assent.stores.live import SqlLive
from assent.stores.looks import Looks
from assent.stores.policy import Edited
from assent.stores.queries import Due
from assent.stores.readiness import WriteProbe
from assent.stores.register import SqlRegister
from assent.stores.shared import Shared
from assent.stores.together import Together

T = TypeVar("T")
_AT_ONCE = 500
"""Approvals that a sweep settles in one batch, so that callers get their turn in between."""


class Database(Protocol):
    """Runs what a store wants done: pieces in batches, reads beside them."""

    def put(self, piece: Piece) -> Awaitable[object]:
        """Queue a piece of work; what comes of it, once it is committed."""
        ...

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run a read."""
        ...

    async def look(self, work: Callable[[Connection], T]) -> T:
        """Run a read of a few rows by their keys."""
        ...

    def record(self, entry: Entry) -> None:
        """Queue an audit entry."""
        ...

    async def recorded(self) -> None:
        """Come back when every queued entry is written or spooled."""
        ...

    def check(self) -> None:
        """Refuse where it shows without a write that nothing can be kept."""
        ...

    async def close(self) -> None:
        """Finish what is queued, and let go."""
        ...


class SqlStore(SqlRegister, SqlLive, SqlChat):
    """Keeps everything in tables; see `gate.ports.Store` for what each method promises."""

    def __init__(
        self,
        database: Database,
        shared: Shared,
        *,
        secret: bytes,
        clock: Clock | None,
        upgraded_from: str = "",
    ) -> None:
        SqlRegister.__init__(self, database, clock)
        SqlLive.__init__(self, database, shared)
        SqlChat.__init__(self, database, shared.boot, clock)
        self._database = database
        self._shared = shared
        self._secret = secret
        self._clock = clock
        self.upgraded_from = upgraded_from
        self._counting = asyncio.Lock()
        self._searching = asyncio.Lock()
        self._moments: Together[None, Moment] = Together(
            lambda _: database.look(partial(queries.moment_of, clock=clock))
        )
        # Overwriting the sign of life of this process tells nobody anything new.
        self._probe = WriteProbe(self.beat, shared.commits, shared.where)
        self._looks = Looks(lambda ids: database.look(partial(shared.questions.found, ids=ids)))
        self._glances = Looks(lambda ids: database.look(partial(shared.questions.excerpts, ids=ids)))
        self._ends = Looks(lambda ids: database.look(partial(shared.questions.ends, ids=ids)))

    @property
    def boot(self) -> str:
        """The mark of this process."""
        return self._shared.boot

    @property
    def secret(self) -> bytes:
        """Random bytes that all processes on this database share."""
        return self._secret

    @property
    def audit_spooled(self) -> int:
        """Audit entries that could not be written yet."""
        return self._shared.ledger.spooled

    @property
    def audit_lost(self) -> int:
        """Audit entries that are nowhere."""
        return self._shared.ledger.lost

    @property
    def waiting(self) -> int:
        """How many approvals somebody in this process waits for."""
        return len(self._shared.wakes)

    def describe(self) -> str:
        """The file or the address, without its password."""
        return self._shared.where

    # ---- policy ---------------------------------------------------------------------------------

    async def current(self, about: About) -> Current:
        """Policy as it is now, in one query."""
        return await self._database.read(partial(current_of, about=about, clock=self._clock))

    async def moment(self) -> Moment:
        """The store's time, and the number of the last change of policy."""
        return await self._moments.now(None)

    async def tier(
        self,
        tierings: Iterable[Tiering],
        *,
        replace_agent: str | None = None,
        cleared: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Set tiers, and clear some; with `replace_agent`, that agent's tiers are these and no others."""
        setting = partial(policy.set_tiers, tierings=tuple(tierings), cleared=tuple(cleared))
        await self._edit(partial(setting, replace_agent=replace_agent))

    async def tiers(self, agent: str | None = None) -> Sequence[Tiering]:
        """The tiers that are set, by agent and tool."""
        return await self._database.read(partial(queries.tiers_of, agent=agent))

    async def remember(self, grants: Iterable[Grant] = (), rules: Iterable[StoredRule] = ()) -> None:
        """Write grants and rules that come from no question."""
        await self._edit(partial(policy.remembered, given=tuple(grants), written=tuple(rules)))

    async def revoke(self, id: str, *, by: str) -> None:
        """End a grant or a rule."""
        await self._edit(partial(policy.revoked, id_=id, by=by))

    async def replace_rule(
        self, id: str, change: Callable[[StoredRule], StoredRule], *, by: str
    ) -> StoredRule:
        """End a rule and write what `change` makes of it, in one commit."""
        replaced = await self._edit(partial(policy.replaced, id_=id, change=change, by=by))
        return cast("StoredRule", replaced)

    async def grants(self) -> Sequence[Grant]:
        """The grants that are not revoked, oldest first."""
        return await self._database.read(queries.grants_of)

    async def rules(self) -> Sequence[StoredRule]:
        """The stored rules that are not revoked, oldest first."""
        return await self._database.read(queries.rules_of)

    async def use(self, grants: Iterable[str]) -> bool:
        """Use each of these counted grants once, or none of them."""
        return bool(await self._edit(partial(policy.used, ids=tuple(grants))))

    async def pin(self, pins: Iterable[Pin], *, by: str = "", accept: bool = False) -> None:
        """Hold on to definitions seen for the first time; with `accept`, replace what was held."""
        await self._edit(partial(policy.pinned, seen=tuple(pins), by=by, accept=accept))

    async def pins(self) -> Sequence[Pin]:
        """The definitions that are held on to."""
        return await self._database.read(queries.pins_of)

    async def save(self, conversation: Conversation, *, fields: Collection[str] = CHANGEABLE) -> Conversation:
        """Create a conversation, or write those of its mode, title and model that are named."""
        saving = partial(policy.saved, conversation=conversation, fields=fields)
        return cast("Conversation", await self._edit(saving))

    async def conversation(self, id: str) -> Conversation | None:
        """The conversation of an id."""
        return await self._database.read(partial(queries.conversation_by, id_=id))

    # ---- approvals ------------------------------------------------------------------------------

    async def add(self, id: str, ask: Ask, limits: Limits) -> Approval:
        """Keep a question, or come back with the one there is."""
        return cast("Approval", await self._database.put(Add(id, ask, limits)))

    async def change(self, id: str, change: Change) -> Approval:
        """Move one approval on; whoever waits for it is woken, here and elsewhere."""
        return cast("Approval", await self._database.put(Move(id, change)))

    async def approval(self, id: str) -> Approval:
        """The approval of an id."""
        return await self._looks.at(id)

    async def approvals(
        self, which: Which, *, limit: int = 100, after: str = "", newest_first: bool = False
    ) -> Page:
        """A page of the approvals that are meant, in the order in which they were asked."""
        page = partial(
            listing.page_of,
            questions=self._shared.questions,
            which=which,
            limit=limit,
            after=after,
            newest_first=newest_first,
        )
        return await self._database.read(page)

    async def excerpts(self, which: Which, *, limit: int = 100, after: str = "") -> Excerpts:
        """A page of the same in short."""
        questions = self._shared.questions
        page = partial(listing.excerpts_of, questions=questions, which=which, limit=limit, after=after)
        return await self._database.read(page)

    async def excerpt(self, id: str) -> Excerpt:
        """The approval of an id in short."""
        return await self._glances.at(id)

    async def wait(self, id: str) -> Approval:
        """Come back when the approval is no longer pending."""
        return await self._shared.wakes.wait(id, self._ends.at)

    # ---- audit, time and the end ----------------------------------------------------------------

    def record(self, entry: Entry) -> None:
        """Queue an audit entry; never waits, never fails."""
        self._database.record(entry)

    async def recorded(self) -> None:
        """Come back when every queued entry is written or spooled."""
        await self._database.recorded()

    async def audit(
        self, sought: Sought = ALL, *, limit: int = 100, after: str = "", newest_first: bool = False
    ) -> tuple[tuple[Link, ...], str]:
        """A page of what is sought in the audit, and where the next one begins."""
        page = partial(
            audit_pages.page_of, sought=sought, limit=limit, after=after, newest_first=newest_first
        )
        # A search may have to look at every row: those who search take turns, page by page.
        async with self._searching:
            return await self._database.read(page)

    async def tally(self, sought: Sought = ALL, *, span: Span = Span.HOUR) -> Tally:
        """What is sought in the audit, added up."""
        return await self._count(partial(tallies.tally_of, sought=sought, span=span))

    async def hits(self, sought: Sought = ALL) -> tuple[int, Sequence[Hit]]:
        """How many decisions are sought, and how often each rule made one of them."""
        return await self._count(partial(tallies.hits_of, sought=sought))

    async def callers(self, owner: str | None = None) -> frozenset[Called]:
        """Every agent that was heard of, with every tool that it called."""
        return await self._count(partial(callers.callers_of, owner=owner))

    async def _count(self, work: Callable[[Connection], T]) -> T:
        """Add up all rows there are: one after the other, so that every decision finds a reader free."""
        async with self._counting:
            return await self._database.read(work)

    async def count_pending(self) -> int:
        """Questions that wait for a person."""
        return await self._database.read(queries.pending_of)

    def counters(self) -> Counters:
        """What this process knows of its own work."""
        return Counters(self.waiting, self.audit_spooled, self.audit_lost)

    async def beat(self) -> None:
        """Say that this process is alive."""
        await self._edit(partial(policy.beaten, boot=self._shared.boot))

    async def check_writable(self) -> None:
        """Prove that a write is committed now; one of the last second is proof enough."""
        self._database.check()
        await self._probe.check()

    async def sweep(self, grace: timedelta, *, keep: timedelta | None = None) -> Sequence[Approval]:
        """Relabel what time alone has ended, and say which. Scrub what ended long ago."""
        due = await self._database.read(partial(queries.due_of, clock=self._clock, grace=grace))
        ended: set[str] = set()
        swept: list[Approval] = []
        for start in range(0, len(due), _AT_ONCE):
            steps = (Move(one.id, _settling(one, ended)) for one in due[start : start + _AT_ONCE])
            swept += cast("list[Approval]", await asyncio.gather(*map(self._database.put, steps)))
        if keep is not None:
            await self._scrub(keep)
            await self._forget_old()
        await self.close_chains(grace)
        return [one for one in swept if one.id in ended]

    async def close_chains(self, grace: timedelta = closing.SILENT) -> None:
        """Close the audit of processes that ended without it."""
        dead = await self._database.read(partial(closing.unclosed_of, clock=self._clock, grace=grace))
        if dead:
            await self._edit(partial(closing.closed, writers=dead))

    async def close(self) -> None:
        """Let everything go; whoever waits gets a `StoreError`."""
        await self._database.close()

    async def _scrub(self, keep: timedelta) -> None:
        old = await self._database.read(partial(scrubbing.old_of, clock=self._clock, keep=keep))
        for start in range(0, len(old), _AT_ONCE):
            await self._edit(partial(scrubbing.scrub, ids=old[start : start + _AT_ONCE]))

    async def _edit(self, edit: Callable[[Connection, Moment], Edited]) -> object:
        return await self._database.put(Edit(edit))


def _settling(due: Due, ended: set[str]) -> Change:
    """Relabel one approval; it is among the ended ones if this very step ended it."""

    def settle(approval: Approval, moment: Moment) -> Changed:
        # Whoever attached to it meanwhile is another process, and alive.
        alive = due.gone is None or approval.boot != due.gone
        after = settled(approval, at=moment.at, alive=alive, paused=moment.paused)
        (ended.discard if after is approval else ended.add)(approval.id)
        return Changed(after)

    return settle
