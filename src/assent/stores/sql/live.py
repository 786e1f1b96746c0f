"""The events, pause, settings, budgets, declared tools and pods of an SQL store."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import cast

from sqlalchemy import bindparam, delete, literal_column, select, update

from assent.gate.approval import extend_after_pause
from assent.gate.catalog import DeclaredTool
from assent.gate.events import EVENT_RETENTION, EventKind, EventPage, Pod
from assent.gate.policy import Moment
from assent.gate.store import BudgetResult, ConversationPage
from assent.stores.sql.approvals import ApprovalReader
from assent.stores.sql.batch import CountCall, Database, EditTables
from assent.stores.sql.events import assign_event_positions, newest_cursor, read_events, sweep_events
from assent.stores.sql.limits import delete_old_counts
from assent.stores.sql.listing import conversation_page
from assent.stores.sql.policy_edits import EditResult, declare_tools, read_declarations
from assent.stores.sql.statement import (
    Connection,
    Statement,
    span_to_micros,
    to_micros,
    update_rows,
    upsert_rows,
)
from assent.stores.sql.tables import approvals, pods, policy, processes, settings
from assent.stores.sql.waiting import ChangeSignal


class SqlLiveState:
    """The methods of `gate.store.Store` about events, settings, budgets, tools and pods, with SQL tables."""

    def __init__(
        self, database: Database, boot: str, signal: ChangeSignal, questions: ApprovalReader
    ) -> None:
        self._live_database = database
        self._live_boot = boot
        self._signal = signal
        self._live_questions = questions

    # ---- events ---------------------------------------------------------------------------------

    async def events(self, after: str, *, limit: int = 200) -> EventPage:
        """The events after a cursor."""
        return await self._live_database.read_quickly(partial(read_events, after=after, limit=limit))

    async def latest_cursor(self) -> str:
        """The cursor after the latest event."""
        return await self._live_database.read_quickly(newest_cursor)

    @property
    def change_count(self) -> int:
        """Counter, incremented on every change of this or another process."""
        return self._signal.count

    async def wait_for_change(self, since: int) -> int:
        """Wait until `change_count` differs from `since`."""
        return await self._signal.wait_for_change_after(since)

    # ---- the pause, settings and budgets ---------------------------------------------------------

    async def pause(self, by: str) -> None:
        """Pause every call that is not a read."""
        await self._run_edit(partial(pause, by=by))

    async def resume(self, by: str) -> None:  # noqa: ARG002 - the audit says who did
        """Resume calls."""
        await self._run_edit(partial(resume, questions=self._live_questions))

    async def setting(self, name: str) -> str | None:
        """The value of a setting."""
        return await self._live_database.read_quickly(partial(read_setting, name=name))

    async def save_setting(self, name: str, value: str | None, *, by: str) -> None:
        """Write a setting; None removes it."""
        await self._run_edit(partial(save_setting, name=name, value=value, by=by))

    async def count_call(self, principal: str, calls: int, window: timedelta) -> BudgetResult:
        """Count one call against a budget of calls per window, or refuse it."""
        return cast("BudgetResult", await self._live_database.put(CountCall(principal, calls, window)))

    # ---- tools and conversations ----------------------------------------------------------------

    async def set_declarations(
        self, agent: str, origin: str, declared: Sequence[DeclaredTool], *, by: str
    ) -> None:
        """Replace the tools that an origin offers to an agent."""
        offered = tuple(declared)
        await self._run_edit(partial(declare_tools, agent=agent, origin=origin, offered=offered, by=by))

    async def declarations(self) -> Sequence[DeclaredTool]:
        """Every tool that is declared to all processes."""
        return await self._live_database.read(read_declarations)

    async def join(self, pod: Pod) -> Sequence[Pod]:
        """Register this process; returns the other live pods."""
        join = partial(register_pod, boot=self._live_boot, pod=pod)
        return cast("Sequence[Pod]", await self._run_edit(join))

    async def leave(self) -> None:
        """Unregister this process."""
        await self._run_edit(partial(remove_pod, boot=self._live_boot))

    async def conversations(
        self, owner: str | None = None, *, limit: int = 100, after: str = ""
    ) -> ConversationPage:
        """A page of the conversations of one owner, or of all."""
        return await self._live_database.read(
            partial(conversation_page, owner=owner, limit=limit, after=after)
        )

    async def _delete_old_rows(self) -> None:
        """Delete events and counts that are too old to be used."""
        await self._live_database.read_quickly(assign_event_positions)
        await self._run_edit(partial(sweep_events, keep=EVENT_RETENTION))
        await self._run_edit(delete_old_counts)

    async def _run_edit(self, edit: Callable[[Connection, Moment], EditResult]) -> object:
        return await self._live_database.put(EditTables(edit))


def pause(connection: Connection, moment: Moment, by: str) -> EditResult:
    """Pause calls; if they are paused already, the first person stays recorded."""
    touched = _SET_PAUSE.run(connection, by=by, at=to_micros(moment.at))
    return EditResult(policy=True, event=EventKind.PAUSED) if touched else EditResult()


def resume(connection: Connection, moment: Moment, questions: ApprovalReader) -> EditResult:
    """Resume calls; each approved call can be used for its full time from now on."""
    # Approvals are locked before the policy row, in the same order as in other transactions.
    approved = [row[0] for row in _LOCK_APPROVED.fetch(connection)]
    if not _CLEAR_PAUSE.run(connection):
        return EditResult()
    found = questions.read_approvals(connection, approved) if approved else {}
    extended = [extend_after_pause(one, at=moment.at) for one in found.values()]
    _SET_USABLE_FOR.write(connection, [(span_to_micros(one.usable_for), one.id) for one in extended])
    return EditResult(policy=True, event=EventKind.RESUMED)


def save_setting(connection: Connection, moment: Moment, name: str, value: str | None, by: str) -> EditResult:
    """Write a setting, or remove it."""
    if value is None:
        return EditResult(policy=bool(_DELETE_SETTING.run(connection, name=name)))
    row = {"name": name, "value": value, "set_by": by, "set_at": to_micros(moment.at)}
    _SAVE_SETTING.run_many(connection, [row])
    return EditResult(policy=True)


def read_setting(connection: Connection, name: str) -> str | None:
    """The value of a setting."""
    rows = _READ_SETTING.fetch(connection, name=name)
    return rows[0][0] if rows else None


_SET_PAUSE = Statement(
    update(policy)
    .where(policy.c.paused_at.is_(None))
    .values(paused_at=bindparam("at"), paused_by=bindparam("by"))
)
_CLEAR_PAUSE = Statement(
    update(policy)
    .where(policy.c.paused_at.is_not(None))
    .values(paused_at=literal_column("NULL"), paused_by=literal_column("NULL"))
)
# Locked in one order, so that two transactions never deadlock.
_LOCK_APPROVED = Statement(
    select(approvals.c.id)
    .where(approvals.c.state == literal_column("'approved'"), approvals.c.closed_at.is_(None))
    .order_by(approvals.c.id)
    .with_for_update()
)
_SET_USABLE_FOR = update_rows(approvals, "id", "usable_for")
_SAVE_SETTING = upsert_rows(settings, "name")
_DELETE_SETTING = Statement(delete(settings).where(settings.c.name == bindparam("name")))
_READ_SETTING = Statement(select(settings.c.value).where(settings.c.name == bindparam("name")))


POD_TIMEOUT = timedelta(seconds=60)
"""The time without a heartbeat after which a process is not compared with the others."""


def register_pod(connection: Connection, moment: Moment, boot: str, pod: Pod) -> EditResult:
    """Register this process; returns the other live pods."""
    now = to_micros(moment.at)
    horizon = now - span_to_micros(POD_TIMEOUT)
    _DELETE_DEAD_PODS.run(connection, horizon=horizon)
    row = {"boot": boot, "workspace": pod.workspace, "policy_digest": pod.policy_digest}
    _SAVE_POD.run_many(connection, [{**row, "version": pod.version, "joined_at": now}])
    rows = _LIVE_PODS.fetch(connection, horizon=horizon)
    return EditResult(tuple(_pod_from_row(row) for row in rows if row[0] != boot))


def remove_pod(connection: Connection, moment: Moment, boot: str) -> EditResult:  # noqa: ARG001
    """Remove the registration of a process that ends."""
    _DELETE_POD.run(connection, boot=boot)
    return EditResult()


def read_pods(connection: Connection, at: datetime) -> tuple[Pod, ...]:
    """The live pods, in the order in which they joined."""
    horizon = to_micros(at - POD_TIMEOUT)
    return tuple(_pod_from_row(row) for row in _LIVE_PODS.fetch(connection, horizon=horizon))


def _pod_from_row(row: Sequence[str]) -> Pod:
    _, workspace, policy_digest, version = row
    return Pod(workspace=workspace, policy_digest=policy_digest, version=version)


_IS_ALIVE = processes.c.seen_at >= bindparam("horizon")
_SAVE_POD = upsert_rows(pods, "boot")
_DELETE_POD = Statement(delete(pods).where(pods.c.boot == bindparam("boot")))
_DELETE_DEAD_PODS = Statement(
    delete(pods).where(pods.c.boot.not_in(select(processes.c.boot).where(_IS_ALIVE)))
)
_LIVE_PODS = Statement(
    select(pods.c.boot, pods.c.workspace, pods.c.policy_digest, pods.c.version)
    .join(processes, processes.c.boot == pods.c.boot)
    .where(_IS_ALIVE)
    .order_by(pods.c.joined_at, pods.c.boot)
)
