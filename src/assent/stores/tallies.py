"""What the audit adds up to, counted by the database itself."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    CompoundSelect,
    Connection,
    Select,
    Table,
    Text,
    and_,
    bindparam,
    case,
    func,
    literal_column,
    select,
    union_all,
)

from assent.gate.audit import Sought
from assent.gate.tally import (
    ANSWERED,
    ENDS,
    VERDICTS,
    Cause,
    End,
    Hit,
    Medians,
    Questions,
    Span,
    Tally,
    Verdicts,
    tally,
)
from assent.stores.audit_pages import conditions_of, values_of
from assent.stores.audit_rows import said
from assent.stores.statements import Statement
from assent.stores.tables import audit, audit_outbox
from assent.stores.times import moment

_SECOND = 1_000_000
_OF_QUESTIONS = frozenset({"user", "until", "verdict", "decision"})
"""Fields of what is sought that say nothing of how a question ended."""
_CALL = ("conversation_id", "agent_id", "call_id")
"""What names a call."""


def tally_of(connection: Connection, sought: Sought, span: Span) -> Tally:
    """What is sought, added up."""
    values = values_of(sought)
    names = frozenset(values)
    width = span.seconds * _SECOND
    verdicts = _verdicts(names).all(connection, width=width, **values)
    sums = list(map(_Sum._make, _sums(names).all(connection, width=width, **values)))
    return tally(
        [Verdicts(moment(at), verdict, number) for at, verdict, number in verdicts],
        [
            Questions(
                moment(one.at), said(one.tool), one.cause, ENDS.get(one.end or "", End.OPEN), int(one.figure)
            )
            for one in sums
            if one.of == _COUNTS
        ],
        _medians_of(sums),
    )


def hits_of(connection: Connection, sought: Sought) -> tuple[int, Sequence[Hit]]:
    """How many decisions are sought, and how often each rule made one of them; the most frequent first."""
    values = values_of(sought)
    rows = _hits(frozenset(values)).all(connection, **values)
    hits = [Hit(said(rule), number, moment(last)) for rule, number, last in rows if rule]
    return sum(row[1] for row in rows), sorted(hits, key=lambda hit: (-hit.hits, hit.rule))


class _Sum(NamedTuple):
    """A row of `_sums`: so many questions of one kind, or the median of a group."""

    of: int
    at: int
    tool: str
    stage: str
    rule: str
    end: str | None
    figure: Any
    """A number of questions, or microseconds."""

    @property
    def cause(self) -> Cause:
        return Cause(said(self.stage), said(self.rule))

    @property
    def seconds(self) -> float:
        return float(self.figure) / _SECOND


_COUNTS, _EVERY, _TOOLS, _CAUSES = range(4)
_GROUPS = {_EVERY: (), _TOOLS: ("tool_name",), _CAUSES: ("stage", "rule")}
"""What medians are grouped by."""


def _medians_of(sums: Sequence[_Sum]) -> Medians:
    known = [one for one in sums if one.figure is not None]
    every = [one.seconds for one in known if one.of == _EVERY]
    return Medians(
        every[0] if every else None,
        {said(one.tool): one.seconds for one in known if one.of == _TOOLS},
        {one.cause: one.seconds for one in known if one.of == _CAUSES},
    )


@lru_cache(maxsize=64)
def _verdicts(names: frozenset[str]) -> Statement:
    """Decisions by bucket and verdict."""
    rows = _of_both(
        lambda table: select(_bucket(table.c.written_at), table.c.verdict).where(*_decisions(table, names))
    ).cte("decided")
    return Statement(select(*rows.c, func.count()).group_by(*rows.c))


@lru_cache(maxsize=64)
def _sums(names: frozenset[str]) -> Statement:
    """All that is to be known of questions, in one statement: finding them is what takes long."""
    asked = _asked(names)
    took = _took(asked)
    return Statement(union_all(_counts(asked), *(_medians(took, of) for of in _GROUPS)))


def _counts(asked: CTE) -> Select[*tuple[Any, ...]]:
    """Questions by bucket, tool, what they were asked for, and what ended them."""
    c = asked.c
    rows = select(_bucket(c.at), c.tool_name, c.stage, c.rule, c.decision).cte("bucketed")
    return select(_plain(_COUNTS), *rows.c, func.count()).group_by(*rows.c)


def _took(asked: CTE) -> CTE:
    """How long people took to answer; a row that was spooled is written late, maybe after its answer."""
    c = asked.c
    took = case((c.ended_at > c.at, c.ended_at - c.at), else_=0).label("took")
    answered = [word for word, end in ENDS.items() if end in ANSWERED]
    return select(c.tool_name, c.stage, c.rule, took).where(_one_of(c.decision, answered)).cte("took")


def _medians(took: CTE, of: int) -> Select[*tuple[Any, ...]]:
    """What stands in the middle of each group, or between the two that do."""
    groups = [took.c[name] for name in _GROUPS[of]]
    place = func.row_number().over(partition_by=groups or None, order_by=took.c.took)
    size = func.count().over(partition_by=groups or None)
    ranked = select(*groups, took.c.took, place.label("place"), size.label("size")).subquery(f"ranked_{of}")
    keys = {name: ranked.c[name] for name in _GROUPS[of]}
    shown = [keys.get(name, _plain("")) for name in ("tool_name", "stage", "rule", "decision")]
    middle = (2 * ranked.c.place).between(ranked.c.size, ranked.c.size + 2)
    columns = (_plain(of), _plain(0), *shown, func.avg(ranked.c.took))
    return select(*columns).where(middle).group_by(*keys.values())


@lru_cache(maxsize=64)
def _hits(names: frozenset[str]) -> Statement:
    rows = _of_both(
        lambda table: select(table.c.rule, table.c.written_at).where(*_decisions(table, names))
    ).cte("decided")
    return Statement(select(rows.c.rule, func.count(), func.max(rows.c.written_at)).group_by(rows.c.rule))


def _asked(names: frozenset[str]) -> CTE:
    """One row for each call that was asked about: when first, for what, and what ended the question."""
    asks = _of_both(lambda table: _asks(table, names)).cte("asks")
    place = func.row_number().over(partition_by=[asks.c[name] for name in _CALL], order_by=asks.c.number)
    ranked = select(asks, place.label("place")).subquery("ranked_asks")
    ends = _ended(names)
    same = and_(*(ends.c[name] == ranked.c[name] for name in _CALL))
    c = ranked.c
    columns = (c.written_at.label("at"), c.tool_name, c.stage, c.rule, ends.c.decision, ends.c.ended_at)
    return select(*columns).select_from(ranked.outerjoin(ends, same)).where(c.place == _plain(1)).cte("asked")


def _asks(table: Table, names: frozenset[str]) -> Select[*tuple[Any, ...]]:
    c = table.c
    columns = (c.number, *(c[name] for name in _CALL), c.written_at, c.tool_name, c.stage, c.rule)
    return select(*columns).where(c.verdict == literal_column("'ask'"), *conditions_of(table, names))


def _ended(names: frozenset[str]) -> CTE:
    """What ended each question: by whomever, and maybe later than the time that is sought."""
    meant = names - _OF_QUESTIONS
    rows = _of_both(
        lambda table: select(*(table.c[name] for name in _CALL), table.c.decision, table.c.written_at).where(
            table.c.verdict == literal_column("''"),
            _one_of(table.c.decision, ENDS),
            *conditions_of(table, meant),
        )
    ).subquery("ending")
    call = [rows.c[name] for name in _CALL]
    first = (func.min(rows.c.decision).label("decision"), func.min(rows.c.written_at).label("ended_at"))
    return select(*call, *first).group_by(*call).cte("ends")


def _decisions(table: Table, names: frozenset[str]) -> list[ColumnElement[bool]]:
    return [_one_of(table.c.verdict, VERDICTS), *conditions_of(table, names)]


def _of_both(
    rows_of: Callable[[Table], Select[*tuple[Any, ...]]],
) -> CompoundSelect[*tuple[Any, ...]]:
    """The rows of the audit and those that wait in its outbox.

    INVARIANT: a row is counted once: one statement reads both, and a row that stands in both is the audit's.
    """
    moved = audit.alias("moved")
    same = (moved.c.writer == audit_outbox.c.writer, moved.c.place == audit_outbox.c.place)
    is_moved = select(moved.c.place).where(*same).exists()
    return union_all(rows_of(audit), rows_of(audit_outbox).where(~is_moved))


def _bucket(at: ColumnElement[int]) -> ColumnElement[int]:
    return (at - at % bindparam("width", type_=BigInteger())).label("bucket")


def _one_of(column: ColumnElement[str], words: Iterable[str]) -> ColumnElement[bool]:
    return column.in_([literal_column(f"'{word}'", Text) for word in words])


def _plain(value: int | str) -> ColumnElement[Any]:
    """A constant of ours, written out: the databases need not be told its type."""
    return literal_column(repr(value), Text if isinstance(value, str) else BigInteger)
