"""The store of both SQL databases: implements `gate.store.Store` on a database that writes in batches."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TypeVar, cast

from assent.errors import StoreError
from assent.gate.approval import Approval, Excerpt, ExcerptPage, end_if_due
from assent.gate.audit import BucketSize, Link, RuleHits, Tally
from assent.gate.catalog import Pin
from assent.gate.conversation import CHANGEABLE_FIELDS, Conversation
from assent.gate.ids import new_id
from assent.gate.policy import Moment, PolicyKey, StoredGrant, StoredPolicy, StoredRule
from assent.gate.question import Limits
from assent.gate.store import (
    ALL_ENTRIES,
    ApprovalChange,
    ApprovalFilter,
    ApprovalPage,
    AuditFilter,
    ChangeResult,
    Counters,
    MakeApproval,
    ToolTier,
    ToolUse,
)
from assent.stores.audit import ledger, queries
from assent.stores.audit.ledger import Ledger
from assent.stores.sql import approvals, listing, policy, policy_edits
from assent.stores.sql.approvals import ApprovalReader, DueApproval
from assent.stores.sql.batch import AddApproval, ChangeApproval, Database, EditTables
from assent.stores.sql.chat import SqlChat
from assent.stores.sql.identities import SqlPeople, SqlWorkspaces
from assent.stores.sql.live import SqlLiveState
from assent.stores.sql.policy import read_stored_policy
from assent.stores.sql.policy_edits import EditResult
from assent.stores.sql.statement import Clock, Connection, read_moment
from assent.stores.sql.waiting import (
    ApprovalWaiters,
    ChangeSignal,
    CommitStatus,
    SharedLookup,
    SharedRead,
    WriteProbe,
)

T = TypeVar("T")
_SWEEP_BATCH_SIZE = 500
"""The number of approvals that a sweep ends in one batch, so that other requests run in between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedState:
    """State that the readers, the writer and the listener of one open store share."""

    address: str
    """The path of the file, or the address without its password."""
    boot: str
    approvals: ApprovalReader
    ledger: Ledger
    waiters: ApprovalWaiters
    signal: ChangeSignal
    commits: CommitStatus

    def closed_error(self) -> StoreError:
        """The error for requests after the store was closed."""
        return StoreError(f"{self.address} is closed in this process: open it again")


def new_shared_state(where: str, spool: str) -> SharedState:
    """New state, with the audit entries that earlier processes left in the spool file."""
    boot = new_id()
    ledger = Ledger(boot, spool)
    ledger.load_spool()
    return SharedState(
        address=where,
        boot=boot,
        approvals=ApprovalReader(),
        ledger=ledger,
        waiters=ApprovalWaiters(),
        signal=ChangeSignal(),
        commits=CommitStatus(),
    )


class SqlStore(SqlPeople, SqlLiveState, SqlChat, SqlWorkspaces):
    """Implements `gate.store.Store` with SQL tables."""

    def __init__(
        self,
        database: Database,
        shared: SharedState,
        *,
        secret: bytes,
        clock: Clock | None,
        upgraded_from: str = "",
    ) -> None:
        SqlPeople.__init__(self, database, clock)
        SqlLiveState.__init__(self, database, shared.boot, shared.signal, shared.approvals)
        SqlChat.__init__(self, database, shared.boot, clock)
        SqlWorkspaces.__init__(self, database)
        self._database = database
        self._shared = shared
        self.boot = shared.boot
        """The random id of this process."""
        self.secret = secret
        """The random secret that all processes of this database share."""
        self.record = database.record
        """Queues an audit entry; never waits, never fails."""
        self._clock = clock
        self.upgraded_from = upgraded_from
        self._counting = asyncio.Lock()
        self._searching = asyncio.Lock()
        self._moments: SharedRead[None, Moment] = SharedRead(
            lambda _: database.read_quickly(partial(read_moment, clock=clock))
        )
        # A heartbeat is a write that changes nothing for other processes.
        self._probe = WriteProbe(self.record_heartbeat, shared.commits, shared.address)
        self._approval_reads = SharedLookup(
            lambda ids: database.read_quickly(partial(shared.approvals.read_approvals, ids=ids))
        )
        self._excerpt_reads = SharedLookup(
            lambda ids: database.read_quickly(partial(shared.approvals.read_excerpts, ids=ids))
        )
        self._outcome_reads = SharedLookup(
            lambda ids: database.read_quickly(partial(shared.approvals.read_outcomes, ids=ids))
        )

    @property
    def audit_spooled(self) -> int:
        """The number of audit entries of this process that are not yet in the audit."""
        return len(self._shared.ledger)

    @property
    def audit_lost(self) -> int:
        """The number of audit entries that were lost."""
        return self._shared.ledger.lost

    @property
    def waiting(self) -> int:
        """The number of approvals that tasks of this process wait for."""
        return len(self._shared.waiters)

    def describe(self) -> str:
        """The file or the address, without its password."""
        return self._shared.address

    # ---- policy ---------------------------------------------------------------------------------

    async def stored_policy(self, about: PolicyKey) -> StoredPolicy:
        """The current policy, read in one query."""
        return await self._database.read(partial(read_stored_policy, about=about, clock=self._clock))

    async def moment(self) -> Moment:
        """The store's time and the policy version."""
        return await self._moments.get(None)

    async def set_tiers(
        self,
        tool_tiers: Iterable[ToolTier],
        *,
        replace_agent: str | None = None,
        cleared: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Set and clear tiers; with `replace_agent`, replace all tiers of that agent."""
        setting = partial(policy_edits.set_tiers, tool_tiers=tuple(tool_tiers), cleared=tuple(cleared))
        await self._run_edit(partial(setting, replace_agent=replace_agent))

    async def tiers(self, agent: str | None = None) -> Sequence[ToolTier]:
        """The tiers, by agent and tool."""
        return await self._database.read(partial(policy.read_tiers, agent=agent))

    async def add_policy(self, grants: Iterable[StoredGrant] = (), rules: Iterable[StoredRule] = ()) -> None:
        """Add grants and rules that come from no approval."""
        await self._run_edit(partial(policy_edits.add_policy_edit, given=tuple(grants), written=tuple(rules)))

    async def revoke(self, id: str, *, by: str) -> None:
        """Revoke a grant or a rule."""
        await self._run_edit(partial(policy_edits.revoke, id_=id, by=by))

    async def replace_rule(
        self, id: str, change: Callable[[StoredRule], StoredRule], *, by: str
    ) -> StoredRule:
        """Replace a rule by the result of `change`, in one commit."""
        replaced = await self._run_edit(partial(policy_edits.replace_rule, id_=id, change=change, by=by))
        return cast("StoredRule", replaced)

    async def grants(self) -> Sequence[StoredGrant]:
        """The grants that are not revoked, oldest first."""
        return await self._database.read(policy.read_grants)

    async def rules(self) -> Sequence[StoredRule]:
        """The stored rules that are not revoked, oldest first."""
        return await self._database.read(policy.read_rules)

    async def use_grants(self, grants: Iterable[str]) -> bool:
        """Use each of these counted grants once, or none of them."""
        return bool(await self._run_edit(partial(policy_edits.use_grants, ids=tuple(grants))))

    async def pin_definitions(self, pins: Iterable[Pin], *, by: str = "", accept: bool = False) -> None:
        """Store tool definitions that are new; with `accept`, replace stored ones."""
        await self._run_edit(partial(policy_edits.pin_definitions, seen=tuple(pins), by=by, accept=accept))

    async def pins(self) -> Sequence[Pin]:
        """The accepted tool definitions."""
        return await self._database.read(policy.read_pins)

    async def save_conversation(
        self, conversation: Conversation, *, fields: Collection[str] = CHANGEABLE_FIELDS
    ) -> Conversation:
        """Create a conversation, or write the named fields of mode, title and model."""
        saving = partial(policy_edits.save_conversation, conversation=conversation, fields=fields)
        return cast("Conversation", await self._run_edit(saving))

    async def conversation(self, id: str) -> Conversation | None:
        """The conversation with this id."""
        return await self._database.read(partial(policy.read_conversation, id_=id))

    # ---- approvals ------------------------------------------------------------------------------

    async def add_approval(self, id: str, ask: MakeApproval, limits: Limits) -> Approval:
        """Add an approval, or return the existing one."""
        return cast("Approval", await self._database.put(AddApproval(id, ask, limits)))

    async def change_approval(self, id: str, change: ApprovalChange) -> Approval:
        """Change the state of an approval; waiting tasks of all processes are notified."""
        return cast("Approval", await self._database.put(ChangeApproval(id, change)))

    async def approval(self, id: str) -> Approval:
        """The approval with this id."""
        return await self._approval_reads.get(id)

    async def approvals(
        self, which: ApprovalFilter, *, limit: int = 100, after: str = "", newest_first: bool = False
    ) -> ApprovalPage:
        """A page of the matching approvals, in the order in which they were asked."""
        page = partial(
            listing.approval_page,
            questions=self._shared.approvals,
            which=which,
            limit=limit,
            after=after,
            newest_first=newest_first,
        )
        return await self._database.read(page)

    async def excerpts(self, which: ApprovalFilter, *, limit: int = 100, after: str = "") -> ExcerptPage:
        """A page of excerpts of approvals."""
        questions = self._shared.approvals
        page = partial(listing.excerpt_page, questions=questions, which=which, limit=limit, after=after)
        return await self._database.read(page)

    async def excerpt(self, id: str) -> Excerpt:
        """The excerpt of an approval."""
        return await self._excerpt_reads.get(id)

    async def wait_for_answer(self, id: str) -> Approval:
        """Wait until the approval is no longer pending."""
        return await self._shared.waiters.wait(id, self._outcome_reads.get)

    # ---- audit, time and the end ----------------------------------------------------------------

    async def flush_audit(self) -> None:
        """Wait until every queued audit entry is in the database or in the spool file."""
        await self._database.wait_until_recorded()

    async def audit(
        self,
        audit_filter: AuditFilter = ALL_ENTRIES,
        *,
        limit: int = 100,
        after: str = "",
        newest_first: bool = False,
    ) -> tuple[tuple[Link, ...], str]:
        """A page of matching audit rows, and the cursor of the next page."""
        page = partial(
            queries.audit_page, audit_filter=audit_filter, limit=limit, after=after, newest_first=newest_first
        )
        # A search may read every row: searches run one at a time, page by page.
        async with self._searching:
            return await self._database.read(page)

    async def tally(
        self, audit_filter: AuditFilter = ALL_ENTRIES, *, span: BucketSize = BucketSize.HOUR
    ) -> Tally:
        """Statistics of the matching audit rows."""
        return await self._run_aggregate(partial(queries.read_tally, audit_filter=audit_filter, span=span))

    async def rule_hits(self, audit_filter: AuditFilter = ALL_ENTRIES) -> tuple[int, Sequence[RuleHits]]:
        """The number of matching decisions, and how many of them each rule made."""
        return await self._run_aggregate(partial(queries.read_rule_hits, audit_filter=audit_filter))

    async def tool_uses(self, owner: str | None = None) -> frozenset[ToolUse]:
        """Every known agent, with the tools that it called."""
        return await self._run_aggregate(partial(queries.read_tool_uses, owner=owner))

    async def _run_aggregate(self, work: Callable[[Connection], T]) -> T:
        """Run a query over all audit rows; one at a time, so that a reader is always free for decisions."""
        async with self._counting:
            return await self._database.read(work)

    async def count_pending(self) -> int:
        """The number of pending approvals."""
        return await self._database.read(approvals.count_pending)

    def counters(self) -> Counters:
        """The numbers of waiting tasks and unwritten audit entries of this process."""
        return Counters(self.waiting, self.audit_spooled, self.audit_lost)

    async def record_heartbeat(self) -> None:
        """Record that this process is alive."""
        await self._run_edit(partial(policy_edits.record_heartbeat, boot=self._shared.boot))

    async def check_writable(self) -> None:
        """Check that writes are committed; a commit within the last second is sufficient."""
        self._database.check()
        await self._probe.check()

    async def sweep(self, grace: timedelta, *, keep: timedelta | None = None) -> Sequence[Approval]:
        """End overdue approvals and return them; delete the arguments of those that ended long ago."""
        due = await self._database.read(partial(approvals.read_due_approvals, clock=self._clock, grace=grace))
        ended: set[str] = set()
        swept: list[Approval] = []
        for start in range(0, len(due), _SWEEP_BATCH_SIZE):
            steps = (
                ChangeApproval(one.id, _settle_change(one, ended))
                for one in due[start : start + _SWEEP_BATCH_SIZE]
            )
            swept += cast("list[Approval]", await asyncio.gather(*map(self._database.put, steps)))
        if keep is not None:
            await self._delete_arguments(keep)
            await self._delete_old_rows()
        await self.close_chains(grace)
        return [one for one in swept if one.id in ended]

    async def close_chains(self, grace: timedelta = ledger.PROCESS_TIMEOUT) -> None:
        """Close the audit chains of processes that ended without closing them."""
        dead = await self._database.read(
            partial(ledger.read_dead_open_chains, clock=self._clock, grace=grace)
        )
        if dead:
            await self._run_edit(partial(ledger.close_chains, writers=dead))

    async def close(self) -> None:
        """Close the store; waiting tasks get a `StoreError`."""
        await self._database.close()

    async def _delete_arguments(self, keep: timedelta) -> None:
        old = await self._database.read(partial(approvals.read_scrubbable_ids, clock=self._clock, keep=keep))
        for start in range(0, len(old), _SWEEP_BATCH_SIZE):
            await self._run_edit(
                partial(approvals.scrub_arguments, ids=old[start : start + _SWEEP_BATCH_SIZE])
            )

    async def _run_edit(self, edit: Callable[[Connection, Moment], EditResult]) -> object:
        return await self._database.put(EditTables(edit))


def _settle_change(due: DueApproval, ended: set[str]) -> ApprovalChange:
    """Settle one approval; its id is added to `ended` if this change ended it."""

    def settle_approval(approval: Approval, moment: Moment) -> ChangeResult:
        # A process that took the approval over in the meantime is alive.
        alive = due.dead_process is None or approval.boot != due.dead_process
        after = end_if_due(approval, at=moment.at, alive=alive, paused=moment.paused)
        (ended.discard if after is approval else ended.add)(approval.id)
        return ChangeResult(after)

    return settle_approval
