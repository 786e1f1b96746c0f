"""The chat's part of a store in an SQL database: runs, and the lines of their logs."""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any, cast

from sqlalchemy import Connection, bindparam, select

from assent.errors import ConflictError, NotFoundError
from assent.gate.preset import Delivery
from assent.gate.store import Moment
from assent.gate.transcript import (
    ALL_KINDS,
    OPEN_STATUSES,
    ChatRun,
    LogKind,
    LogLine,
    Post,
    RunStatus,
    StartedRun,
    StartResult,
    check_post,
    start_run,
)
from assent.stores.batch import Edit
from assent.stores.chat_tables import posts, run_lines, runs
from assent.stores.clock import Clock
from assent.stores.policy import Edited, beaten
from assent.stores.queries import moment_of
from assent.stores.register import Keeping
from assent.stores.statements import Statement, inserting, listed, upserting
from assent.stores.tables import conversations, processes
from assent.stores.times import kept, kept_span, maybe_kept, maybe_moment


class SqlChat:
    """Keeps it in tables; see `gate.transcript.Transcript` for what each method promises."""

    def __init__(self, keeping: Keeping, boot: str, clock: Clock | None) -> None:
        self._chat = keeping
        self._chat_boot = boot
        self._chat_clock = clock

    async def begin_run(
        self, run: ChatRun, *, post: Post | None = None, replaces: Collection[str] = ()
    ) -> StartedRun:
        """Begin a run here, or come back with the one that the same message began or that is still open."""
        new = replace(run, boot=self._chat_boot)
        return cast(
            "StartedRun", await self._write(partial(_begun, run=new, post=post, replaces=tuple(replaces)))
        )

    async def run_of_post(self, post: Post) -> ChatRun | None:
        """The run that a request with this key began."""
        return await self._chat.look(partial(_run_of_post, post=post))

    async def keep_post(self, post: Post, run: str) -> None:
        """Keep a key whose request was about a run that is there."""
        await self._write(partial(_post_kept, post=post, run=run))

    async def chat_run(self, id: str) -> ChatRun:
        """The run of an id."""
        found = await self._chat.look(lambda connection: _RUN.all(connection, id=id))
        if not found:
            raise NotFoundError("run", id)
        return run_of(found[0])

    async def chat_runs(self, conversation: str) -> Sequence[ChatRun]:
        """The runs of a conversation, oldest first."""
        found = await self._chat.read(lambda connection: _RUNS.all(connection, conversation=conversation))
        return [run_of(row) for row in found]

    async def note(self, id: str, lines: Sequence[LogLine], course: RunStatus = RunStatus.RUNNING) -> ChatRun:
        """Add lines to a log, and end the run with them."""
        adding = partial(_noted, id_=id, boot=self._chat_boot, lines=tuple(lines), course=course)
        return cast("ChatRun", await self._write(adding))

    async def lines(
        self, runs: Collection[str], *, after: int = 0, kinds: Collection[LogKind] = ALL_KINDS
    ) -> Sequence[LogLine]:
        """The lines of these runs' logs, run by run in the order given."""
        words = {"runs": json.dumps(list(runs)), "kinds": json.dumps(list(kinds)), "after": after}
        found = await self._chat.read(lambda connection: _LINES.all(connection, **words))
        order = {run: place for place, run in enumerate(runs)}
        lines = [LogLine(number, LogKind(kind), body, run) for run, number, kind, body in found]
        return sorted(lines, key=lambda line: (order[line.run], line.number))

    async def take_run(self, id: str, silent: timedelta) -> ChatRun | None:
        """Have a run here that is suspended, or whose process is silent."""
        taking = partial(_taken, id_=id, boot=self._chat_boot, silent=silent)
        return cast("ChatRun | None", await self._write(taking))

    async def request_end(self, id: str, wish: str) -> None:
        """Say how a run is to end."""
        await self._write(partial(_wished, id_=id, wish=wish))

    async def stale_runs(self, silent: timedelta) -> Sequence[ChatRun]:
        """Runs of this process that are wished to end, and those of processes that are silent so long."""
        return await self._chat.look(partial(self._restless, silent=silent))

    def _restless(self, connection: Connection, silent: timedelta) -> Sequence[ChatRun]:
        now = moment_of(connection, self._chat_clock).at
        rows = _RESTLESS.all(connection, boot=self._chat_boot, horizon=kept(now) - kept_span(silent))
        return [run_of(row) for row in rows]

    async def _write(self, edit: Callable[[Connection, Moment], Edited]) -> object:
        return await self._chat.put(Edit(edit))


def run_of(row: Sequence[Any]) -> ChatRun:
    """The run that a row stands for."""
    delivery = row[7]
    return ChatRun(
        id=row[0],
        conversation=row[1],
        owner=row[2],
        agent=row[3],
        message=row[4],
        mode=row[5],
        model=row[6],
        delivery=None if delivery is None else Delivery(delivery),
        boot=row[8],
        status=RunStatus(row[9]),
        requested_end=row[10],
        length=row[11],
        began_at=maybe_moment(row[12]),
        ended_at=maybe_moment(row[13]),
        digest=row[14] or "",
        replaced_by=row[15] or "",
    )


def _row(run: ChatRun) -> dict[str, object]:
    return {
        "id": run.id,
        "conversation_id": run.conversation,
        "owner": run.owner,
        "agent_id": run.agent,
        "message": run.message,
        "mode": run.mode,
        "model": run.model,
        "delivery": None if run.delivery is None else run.delivery.value,
        "boot": run.boot,
        "course": run.status.value,
        "wish": run.requested_end,
        "length": run.length,
        "began_at": maybe_kept(run.began_at),
        "ended_at": maybe_kept(run.ended_at),
        "digest": run.digest or None,
        "replaced_by": run.replaced_by or None,
    }


def _begun(
    connection: Connection, moment: Moment, run: ChatRun, post: Post | None, replaces: Collection[str]
) -> Edited:
    # Two that begin at once meet here: the second finds the first one's run.
    _HOLD.all(connection, conversation=run.conversation)
    known = None if post is None else _run_of_post(connection, post)
    if known is not None:
        return Edited(StartedRun(known, StartResult.REPEATED))
    there = [run_of(row) for row in _RUNS.all(connection, conversation=run.conversation)]
    begun = start_run(run, there, replaces)
    if begun.start is not StartResult.NEW:
        return Edited(begun)
    if post is not None and not _POST.run(connection, **post._asdict(), run_id=run.id):
        # Another conversation took the key meanwhile: its request is not this one.
        raise ConflictError(f"the key `{post.key}` belongs to another request: use a new one")
    new = replace(run, began_at=moment.at)
    replaced = [replace(one, replaced_by=run.id) for one in there if one.id in replaces]
    _SAVE.many(connection, [_row(one) for one in replaced])
    _BEGIN.many(connection, [_row(new)])
    # Who begins or takes a run lives: an idle process is heard of too seldom to be believed to have one.
    beaten(connection, moment, run.boot)
    return Edited(StartedRun(new, StartResult.NEW), change_count=True)


def _run_of_post(connection: Connection, post: Post) -> ChatRun | None:
    found = _POSTED.all(connection, sender=post.sender, key=post.key)
    if not found:
        return None
    digest, run = found[0]
    check_post(post, digest)
    return run_of(_RUN.all(connection, id=run)[0])


def _post_kept(connection: Connection, moment: Moment, post: Post, run: str) -> Edited:  # noqa: ARG001
    if not _POST.run(connection, **post._asdict(), run_id=run):
        _run_of_post(connection, post)
    return Edited()


def _noted(
    connection: Connection, moment: Moment, id_: str, boot: str, lines: Sequence[LogLine], course: RunStatus
) -> Edited:
    run = _held(connection, id_)
    # INVARIANT: a log has one writer; whoever was taken for dead writes, and so runs, nothing any more.
    if run.boot != boot:
        raise ConflictError(f"run `{id_}` goes on in another process")
    new = [line for line in lines if line.number >= run.length]
    ended = None if course is RunStatus.RUNNING else moment.at
    # A store that did not hear whether it was done tries again, and finds it done.
    if not new and run.status is course:
        return Edited(run)
    if run.status is not RunStatus.RUNNING:
        raise ConflictError(f"run `{id_}` is {run.status}")
    rows = [{"run_id": id_, "number": one.number, "kind": one.kind.value, "body": one.body} for one in new]
    _ADD.many(connection, rows)
    changed = replace(run, length=run.length + len(new), status=course, ended_at=ended)
    _SAVE.many(connection, [_row(changed)])
    return Edited(changed, change_count=course is not RunStatus.RUNNING)


def _taken(connection: Connection, moment: Moment, id_: str, boot: str, silent: timedelta) -> Edited:
    run = _held(connection, id_)
    if run.status is RunStatus.RUNNING and run.boot != boot:
        heard = _HEARD.all(connection, boot=run.boot)
        if heard and heard[0][0] > kept(moment.at) - kept_span(silent):
            return Edited(None)
    elif run.status not in OPEN_STATUSES:
        return Edited(None)
    taken = replace(run, boot=boot, status=RunStatus.RUNNING, ended_at=None)
    _SAVE.many(connection, [_row(taken)])
    beaten(connection, moment, boot)
    return Edited(taken, change_count=True)


def _wished(connection: Connection, moment: Moment, id_: str, wish: str) -> Edited:  # noqa: ARG001
    run = _held(connection, id_)
    if run.status not in OPEN_STATUSES or run.requested_end:
        return Edited()
    _SAVE.many(connection, [_row(replace(run, requested_end=wish))])
    return Edited(change_count=True)


def _held(connection: Connection, id_: str) -> ChatRun:
    found = _HELD.all(connection, id=id_)
    if not found:
        raise NotFoundError("run", id_)
    return run_of(found[0])


_c = runs.c
_RUN = Statement(select(*_c).where(_c.id == bindparam("id")))
_HELD = Statement(select(*_c).where(_c.id == bindparam("id")).with_for_update())
_RUNS = Statement(
    select(*_c).where(_c.conversation_id == bindparam("conversation")).order_by(_c.began_at, _c.id)
)
_HOLD = Statement(
    select(conversations.c.id).where(conversations.c.id == bindparam("conversation")).with_for_update()
)
_HEARD = Statement(select(processes.c.seen_at).where(processes.c.boot == bindparam("boot")))
_RESTLESS = Statement(
    select(*_c)
    .select_from(runs.outerjoin(processes, processes.c.boot == _c.boot))
    .where(
        _c.course == RunStatus.RUNNING.value,
        ((_c.boot == bindparam("boot")) & (_c.wish != ""))
        | (
            (_c.boot != bindparam("boot"))
            & (processes.c.seen_at.is_(None) | (processes.c.seen_at <= bindparam("horizon")))
        ),
    )
    .order_by(_c.began_at, _c.id)
)
_LINES = Statement(
    select(run_lines.c.run_id, run_lines.c.number, run_lines.c.kind, run_lines.c.body).where(
        listed(run_lines.c.run_id, "runs"),
        listed(run_lines.c.kind, "kinds"),
        run_lines.c.number >= bindparam("after"),
    )
)
_POSTED = Statement(
    select(posts.c.digest, posts.c.run_id).where(
        posts.c.sender == bindparam("sender"), posts.c.key == bindparam("key")
    )
)
_POST = upserting(posts, "sender", "key", keep=True)
_BEGIN = inserting(runs)
_SAVE = upserting(runs, "id")
_ADD = inserting(run_lines)
