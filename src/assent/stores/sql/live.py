"""The live part of a store in an SQL database: what its processes tell each other."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple, cast

from sqlalchemy import Connection, bindparam, delete, literal_column, select, text, update

from assent.gate.approval import Approval, revived
from assent.gate.catalog import Declared
from assent.gate.feed import changes
from assent.gate.live import KEPT, Event, Happened, Spent, Talks, What
from assent.gate.mark import fresh
from assent.gate.pods import Pod
from assent.gate.ports import Moment
from assent.stores.sql import limits as spending
from assent.stores.sql import listing as talks
from assent.stores.sql import policy_edits as declarations
from assent.stores.sql.approval_rows import moved_row
from assent.stores.sql.approvals import Questions
from assent.stores.sql.batch import Edit, Spend
from assent.stores.sql.policy_edits import Edited
from assent.stores.sql.register import Keeping
from assent.stores.sql.statement import Statement, inserting, updating, upserting
from assent.stores.sql.tables import approvals, events, pods, policy, processes, settings
from assent.stores.sql.times import kept, kept_span, moment
from assent.stores.store import Shared


class SqlLive:
    """Keeps it in tables; see `gate.live.Live` for what each method promises."""

    def __init__(self, keeping: Keeping, shared: Shared) -> None:
        self._live = keeping
        self._shared_live = shared

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
        return self._shared_live.stirs.count

    async def stirred(self, since: int) -> int:
        """Come back when `stirs` is another number."""
        return await self._shared_live.stirs.after(since)

    # ---- the switch, settings and budgets -------------------------------------------------------

    async def pause(self, by: str) -> None:
        """Let each call that is not a read wait."""
        await self._do(partial(paused, by=by))

    async def unpause(self, by: str) -> None:  # noqa: ARG002 - the audit says who did
        """Let calls go on."""
        await self._do(partial(unpaused, questions=self._shared_live.questions))

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
        await self._do(partial(declarations.declared, agent=agent, origin=origin, offered=offered, by=by))

    async def declarations(self) -> Sequence[Declared]:
        """Every tool that was declared to all processes."""
        return await self._live.read(declarations.declarations_of)

    async def join(self, pod: Pod) -> Sequence[Pod]:
        """Say what this process is; what the others are that live."""
        joining = partial(joined, boot=self._shared_live.boot, pod=pod)
        return cast("Sequence[Pod]", await self._do(joining))

    async def leave(self) -> None:
        """Say that this process ends."""
        await self._do(partial(left, boot=self._shared_live.boot))

    async def conversations(self, owner: str | None = None, *, limit: int = 100, after: str = "") -> Talks:
        """A page of somebody's conversations, or of everybody's."""
        return await self._live.read(partial(talks.talks_of, owner=owner, limit=limit, after=after))

    async def _forget_old(self) -> None:
        """Let go of what nobody can ask for any more."""
        await self._live.look(place)
        await self._do(partial(swept, keep=KEPT))
        await self._do(spending.forget)

    async def _do(self, edit: Callable[[Connection, Moment], Edited]) -> object:
        return await self._live.put(Edit(edit))


Row = dict[str, object]


class Cursor(NamedTuple):
    """The place of an event, and the life of the database: a restored one begins another."""

    life: str
    place: int

    def __str__(self) -> str:
        return f"{self.life}.{self.place}"


def rows_of(before: Approval | None, after: Approval, at: datetime) -> Iterator[Row]:
    """What a step of an approval is to those who look on."""
    for kind in changes(before, after):
        yield {
            "happened_at": kept(at),
            "kind": kind.value,
            "approval_id": after.id,
            "owner": after.owner,
            "conversation_id": after.call.conversation,
            "agent_id": after.call.agent,
        }


def row_of(kind: What, at: datetime) -> Row:
    """What concerns everybody."""
    nothing = {"approval_id": "", "owner": "", "conversation_id": "", "agent_id": ""}
    return {"happened_at": kept(at), "kind": kind.value, **nothing}


def write(connection: Connection, rows: Sequence[Row]) -> None:
    """Write events in the transaction that is open."""
    _INSERT.many(connection, rows)


def events_of(connection: Connection, after: str, limit: int) -> Happened:
    """What happened after a cursor; one that is too old, or not of this life, gives a reset."""
    cursor = _read(after)
    found: Sequence[Any] = () if cursor is None else _found(connection, cursor.place, limit)
    # INVARIANT: read after the events: what is swept in between must not look as if it had never been.
    life, swept = _life(connection)
    since = 0 if not after else None if cursor is None or cursor.life != life else cursor.place
    if since is None or since < swept:
        return Happened((), newest_of(connection), reset=True)
    last = found[-1][0] if found else since
    return Happened(tuple(_event(row, life) for row in found), str(Cursor(life, last)))


def newest_of(connection: Connection) -> str:
    """The cursor after which everything is that is committed from now on."""
    place(connection)
    life, swept = _life(connection)
    ((last,),) = _LAST[connection.dialect.name].all(connection)
    return str(Cursor(life, max(last or 0, swept)))


def place(connection: Connection) -> bool:
    """Put every event that is committed behind those that have a place; whether there were any.

    SQLite has one writer at a time, so that numbers are places. PostgreSQL gives a number before a commit,
    so a place is given after it: by one statement, under a lock that no client can hold on to.
    """
    return connection.dialect.name == "postgresql" and bool(_PLACE.all(connection))


def swept(connection: Connection, moment: Moment, keep: timedelta) -> Edited:
    """Forget what happened longer ago than that, as far as it has a place."""
    database = connection.dialect.name
    ((last,),) = _OLD[database].all(connection, before=kept(moment.at - keep))
    if last is None:
        return Edited(0)
    _SWEPT.run(connection, swept=f"0.{last}")
    return Edited(_SWEEP[database].run(connection, last=last))


def forgotten(connection: Connection) -> None:
    """Begin another life: what somebody saw of this database before it was restored says nothing any more."""
    _FORGET_EVENTS.run(connection)
    _NEW_LIFE.run(connection, life=fresh())


def _read(after: str) -> Cursor | None:
    """The cursor that a text is; an empty one is before everything, anything else is none."""
    if not after:
        return Cursor("", 0)
    life, _, place = after.partition(".")
    is_number = place.isascii() and place.isdigit() and len(place) <= _DIGITS
    return Cursor(life, int(place)) if is_number else None


def _found(connection: Connection, since: int, limit: int) -> Sequence[Any]:
    """INVARIANT: nothing is found only when all that is committed has a place: who finds nothing sleeps."""
    statement = _AFTER[connection.dialect.name]
    rows = statement.all(connection, place=since, most=limit)
    return statement.all(connection, place=since, most=limit) if not rows and place(connection) else rows


def _life(connection: Connection) -> tuple[str, int]:
    ((life, swept),) = _LIFE.all(connection)
    return life, int(swept.rpartition(".")[2])


def _event(row: Sequence[Any], life: str) -> Event:
    place, at, kind, approval, owner, conversation, agent = row
    return Event(
        cursor=str(Cursor(life, place)),
        at=moment(at),
        kind=What(kind),
        approval=approval,
        owner=owner,
        conversation=conversation,
        agent=agent,
    )


def _on_each(words: str) -> dict[str, Statement]:
    """A statement of our own words, by the name that each database has for a place."""
    return {
        "sqlite": Statement(text(words.format(place="number"))),
        "postgresql": Statement(text(words.format(place="place"))),
    }


_DIGITS = 18
"""More could not be a number of ours."""
_INSERT = inserting(events)
_AFTER = _on_each(
    "SELECT {place}, happened_at, kind, approval_id, owner, conversation_id, agent_id FROM events"
    " WHERE {place} > CAST(:place AS BIGINT) ORDER BY {place} LIMIT CAST(:most AS BIGINT)"
)
_LAST = _on_each("SELECT max({place}) FROM events")
_OLD = _on_each("SELECT max({place}) FROM events WHERE happened_at <= CAST(:before AS BIGINT)")
_SWEEP = _on_each("DELETE FROM events WHERE {place} <= CAST(:last AS BIGINT)")
_PLACE = Statement(text("SELECT place_events() WHERE EXISTS (SELECT 1 FROM events WHERE place IS NULL)"))
_LIFE = Statement(text("SELECT life, swept FROM policy"))
_SWEPT = Statement(update(policy).values(swept=bindparam("swept")))
_FORGET_EVENTS = Statement(text("DELETE FROM events"))
_NEW_LIFE = Statement(update(policy).values(life=bindparam("life"), swept="0.0"))


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
