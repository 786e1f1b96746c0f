"""The live part of a store in an SQL database: what its processes tell each other."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import cast

from sqlalchemy import bindparam, delete, literal_column, select, update

from assent.gate.approval import revived
from assent.gate.catalog import Declared
from assent.gate.live import KEPT, Happened, Spent, Talks, What
from assent.gate.pods import Pod
from assent.gate.ports import Moment
from assent.stores.sql.approval_rows import moved_row
from assent.stores.sql.approvals import Questions
from assent.stores.sql.batch import Edit, Spend
from assent.stores.sql.events import events_of, newest_of, place, swept
from assent.stores.sql.limits import forget
from assent.stores.sql.listing import talks_of
from assent.stores.sql.policy_edits import Edited, declarations_of
from assent.stores.sql.policy_edits import declared as declare_tools
from assent.stores.sql.register import Keeping
from assent.stores.sql.statement import Connection, Statement, updating, upserting
from assent.stores.sql.tables import approvals, pods, policy, processes, settings
from assent.stores.sql.times import kept, kept_span
from assent.stores.sql.waiting import Stirs


class SqlLive:
    """Keeps it in tables; see `gate.live.Live` for what each method promises."""

    def __init__(self, keeping: Keeping, boot: str, stirs: Stirs, questions: Questions) -> None:
        self._live = keeping
        self._live_boot = boot
        self._stirs = stirs
        self._live_questions = questions

    # ---- what happens ---------------------------------------------------------------------------

    async def events(self, after: str, *, limit: int = 200) -> Happened:
        """What happened after a cursor."""
        return await self._live.look(partial(events_of, after=after, limit=limit))

    async def newest(self) -> str:
        """The cursor after which everything is that happens from now on."""
        return await self._live.look(newest_of)

    @property
    def stirs(self) -> int:
        """A number that is another one after something happened, here or elsewhere."""
        return self._stirs.count

    async def stirred(self, since: int) -> int:
        """Come back when `stirs` is another number."""
        return await self._stirs.after(since)

    # ---- the switch, settings and budgets -------------------------------------------------------

    async def pause(self, by: str) -> None:
        """Let each call that is not a read wait."""
        await self._do(partial(paused, by=by))

    async def unpause(self, by: str) -> None:  # noqa: ARG002 - the audit says who did
        """Let calls go on."""
        await self._do(partial(unpaused, questions=self._live_questions))

    async def setting(self, name: str) -> str | None:
        """What a setting says."""
        return await self._live.look(partial(setting_of, name=name))

    async def save_setting(self, name: str, value: str | None, *, by: str) -> None:
        """Write a setting, or with None remove it."""
        await self._do(partial(saved_setting, name=name, value=value, by=by))

    async def spend(self, principal: str, calls: int, window: timedelta) -> Spent:
        """Count one call of somebody who may make so many in any such time, or refuse it."""
        return cast("Spent", await self._live.put(Spend(principal, calls, window)))

    # ---- tools and conversations ----------------------------------------------------------------

    async def declare(self, agent: str, origin: str, declared: Sequence[Declared], *, by: str) -> None:
        """What an origin offers to an agent is this and nothing else."""
        offered = tuple(declared)
        await self._do(partial(declare_tools, agent=agent, origin=origin, offered=offered, by=by))

    async def declarations(self) -> Sequence[Declared]:
        """Every tool that was declared to all processes."""
        return await self._live.read(declarations_of)

    async def join(self, pod: Pod) -> Sequence[Pod]:
        """Say what this process is; what the others are that live."""
        joining = partial(joined, boot=self._live_boot, pod=pod)
        return cast("Sequence[Pod]", await self._do(joining))

    async def leave(self) -> None:
        """Say that this process ends."""
        await self._do(partial(left, boot=self._live_boot))

    async def conversations(self, owner: str | None = None, *, limit: int = 100, after: str = "") -> Talks:
        """A page of somebody's conversations, or of everybody's."""
        return await self._live.read(partial(talks_of, owner=owner, limit=limit, after=after))

    async def _forget_old(self) -> None:
        """Let go of what nobody can ask for any more."""
        await self._live.look(place)
        await self._do(partial(swept, keep=KEPT))
        await self._do(forget)

    async def _do(self, edit: Callable[[Connection, Moment], Edited]) -> object:
        return await self._live.put(Edit(edit))


def paused(connection: Connection, moment: Moment, by: str) -> Edited:
    """Let calls wait; who paused first is kept."""
    touched = _PAUSE.run(connection, by=by, at=kept(moment.at))
    return Edited(policy=True, told=What.PAUSED) if touched else Edited()


def unpaused(connection: Connection, moment: Moment, questions: Questions) -> Edited:
    """Let calls go on; each yes that waited has its whole time from now on."""
    # Before the switch: whoever holds an approval may be about to change policy, never the other way round.
    approved = [row[0] for row in _APPROVED.all(connection)]
    if not _UNPAUSE.run(connection):
        return Edited()
    found = questions.found(connection, approved) if approved else {}
    fresh = [moved_row(revived(one, at=moment.at)) for one in found.values()]
    _REVIVE.many(connection, [{"id": row["id"], "usable_for": row["usable_for"]} for row in fresh])
    return Edited(policy=True, told=What.RESUMED)


def saved_setting(connection: Connection, moment: Moment, name: str, value: str | None, by: str) -> Edited:
    """Write a setting, or remove it."""
    if value is None:
        return Edited(policy=bool(_REMOVE.run(connection, name=name)))
    row = {"name": name, "value": value, "set_by": by, "set_at": kept(moment.at)}
    _SET.many(connection, [row])
    return Edited(policy=True)


def setting_of(connection: Connection, name: str) -> str | None:
    """What a setting says."""
    rows = _SETTING.all(connection, name=name)
    return rows[0][0] if rows else None


_PAUSE = Statement(
    update(policy)
    .where(policy.c.paused_at.is_(None))
    .values(paused_at=bindparam("at"), paused_by=bindparam("by"))
)
_UNPAUSE = Statement(
    update(policy)
    .where(policy.c.paused_at.is_not(None))
    .values(paused_at=literal_column("NULL"), paused_by=literal_column("NULL"))
)
# In one order, so that two who hold several never wait for each other.
_APPROVED = Statement(
    select(approvals.c.id)
    .where(approvals.c.state == literal_column("'approved'"), approvals.c.closed_at.is_(None))
    .order_by(approvals.c.id)
    .with_for_update()
)
_REVIVE = updating(approvals, "id", "usable_for")
_SET = upserting(settings, "name")
_REMOVE = Statement(delete(settings).where(settings.c.name == bindparam("name")))
_SETTING = Statement(select(settings.c.value).where(settings.c.name == bindparam("name")))


ALIVE = timedelta(seconds=60)
"""A process that has shown no sign of life for so long is not compared with."""


def joined(connection: Connection, moment: Moment, boot: str, pod: Pod) -> Edited:
    """Write down what this process is; what the others are that live."""
    now = kept(moment.at)
    horizon = now - kept_span(ALIVE)
    _FORGET_PODS.run(connection, horizon=horizon)
    row = {"boot": boot, "workspace": pod.workspace, "policy_digest": pod.policy_digest}
    _JOIN.many(connection, [{**row, "version": pod.version, "joined_at": now}])
    rows = _LIVING.all(connection, horizon=horizon)
    return Edited(tuple(_pod(row) for row in rows if row[0] != boot))


def left(connection: Connection, moment: Moment, boot: str) -> Edited:  # noqa: ARG001
    """Forget a process that ends."""
    _LEAVE.run(connection, boot=boot)
    return Edited()


def pods_of(connection: Connection, at: datetime) -> tuple[Pod, ...]:
    """Every pod that lives, in the order in which they joined."""
    horizon = kept(at - ALIVE)
    return tuple(_pod(row) for row in _LIVING.all(connection, horizon=horizon))


def _pod(row: Sequence[str]) -> Pod:
    _, workspace, policy_digest, version = row
    return Pod(workspace=workspace, policy_digest=policy_digest, version=version)


_LIVES = processes.c.seen_at >= bindparam("horizon")
_JOIN = upserting(pods, "boot")
_LEAVE = Statement(delete(pods).where(pods.c.boot == bindparam("boot")))
_FORGET_PODS = Statement(delete(pods).where(pods.c.boot.not_in(select(processes.c.boot).where(_LIVES))))
_LIVING = Statement(
    select(pods.c.boot, pods.c.workspace, pods.c.policy_digest, pods.c.version)
    .join(processes, processes.c.boot == pods.c.boot)
    .where(_LIVES)
    .order_by(pods.c.joined_at, pods.c.boot)
)
