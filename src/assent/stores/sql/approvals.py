"""Reading approvals: by id with a cache of decoded questions, those that are due, and those to scrub."""

import json
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Lock
from typing import Any, NamedTuple

from sqlalchemy import (
    ClauseElement,
    Column,
    ColumnElement,
    ScalarSelect,
    Select,
    Table,
    Text,
    bindparam,
    func,
    literal_column,
    or_,
    select,
    true,
    union_all,
)

from assent.gate.approval import MAX_WHOLE_BYTES, OPEN, Approval, Excerpt, State, without_arguments
from assent.gate.store import Moment
from assent.stores.sql.approval_rows import (
    ALL_COLUMNS,
    QUESTION_COLUMNS,
    SIZE,
    STATE_COLUMNS,
    DecodedQuestion,
    approval_from_full_row,
    approval_from_row,
    approval_to_row,
    question_from_excerpt,
    question_from_row,
)
from assent.stores.sql.policy import read_moment
from assent.stores.sql.policy_edits import EditResult
from assent.stores.sql.statement import Connection, Now, Statement, in_json_list, update_rows
from assent.stores.sql.tables import approvals, audit, audit_outbox, audit_segments, policy, processes
from assent.stores.sql.times import Clock, from_micros, span_to_micros, to_micros
from assent.wire.excerpt import excerpt_of, excerpt_of_clipped

_MOST = 4096
_MOST_BYTES = 64_000_000
"""Bytes of all cached questions."""
_LARGE = 1_000_000
"""Size in bytes above which a question is not cached."""
_WIDTH = len(STATE_COLUMNS)
_STATE = 1
"""Index of the state in `STATE_COLUMNS`."""


class _ById:
    """A query for approvals by id; a single id has its own statement, which is faster."""

    def __init__(self, about: Callable[[ColumnElement[bool]], ClauseElement]) -> None:
        self._one = Statement(about(approvals.c.id == bindparam("id")))
        self._many = Statement(about(in_json_list(approvals.c.id, "ids")))

    def fetch(self, connection: Connection, ids: Collection[str]) -> Sequence[Any]:
        """The rows of the ids that exist."""
        if len(ids) == 1:
            return self._one.fetch(connection, id=next(iter(ids)))
        return self._many.fetch(connection, ids=json.dumps(list(ids)))


def _found(*columns: Column[Any]) -> _ById:
    return _ById(lambda condition: select(*columns).where(condition))


def _held(*columns: Column[Any]) -> _ById:
    """The time, the policy version and locked approvals in one statement, to save round trips."""

    def about(condition: ColumnElement[bool]) -> ClauseElement:
        # Locked in one order, so that two transactions never deadlock.
        held = select(*columns).where(condition).order_by(approvals.c.id).with_for_update().cte("held")
        now = (policy.c.version, Now(), policy.c.paused_at)
        return select(*now, *held.c).select_from(policy.outerjoin(held, true()))

    return _ById(about)


_LOOKED_AT = _found(*STATE_COLUMNS)
_LOOKED_AT_WHOLE = _found(*STATE_COLUMNS, *QUESTION_COLUMNS[1:])
_ASKED = _found(*QUESTION_COLUMNS)
_IN_SHORT = _found(approvals.c.id, approvals.c.excerpt)
_SIZED = _ById(lambda condition: select(SIZE, *STATE_COLUMNS).where(condition))
_ENDED = _ById(
    lambda condition: select(*STATE_COLUMNS).where(
        condition, approvals.c.state != literal_column("'pending'")
    )
)
_HELD = _held(*STATE_COLUMNS)
_HELD_WHOLE = _held(*STATE_COLUMNS, *QUESTION_COLUMNS[1:])


class ApprovalReader:
    """Reads approvals by id.

    INVARIANT: a question never changes, so it may stay in the cache; only its state is read each
    time. A question whose arguments were scrubbed is not cached.
    """

    def __init__(self) -> None:
        self._cached: dict[str, DecodedQuestion] = {}
        self._bytes = 0
        self._caching = Lock()

    def __len__(self) -> int:
        return len(self._cached)

    def lock(
        self, connection: Connection, ids: Collection[str], clock: Clock | None
    ) -> tuple[Moment, dict[str, Approval]]:
        """The current moment and these approvals, locked until the commit."""
        statement = _HELD if self._knows(ids) else _HELD_WHOLE
        rows = statement.fetch(connection, ids)
        version, at, paused_at = rows[0][:3]
        now = from_micros(at) if clock is None else clock()
        found = [row[3:] for row in rows if row[3] is not None]
        return Moment(now, version, paused_at is not None), self.from_rows(
            connection, self._cache_rows(found)
        )

    def read(self, connection: Connection, ids: Collection[str]) -> dict[str, Approval]:
        """The approvals with these ids."""
        statement = _LOOKED_AT if self._knows(ids) else _LOOKED_AT_WHOLE
        return self.from_rows(connection, self._cache_rows(statement.fetch(connection, ids)))

    def read_ended(self, connection: Connection, ids: Collection[str]) -> list[Approval]:
        """Those of these approvals that are no longer pending."""
        return list(self.from_rows(connection, _ENDED.fetch(connection, ids)).values())

    def read_outcomes(self, connection: Connection, ids: Collection[str]) -> Mapping[str, Approval | None]:
        """The approval for each id that exists, or None while it is pending."""
        rows = _LOOKED_AT.fetch(connection, ids)
        ended = self.from_rows(connection, [row for row in rows if row[_STATE] != State.PENDING])
        return {row[0]: ended.get(row[0]) for row in rows}

    def read_excerpts(self, connection: Connection, ids: Collection[str]) -> Mapping[str, Excerpt]:
        """Excerpts of the approvals with these ids."""
        return self.to_excerpts(connection, [(row[0], row[1:]) for row in _SIZED.fetch(connection, ids)])

    def to_excerpts(
        self, connection: Connection, rows: Sequence[tuple[int, Sequence[Any]]]
    ) -> dict[str, Excerpt]:
        """Excerpts for rows of `STATE_COLUMNS`, each with the size of its question."""
        sizes = {row[0]: size for size, row in rows}
        large = [id_ for id_, size in sizes.items() if size > MAX_WHOLE_BYTES]
        excerpts = {id_: text for id_, text in _IN_SHORT.fetch(connection, large) if text} if large else {}
        short = {
            row[0]: approval_from_row(question_from_excerpt(excerpts[row[0]]), row)
            for _, row in rows
            if row[0] in excerpts
        }
        whole = self.from_rows(connection, [row for _, row in rows if row[0] not in excerpts])
        return {
            id_: excerpt_of_clipped(short[id_], size) if id_ in short else excerpt_of(whole[id_], size)
            for id_, size in sizes.items()
            if id_ in short or id_ in whole
        }

    def from_rows(self, connection: Connection, rows: Sequence[Sequence[Any]]) -> dict[str, Approval]:
        """The approvals for rows of `STATE_COLUMNS`, in their order."""
        known = {row[0]: self._cached.get(row[0]) if row[-1] is None else None for row in rows}
        missing = [id_ for id_, question in known.items() if question is None]
        if missing:
            known |= self._decode(connection, missing)
        return {
            row[0]: approval_from_row(question, row)
            for row in rows
            if (question := known[row[0]]) is not None
        }

    def cache(self, questions: Iterable[DecodedQuestion]) -> None:
        """Cache committed questions; the oldest entries are evicted."""
        # The event loop, the writer and the readers all call this.
        with self._caching:
            for question in questions:
                if question.size > _LARGE:
                    continue
                self._bytes += question.size - _size(self._cached.pop(question.approval.id, None))
                self._cached[question.approval.id] = question
                while len(self._cached) > _MOST or self._bytes > _MOST_BYTES:
                    self._bytes -= _size(self._cached.pop(next(iter(self._cached)), None))

    def _knows(self, ids: Iterable[str]) -> bool:
        return all(id_ in self._cached for id_ in ids)

    def _cache_rows(self, rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
        """The state columns of these rows; questions that come with them are cached."""
        whole = [row for row in rows if len(row) > _WIDTH and row[0] not in self._cached]
        self.cache([question_from_row((row[0], *row[_WIDTH:])) for row in whole])
        return [row[:_WIDTH] for row in rows]

    def _decode(self, connection: Connection, ids: Sequence[str]) -> dict[str, DecodedQuestion | None]:
        decoded = [question_from_row(row) for row in _ASKED.fetch(connection, ids)]
        self.cache(decoded)
        return {question.approval.id: question for question in decoded}


def _size(question: DecodedQuestion | None) -> int:
    return 0 if question is None else question.size


_WRITTEN = ("args", "question", "answer", "note", "preview", "file", "scrubbed_at", "size", "excerpt")


def read_scrubbable(connection: Connection, clock: Clock | None, keep: timedelta) -> Sequence[str]:
    """Ids of approvals that ended before this time and still hold the arguments of their call."""
    before = read_moment(connection, clock).at - keep
    return [row[0] for row in _OLD.fetch(connection, before=to_micros(before))]


def scrub(connection: Connection, moment: Moment, ids: Sequence[str]) -> EditResult:
    """Remove the arguments of these calls; the digest stays, so that the same call is still recognised."""
    with _for_good(connection):
        rows = _ROWS.fetch(connection, ids=json.dumps(list(ids)))
        found = [without_arguments(approval_from_full_row(row)) for row in rows]
        at = {"scrubbed_at": to_micros(moment.at)}
        wanted = ("id", *_WRITTEN)
        written = [{**approval_to_row(one), **at} for one in found]
        _SCRUB.run_many(connection, [{name: row[name] for name in wanted} for row in written])
    return EditResult(len(rows))


@contextmanager
def _for_good(connection: Connection) -> Generator[None]:
    """Let SQLite overwrite deleted values with zeros."""
    if connection.dialect.name != "sqlite":
        yield
        return
    connection.run("PRAGMA secure_delete = ON", ())
    try:
        yield
    finally:
        connection.run("PRAGMA secure_delete = OFF", ())


_c = approvals.c
_is_open = _c.state.in_([literal_column(f"'{state}'") for state in sorted(OPEN)])
_OLD = Statement(
    select(_c.id)
    .where(
        _c.scrubbed_at.is_(None),
        ~_is_open,
        func.coalesce(_c.closed_at, _c.answered_at, _c.asked_at) <= bindparam("before"),
    )
    .order_by(_c.id)
)
_ROWS = Statement(
    select(*ALL_COLUMNS)
    .where(in_json_list(_c.id, "ids"), _c.scrubbed_at.is_(None))
    .order_by(_c.id)
    .with_for_update()
)
_SCRUB = update_rows(approvals, "id", *_WRITTEN)


class DueApproval(NamedTuple):
    """An approval that may have expired, and its process if that is dead."""

    id: str
    dead_process: str | None


def count_pending(connection: Connection) -> int:
    """The number of pending approvals."""
    ((count,),) = _PENDING.fetch(connection)
    return int(count)


def read_due(connection: Connection, clock: Clock | None, grace: timedelta) -> Sequence[DueApproval]:
    """The approvals that may have expired."""
    now = to_micros(read_moment(connection, clock).at)
    rows = _DUE.fetch(connection, now=now, horizon=now - span_to_micros(grace))
    return [DueApproval(id_, boot if gone else None) for id_, boot, gone in rows]


def newest_timestamp(connection: Connection) -> datetime | None:
    """The newest timestamp that any process wrote."""
    rows = [*_NEWEST.fetch(connection), *_NEWEST_WAITING.fetch(connection)]
    stamps = [row[0] for row in rows if row[0] is not None]
    return from_micros(max(stamps)) if stamps else None


def in_states(states: frozenset[str]) -> ColumnElement[bool]:
    """Whether the state is one of these; for open states the small index of open approvals is used."""
    # Literals, because SQLite uses a partial index only if the statement contains its condition.
    found = approvals.c.state.in_([literal_column(f"'{state}'", Text) for state in sorted(states)])
    return found & approvals.c.closed_at.is_(None) if states <= OPEN else found


def _due() -> Select[Any, Any, bool]:
    columns = approvals.c
    alive = select(processes.c.boot).where(processes.c.seen_at >= bindparam("horizon"))
    gone = columns.boot.not_in(alive)
    pending, approved = (
        columns.state == literal_column("'pending'"),
        columns.state == literal_column("'approved'"),
    )
    orphaned = or_(columns.state == literal_column("'running'"), columns.delivery == literal_column("'wait'"))
    return select(columns.id, columns.boot, gone).where(
        in_states(frozenset(OPEN)),
        or_(
            pending & (columns.expires_at <= bindparam("now")),
            approved & (columns.answered_at + columns.usable_for <= bindparam("now")),
            orphaned & gone,
        ),
    )


def _last(table: Table) -> ScalarSelect[int]:
    """The highest row number of a table."""
    return select(func.max(table.c.number)).scalar_subquery()


_PENDING = Statement(select(func.count()).select_from(approvals).where(literal_column("state = 'pending'")))
_DUE = Statement(_due())
# Without a scan of the history: ended approvals are in the audit, whose last row is the newest.
_NEWEST = Statement(
    union_all(
        select(approvals.c.asked_at).where(approvals.c.number == _last(approvals)),
        select(func.max(approvals.c.answered_at)).where(in_states(frozenset(OPEN))),
        select(approvals.c.closed_at).where(approvals.c.number == _last(approvals)),
        select(audit.c.written_at).where(audit.c.number == _last(audit)),
        select(func.max(audit_segments.c.closed_at)),
        select(func.max(processes.c.seen_at)),
    )
)
_NEWEST_WAITING = Statement(select(func.max(audit_outbox.c.written_at)))
