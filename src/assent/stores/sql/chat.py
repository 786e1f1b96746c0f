"""The chat runs of an SQL store, and the lines of their logs."""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any, cast

from sqlalchemy import bindparam, select

from assent.errors import ConflictError, NotFoundError
from assent.gate.conversation import (
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
from assent.gate.policy import Moment
from assent.gate.preset import Delivery
from assent.stores.sql.batch import Database, EditTables
from assent.stores.sql.policy_edits import EditResult, record_heartbeat
from assent.stores.sql.statement import (
    Clock,
    Connection,
    Statement,
    from_micros_or_none,
    in_json_list,
    insert_rows,
    read_moment,
    span_to_micros,
    to_micros,
    to_micros_or_none,
    upsert_rows,
)
from assent.stores.sql.tables import conversations, posts, processes, run_lines, runs


class SqlChat:
    """Implements `gate.conversation.Transcript` with SQL tables."""

    def __init__(self, database: Database, boot: str, clock: Clock | None) -> None:
        self._chat_database = database
        self._chat_boot = boot
        self._chat_clock = clock

    async def begin_run(
        self, run: ChatRun, *, post: Post | None = None, replaces: Collection[str] = ()
    ) -> StartedRun:
        """Begin a run in this process, or return the run of the same message or the one still open."""
        new = replace(run, boot=self._chat_boot)
        return cast(
            "StartedRun",
            await self._run_edit(partial(_begin_run, run=new, post=post, replaces=tuple(replaces))),
        )

    async def find_run_of_post(self, post: Post) -> ChatRun | None:
        """The run that a request with this key began."""
        return await self._chat_database.read_quickly(partial(_run_of_post, post=post))

    async def save_post(self, post: Post, run: str) -> None:
        """Store the key of a request about an existing run."""
        await self._run_edit(partial(_save_post, post=post, run=run))

    async def chat_run(self, id: str) -> ChatRun:
        """The run with this id."""
        found = await self._chat_database.read_quickly(lambda connection: _RUN.fetch(connection, id=id))
        if not found:
            raise NotFoundError("run", id)
        return run_from_row(found[0])

    async def chat_runs(self, conversation: str) -> Sequence[ChatRun]:
        """The runs of a conversation, oldest first."""
        found = await self._chat_database.read(
            lambda connection: _RUNS.fetch(connection, conversation=conversation)
        )
        return [run_from_row(row) for row in found]

    async def append_lines(
        self, id: str, lines: Sequence[LogLine], status: RunStatus = RunStatus.RUNNING
    ) -> ChatRun:
        """Append lines to the log of a run; `status` may end the run."""
        adding = partial(_append_lines, id_=id, boot=self._chat_boot, lines=tuple(lines), status=status)
        return cast("ChatRun", await self._run_edit(adding))

    async def log_lines(
        self, runs: Collection[str], *, after: int = 0, kinds: Collection[LogKind] = ALL_KINDS
    ) -> Sequence[LogLine]:
        """The log lines of these runs, in the order of the runs."""
        words = {"runs": json.dumps(list(runs)), "kinds": json.dumps(list(kinds)), "after": after}
        found = await self._chat_database.read(lambda connection: _LINES.fetch(connection, **words))
        order = {run: index for index, run in enumerate(runs)}
        lines = [LogLine(number, LogKind(kind), body, run) for run, number, kind, body in found]
        return sorted(lines, key=lambda line: (order[line.run], line.number))

    async def take_over_run(self, id: str, silent: timedelta) -> ChatRun | None:
        """Take over a run that is suspended or whose process is dead."""
        take = partial(_take_over_run, id_=id, boot=self._chat_boot, silent=silent)
        return cast("ChatRun | None", await self._run_edit(take))

    async def request_end(self, id: str, requested_end: str) -> None:
        """Request how a run should end."""
        await self._run_edit(partial(_request_end, id_=id, requested_end=requested_end))

    async def stale_runs(self, silent: timedelta) -> Sequence[ChatRun]:
        """Runs of this process with a requested end, and runs of dead processes."""
        return await self._chat_database.read_quickly(partial(self._read_stale, silent=silent))

    def _read_stale(self, connection: Connection, silent: timedelta) -> Sequence[ChatRun]:
        now = read_moment(connection, self._chat_clock).at
        rows = _STALE_RUNS.fetch(
            connection, boot=self._chat_boot, horizon=to_micros(now) - span_to_micros(silent)
        )
        return [run_from_row(row) for row in rows]

    async def _run_edit(self, edit: Callable[[Connection, Moment], EditResult]) -> object:
        return await self._chat_database.put(EditTables(edit))


def run_from_row(row: Sequence[Any]) -> ChatRun:
    """The run of a row."""
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
        began_at=from_micros_or_none(row[12]),
        ended_at=from_micros_or_none(row[13]),
        digest=row[14] or "",
        replaced_by=row[15] or "",
    )


def _run_to_row(run: ChatRun) -> dict[str, object]:
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
        "began_at": to_micros_or_none(run.began_at),
        "ended_at": to_micros_or_none(run.ended_at),
        "digest": run.digest or None,
        "replaced_by": run.replaced_by or None,
    }


def _begin_run(
    connection: Connection, moment: Moment, run: ChatRun, post: Post | None, replaces: Collection[str]
) -> EditResult:
    # The conversation is locked, so that the second of two concurrent requests finds the run of the first.
    _LOCK_CONVERSATION.fetch(connection, conversation=run.conversation)
    known = None if post is None else _run_of_post(connection, post)
    if known is not None:
        return EditResult(StartedRun(known, StartResult.REPEATED))
    existing = [run_from_row(row) for row in _RUNS.fetch(connection, conversation=run.conversation)]
    begun = start_run(run, existing, replaces)
    if begun.start is not StartResult.NEW:
        return EditResult(begun)
    if post is not None and not _ADD_POST.run(connection, **post._asdict(), run_id=run.id):
        # Another conversation used the key for another request.
        raise ConflictError(f"the key `{post.key}` belongs to another request: use a new one")
    new = replace(run, began_at=moment.at)
    replaced = [replace(one, replaced_by=run.id) for one in existing if one.id in replaces]
    _SAVE_RUN.run_many(connection, [_run_to_row(one) for one in replaced])
    _ADD_RUN.run_many(connection, [_run_to_row(new)])
    # A new heartbeat is written: with an old one, other processes would take over the run.
    record_heartbeat(connection, moment, run.boot)
    return EditResult(StartedRun(new, StartResult.NEW), notifies=True)


def _run_of_post(connection: Connection, post: Post) -> ChatRun | None:
    found = _RUN_OF_POST.fetch(connection, sender=post.sender, key=post.key)
    if not found:
        return None
    digest, run = found[0]
    check_post(post, digest)
    return run_from_row(_RUN.fetch(connection, id=run)[0])


def _save_post(connection: Connection, moment: Moment, post: Post, run: str) -> EditResult:  # noqa: ARG001
    if not _ADD_POST.run(connection, **post._asdict(), run_id=run):
        _run_of_post(connection, post)
    return EditResult()


def _append_lines(
    connection: Connection, moment: Moment, id_: str, boot: str, lines: Sequence[LogLine], status: RunStatus
) -> EditResult:
    run = _lock_run(connection, id_)
    # INVARIANT: a log has one writer; a process that was taken for dead cannot write or run anything more.
    if run.boot != boot:
        raise ConflictError(f"run `{id_}` continues in another process")
    new = [line for line in lines if line.number >= run.length]
    ended = None if status is RunStatus.RUNNING else moment.at
    # A retry after an unknown outcome finds the change already done.
    if not new and run.status is status:
        return EditResult(run)
    if run.status is not RunStatus.RUNNING:
        raise ConflictError(f"run `{id_}` is {run.status}")
    rows = [{"run_id": id_, "number": one.number, "kind": one.kind.value, "body": one.body} for one in new]
    _ADD_LINES.run_many(connection, rows)
    changed = replace(run, length=run.length + len(new), status=status, ended_at=ended)
    _SAVE_RUN.run_many(connection, [_run_to_row(changed)])
    return EditResult(changed, notifies=status is not RunStatus.RUNNING)


def _take_over_run(
    connection: Connection, moment: Moment, id_: str, boot: str, silent: timedelta
) -> EditResult:
    run = _lock_run(connection, id_)
    if run.status is RunStatus.RUNNING and run.boot != boot:
        last_seen = _LAST_HEARTBEAT.fetch(connection, boot=run.boot)
        if last_seen and last_seen[0][0] > to_micros(moment.at) - span_to_micros(silent):
            return EditResult(None)
    elif run.status not in OPEN_STATUSES:
        return EditResult(None)
    taken = replace(run, boot=boot, status=RunStatus.RUNNING, ended_at=None)
    _SAVE_RUN.run_many(connection, [_run_to_row(taken)])
    record_heartbeat(connection, moment, boot)
    return EditResult(taken, notifies=True)


def _request_end(connection: Connection, moment: Moment, id_: str, requested_end: str) -> EditResult:  # noqa: ARG001
    run = _lock_run(connection, id_)
    if run.status not in OPEN_STATUSES or run.requested_end:
        return EditResult()
    _SAVE_RUN.run_many(connection, [_run_to_row(replace(run, requested_end=requested_end))])
    return EditResult(notifies=True)


def _lock_run(connection: Connection, id_: str) -> ChatRun:
    found = _LOCK_RUN.fetch(connection, id=id_)
    if not found:
        raise NotFoundError("run", id_)
    return run_from_row(found[0])


_run = runs.c
_RUN = Statement(select(*_run).where(_run.id == bindparam("id")))
_LOCK_RUN = Statement(select(*_run).where(_run.id == bindparam("id")).with_for_update())
_RUNS = Statement(
    select(*_run).where(_run.conversation_id == bindparam("conversation")).order_by(_run.began_at, _run.id)
)
_LOCK_CONVERSATION = Statement(
    select(conversations.c.id).where(conversations.c.id == bindparam("conversation")).with_for_update()
)
_LAST_HEARTBEAT = Statement(select(processes.c.seen_at).where(processes.c.boot == bindparam("boot")))
_STALE_RUNS = Statement(
    select(*_run)
    .select_from(runs.outerjoin(processes, processes.c.boot == _run.boot))
    .where(
        _run.course == RunStatus.RUNNING.value,
        ((_run.boot == bindparam("boot")) & (_run.wish != ""))
        | (
            (_run.boot != bindparam("boot"))
            & (processes.c.seen_at.is_(None) | (processes.c.seen_at <= bindparam("horizon")))
        ),
    )
    .order_by(_run.began_at, _run.id)
)
_LINES = Statement(
    select(run_lines.c.run_id, run_lines.c.number, run_lines.c.kind, run_lines.c.body).where(
        in_json_list(run_lines.c.run_id, "runs"),
        in_json_list(run_lines.c.kind, "kinds"),
        run_lines.c.number >= bindparam("after"),
    )
)
_RUN_OF_POST = Statement(
    select(posts.c.digest, posts.c.run_id).where(
        posts.c.sender == bindparam("sender"), posts.c.key == bindparam("key")
    )
)
_ADD_POST = upsert_rows(posts, "sender", "key", keep=True)
_ADD_RUN = insert_rows(runs)
_SAVE_RUN = upsert_rows(runs, "id")
_ADD_LINES = insert_rows(run_lines)
