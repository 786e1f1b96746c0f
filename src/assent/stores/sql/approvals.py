"""Reads approvals: by id with a cache of decoded questions, overdue approvals, and those to scrub."""

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

from assent.gate.approval import MAX_WHOLE_BYTES, OPEN_STATES, Approval, Excerpt, State, without_arguments
from assent.gate.policy import Moment
from assent.gate.preset import Delivery
from assent.stores.sql.approval_rows import (
    ALL_COLUMNS,
    QUESTION_COLUMNS,
    QUESTION_SIZE,
    STATE_COLUMNS,
    DecodedQuestion,
    approval_from_full_row,
    approval_from_row,
    approval_to_row,
    question_from_excerpt,
    question_from_row,
)
from assent.stores.sql.policy_edits import EditResult
from assent.stores.sql.statement import (
    Clock,
    Connection,
    ServerTime,
    Statement,
    from_micros,
    in_json_list,
    read_moment,
    span_to_micros,
    to_micros,
    update_rows,
)
from assent.stores.sql.tables import approvals, audit, audit_outbox, audit_segments, policy, processes
from assent.wire.excerpt import make_clipped_excerpt, make_excerpt

_MAX_CACHED = 4096
_MAX_CACHED_BYTES = 64_000_000
"""The maximum size of all cached questions in bytes."""
_MAX_CACHED_QUESTION = 1_000_000
"""The maximum size of a cached question in bytes."""
_STATE_WIDTH = len(STATE_COLUMNS)
_STATE_INDEX = 1
"""The index of the state in `STATE_COLUMNS`."""


class _QueryById:
    """A query for approvals by id; a single id has its own statement, which is faster."""

    def __init__(self, make_query: Callable[[ColumnElement[bool]], ClauseElement]) -> None:
        self._one = Statement(make_query(approvals.c.id == bindparam("id")))
        self._many = Statement(make_query(in_json_list(approvals.c.id, "ids")))

    def fetch(self, connection: Connection, ids: Collection[str]) -> Sequence[Any]:
        """The rows of the ids that exist."""
        if len(ids) == 1:
            return self._one.fetch(connection, id=next(iter(ids)))
        return self._many.fetch(connection, ids=json.dumps(list(ids)))


def _select_by_id(*columns: Column[Any]) -> _QueryById:
    return _QueryById(lambda condition: select(*columns).where(condition))


def _lock_by_id(*columns: Column[Any]) -> _QueryById:
    """A query for the time, the policy version and locked approvals; one statement saves round trips."""

    def make_query(condition: ColumnElement[bool]) -> ClauseElement:
        # Locked in one order, so that two transactions never deadlock.
        held = select(*columns).where(condition).order_by(approvals.c.id).with_for_update().cte("held")
        now = (policy.c.version, ServerTime(), policy.c.paused_at)
        return select(*now, *held.c).select_from(policy.outerjoin(held, true()))

    return _QueryById(make_query)


_READ_STATE = _select_by_id(*STATE_COLUMNS)
_READ_WHOLE = _select_by_id(*STATE_COLUMNS, *QUESTION_COLUMNS[1:])
_READ_QUESTION = _select_by_id(*QUESTION_COLUMNS)
_READ_EXCERPT = _select_by_id(approvals.c.id, approvals.c.excerpt)
_READ_SIZE_AND_STATE = _QueryById(lambda condition: select(QUESTION_SIZE, *STATE_COLUMNS).where(condition))
_READ_ENDED = _QueryById(
    lambda condition: select(*STATE_COLUMNS).where(
        condition, approvals.c.state != literal_column("'pending'")
    )
)
_LOCK_STATE = _lock_by_id(*STATE_COLUMNS)
_LOCK_WHOLE = _lock_by_id(*STATE_COLUMNS, *QUESTION_COLUMNS[1:])


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

    def lock_approvals(
        self, connection: Connection, ids: Collection[str], clock: Clock | None
    ) -> tuple[Moment, dict[str, Approval]]:
        """Lock these approvals until the commit, and return them with the current moment."""
        statement = _LOCK_STATE if self._are_cached(ids) else _LOCK_WHOLE
        rows = statement.fetch(connection, ids)
        version, at, paused_at = rows[0][:3]
        now = from_micros(at) if clock is None else clock()
        found = [row[3:] for row in rows if row[3] is not None]
        return Moment(now, version, paused_at is not None), self.approvals_from_rows(
            connection, self._cache_rows(found)
        )

    def read_approvals(self, connection: Connection, ids: Collection[str]) -> dict[str, Approval]:
        """The approvals with these ids."""
        statement = _READ_STATE if self._are_cached(ids) else _READ_WHOLE
        return self.approvals_from_rows(connection, self._cache_rows(statement.fetch(connection, ids)))

    def read_ended(self, connection: Connection, ids: Collection[str]) -> list[Approval]:
        """Read those of these approvals that are no longer pending."""
        return list(self.approvals_from_rows(connection, _READ_ENDED.fetch(connection, ids)).values())

    def read_outcomes(self, connection: Connection, ids: Collection[str]) -> Mapping[str, Approval | None]:
        """Read the approval for each existing id, or None while it is pending."""
        rows = _READ_STATE.fetch(connection, ids)
        ended = self.approvals_from_rows(
            connection, [row for row in rows if row[_STATE_INDEX] != State.PENDING]
        )
        return {row[0]: ended.get(row[0]) for row in rows}

    def read_excerpts(self, connection: Connection, ids: Collection[str]) -> Mapping[str, Excerpt]:
        """Read the excerpts of the approvals with these ids."""
        return self.to_excerpts(
            connection, [(row[0], row[1:]) for row in _READ_SIZE_AND_STATE.fetch(connection, ids)]
        )

    def to_excerpts(
        self, connection: Connection, rows: Sequence[tuple[int, Sequence[Any]]]
    ) -> dict[str, Excerpt]:
        """Excerpts for rows of `STATE_COLUMNS`, each with the size of its question."""
        sizes = {row[0]: size for size, row in rows}
        large = [id_ for id_, size in sizes.items() if size > MAX_WHOLE_BYTES]
        excerpts = (
            {id_: text for id_, text in _READ_EXCERPT.fetch(connection, large) if text} if large else {}
        )
        short = {
            row[0]: approval_from_row(question_from_excerpt(excerpts[row[0]]), row)
            for _, row in rows
            if row[0] in excerpts
        }
        whole = self.approvals_from_rows(connection, [row for _, row in rows if row[0] not in excerpts])
        return {
            id_: make_clipped_excerpt(short[id_], size) if id_ in short else make_excerpt(whole[id_], size)
            for id_, size in sizes.items()
            if id_ in short or id_ in whole
        }

    def approvals_from_rows(
        self, connection: Connection, rows: Sequence[Sequence[Any]]
    ) -> dict[str, Approval]:
        """The approvals for rows of `STATE_COLUMNS`, in their order."""
        known = {row[0]: self._cached.get(row[0]) if row[-1] is None else None for row in rows}
        missing = [id_ for id_, question in known.items() if question is None]
        if missing:
            known |= self._read_questions(connection, missing)
        return {
            row[0]: approval_from_row(question, row)
            for row in rows
            if (question := known[row[0]]) is not None
        }

    def cache_questions(self, questions: Iterable[DecodedQuestion]) -> None:
        """Cache committed questions; the oldest entries are evicted."""
        # The event loop, the writer and the readers all call this.
        with self._caching:
            for question in questions:
                if question.size > _MAX_CACHED_QUESTION:
                    continue
                self._bytes += question.size - _cached_size(self._cached.pop(question.approval.id, None))
                self._cached[question.approval.id] = question
                while len(self._cached) > _MAX_CACHED or self._bytes > _MAX_CACHED_BYTES:
                    self._bytes -= _cached_size(self._cached.pop(next(iter(self._cached)), None))

    def _are_cached(self, ids: Iterable[str]) -> bool:
        return all(id_ in self._cached for id_ in ids)

    def _cache_rows(self, rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
        """The state columns of these rows; questions that come with them are cached."""
        whole = [row for row in rows if len(row) > _STATE_WIDTH and row[0] not in self._cached]
        self.cache_questions([question_from_row((row[0], *row[_STATE_WIDTH:])) for row in whole])
        return [row[:_STATE_WIDTH] for row in rows]

    def _read_questions(
        self, connection: Connection, ids: Sequence[str]
    ) -> dict[str, DecodedQuestion | None]:
        decoded = [question_from_row(row) for row in _READ_QUESTION.fetch(connection, ids)]
        self.cache_questions(decoded)
        return {question.approval.id: question for question in decoded}


_SCRUBBED_COLUMNS = (
    "args",
    "question",
    "answer",
    "note",
    "preview",
    "file",
    "scrubbed_at",
    "size",
    "excerpt",
)


def read_scrubbable_ids(connection: Connection, clock: Clock | None, keep: timedelta) -> Sequence[str]:
    """The ids of approvals that ended before this time and still contain the arguments of their call."""
    before = read_moment(connection, clock).at - keep
    return [row[0] for row in _SCRUBBABLE_IDS.fetch(connection, before=to_micros(before))]


def scrub_arguments(connection: Connection, moment: Moment, ids: Sequence[str]) -> EditResult:
    """Delete the arguments of these calls; the digest stays, so that the same call is still recognised."""
    with _secure_delete(connection):
        rows = _LOCK_ROWS.fetch(connection, ids=json.dumps(list(ids)))
        found = [without_arguments(approval_from_full_row(row)) for row in rows]
        at = {"scrubbed_at": to_micros(moment.at)}
        wanted = ("id", *_SCRUBBED_COLUMNS)
        written = [{**approval_to_row(one), **at} for one in found]
        _SCRUB.run_many(connection, [{name: row[name] for name in wanted} for row in written])
    return EditResult(len(rows))


_c = approvals.c
_is_open = _c.state.in_([literal_column(f"'{state}'") for state in sorted(OPEN_STATES)])
_SCRUBBABLE_IDS = Statement(
    select(_c.id)
    .where(
        _c.scrubbed_at.is_(None),
        ~_is_open,
        func.coalesce(_c.closed_at, _c.answered_at, _c.asked_at) <= bindparam("before"),
    )
    .order_by(_c.id)
)
_LOCK_ROWS = Statement(
    select(*ALL_COLUMNS)
    .where(in_json_list(_c.id, "ids"), _c.scrubbed_at.is_(None))
    .order_by(_c.id)
    .with_for_update()
)
_SCRUB = update_rows(approvals, "id", *_SCRUBBED_COLUMNS)


class DueApproval(NamedTuple):
    """An approval that may be overdue, and the id of its process if that process is dead."""

    id: str
    dead_process: str | None


def count_pending(connection: Connection) -> int:
    """The number of pending approvals."""
    ((count,),) = _COUNT_PENDING.fetch(connection)
    return int(count)


def read_due_approvals(
    connection: Connection, clock: Clock | None, grace: timedelta
) -> Sequence[DueApproval]:
    """The approvals that may be overdue."""
    now = to_micros(read_moment(connection, clock).at)
    rows = _DUE_APPROVALS.fetch(connection, now=now, horizon=now - span_to_micros(grace))
    return [DueApproval(id_, boot if gone else None) for id_, boot, gone in rows]


def newest_timestamp(connection: Connection) -> datetime | None:
    """The newest timestamp that any process wrote."""
    rows = [*_NEWEST_TIMESTAMPS.fetch(connection), *_NEWEST_IN_OUTBOX.fetch(connection)]
    stamps = [row[0] for row in rows if row[0] is not None]
    return from_micros(max(stamps)) if stamps else None


def state_condition(states: frozenset[str]) -> ColumnElement[bool]:
    """The SQL condition that the state is one of these; open states use the small index of open approvals."""
    # Literals are used, because SQLite uses a partial index only if the statement contains its condition.
    found = approvals.c.state.in_([literal_column(f"'{state}'", Text) for state in sorted(states)])
    return found & approvals.c.closed_at.is_(None) if states <= OPEN_STATES else found


def _due_approvals_query() -> Select[Any, Any, bool]:
    columns = approvals.c
    alive = select(processes.c.boot).where(processes.c.seen_at >= bindparam("horizon"))
    gone = columns.boot.not_in(alive)
    pending, approved, running = map(_state_equals, (State.PENDING, State.APPROVED, State.RUNNING))
    live = [columns.delivery == literal_column(f"'{one}'") for one in Delivery if one.needs_live_caller]
    # A lease replaces the heartbeats, so that a question survives the restart of a server.
    orphaned = or_(running, *(one & columns.leased_until.is_(None) for one in live))
    return select(columns.id, columns.boot, gone).where(
        state_condition(frozenset(OPEN_STATES)),
        or_(
            pending & (columns.expires_at <= bindparam("now")),
            approved & (columns.answered_at + columns.usable_for <= bindparam("now")),
            or_(pending, approved) & (columns.leased_until <= bindparam("now")),
            orphaned & gone,
        ),
    )


def _highest_row_number(table: Table) -> ScalarSelect[int]:
    """The highest row number of a table."""
    return select(func.max(table.c.number)).scalar_subquery()


def _cached_size(question: DecodedQuestion | None) -> int:
    return 0 if question is None else question.size


@contextmanager
def _secure_delete(connection: Connection) -> Generator[None]:
    """Make SQLite overwrite deleted values with zeros."""
    if connection.dialect.name != "sqlite":
        yield
        return
    connection.run("PRAGMA secure_delete = ON", ())
    try:
        yield
    finally:
        connection.run("PRAGMA secure_delete = OFF", ())


def _state_equals(state: State) -> ColumnElement[bool]:
    return approvals.c.state == literal_column(f"'{state}'")


_COUNT_PENDING = Statement(
    select(func.count()).select_from(approvals).where(literal_column("state = 'pending'"))
)
_DUE_APPROVALS = Statement(_due_approvals_query())
# Without a scan of the history: ended approvals are in the audit, whose last row is the newest.
_NEWEST_TIMESTAMPS = Statement(
    union_all(
        select(approvals.c.asked_at).where(approvals.c.number == _highest_row_number(approvals)),
        select(func.max(approvals.c.answered_at)).where(state_condition(frozenset(OPEN_STATES))),
        select(approvals.c.closed_at).where(approvals.c.number == _highest_row_number(approvals)),
        select(audit.c.written_at).where(audit.c.number == _highest_row_number(audit)),
        select(func.max(audit_segments.c.closed_at)),
        select(func.max(processes.c.seen_at)),
    )
)
_NEWEST_IN_OUTBOX = Statement(select(func.max(audit_outbox.c.written_at)))
