"""Queries of the audit: pages of rows, statistics of decisions, and the tools that agents called."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    CompoundSelect,
    Select,
    Table,
    Text,
    and_,
    bindparam,
    case,
    func,
    literal_column,
    or_,
    select,
    union,
    union_all,
)

from assent.engine.policy.verdict import Verdict
from assent.gate.audit import (
    ANSWERED,
    QUESTION_ENDS,
    VERDICT_WORDS,
    BucketSize,
    Cause,
    Link,
    Medians,
    QuestionCount,
    QuestionEnd,
    RuleHits,
    Tally,
    VerdictCount,
    tally,
)
from assent.gate.changes import CHANGES
from assent.gate.store import AuditFilter, ToolUse
from assent.stores.audit.outbox import escape_text, link_columns, link_from_row, unescape_text
from assent.stores.sql.listing import MAX_NUMBER, parse_cursor
from assent.stores.sql.statement import Connection, Statement, from_micros, to_micros
from assent.stores.sql.tables import approvals, audit, audit_outbox
from assent.wire.audit import ANSWER_DECISIONS


def search_conditions(table: Table, names: Iterable[str]) -> list[ColumnElement[bool]]:
    """The SQL conditions for these fields of `AuditFilter`; `query_values` returns their values."""
    c = table.c
    known = {
        "agent": c.agent_id == bindparam("agent"),
        "tool": c.tool_name == bindparam("tool"),
        "user": c.user_id == bindparam("user"),
        "conversation": c.conversation_id == bindparam("conversation"),
        "verdict": c.verdict == bindparam("verdict"),
        "decision": or_(c.decision == bindparam("decision"), c.verdict == bindparam("decision")),
        "since": c.written_at >= bindparam("since"),
        "until": c.written_at < bindparam("until"),
    }
    return [known[name] for name in sorted(names)]


def audit_page(
    connection: Connection, audit_filter: AuditFilter, limit: int, after: str, *, newest_first: bool = False
) -> tuple[tuple[Link, ...], str]:
    """A page of matching rows, and the cursor of the next page."""
    start = MAX_NUMBER if newest_first and not after else parse_cursor(after)
    rows = audit_rows(connection, audit_filter, start, limit + 1, newest_first=newest_first)
    links = tuple(link_from_row(row[1:]) for row in rows[:limit])
    return links, str(rows[limit - 1][0]) if len(rows) > limit else ""


def audit_rows(
    connection: Connection, audit_filter: AuditFilter, after: int, most: int, *, newest_first: bool
) -> Sequence[Any]:
    """Row numbers and `LINK_COLUMNS` of matching rows after a row number, from the audit and its outbox."""
    values = query_values(audit_filter)
    words = (
        ANSWER_DECISIONS if audit_filter.answers else CHANGES if audit_filter.changes else frozenset[str]()
    )
    # INVARIANT: the outbox is read first, so that a row moved in between is found twice, never missed.
    waiting, rows = (
        _page_statement(table, frozenset(values), words, newest_first=newest_first).fetch(
            connection, after=after, most=most, **values
        )
        for table in (audit_outbox, audit)
    )
    if not waiting:
        return rows
    moved = {row[1:3] for row in rows}
    both = [*rows, *(row for row in waiting if row[1:3] not in moved)]
    return sorted(both, key=itemgetter(0), reverse=newest_first)[:most]


def query_values(audit_filter: AuditFilter) -> dict[str, object]:
    """The SQL parameters of a filter, by name."""
    names = ("agent", "tool", "user", "conversation", "verdict", "decision")
    texts = {name: text for name in names if (text := getattr(audit_filter, name)) is not None}
    times = {"since": audit_filter.since, "until": audit_filter.until}
    return {
        **{name: escape_text(text) for name, text in texts.items()},
        **{name: to_micros(at) for name, at in times.items() if at is not None},
    }


_MICROS_PER_SECOND = 1_000_000
_FIELDS_NOT_FOR_ENDS = frozenset({"user", "until", "verdict", "decision"})
"""Fields of a filter that select questions but not the rows that end them."""
_CALL_COLUMNS = ("conversation_id", "agent_id", "call_id")
"""The columns that identify a call."""


def read_tally(connection: Connection, audit_filter: AuditFilter, span: BucketSize) -> Tally:
    """Compute the statistics of the matching rows."""
    values = query_values(audit_filter)
    names = frozenset(values)
    width = span.seconds * _MICROS_PER_SECOND
    verdicts = _verdict_counts(names).fetch(connection, width=width, **values)
    sums = list(map(_QuestionRow._make, _question_stats(names).fetch(connection, width=width, **values)))
    return tally(
        [VerdictCount(from_micros(at), verdict, number) for at, verdict, number in verdicts],
        [
            QuestionCount(
                from_micros(one.at),
                unescape_text(one.tool),
                one.cause,
                QUESTION_ENDS.get(one.end or "", QuestionEnd.OPEN),
                int(one.value),
            )
            for one in sums
            if one.of == _GROUP_COUNTS
        ],
        _to_medians(sums),
    )


def read_rule_hits(connection: Connection, audit_filter: AuditFilter) -> tuple[int, Sequence[RuleHits]]:
    """The number of matching decisions, and the number of each rule's decisions, highest first."""
    values = query_values(audit_filter)
    rows = _rule_hit_counts(frozenset(values)).fetch(connection, **values)
    hits = [RuleHits(unescape_text(rule), number, from_micros(last)) for rule, number, last in rows if rule]
    return sum(row[1] for row in rows), sorted(hits, key=lambda hit: (-hit.hits, hit.rule))


class _QuestionRow(NamedTuple):
    """A result row of `_question_stats`: a number of questions of one kind, or the median of a group."""

    of: int
    at: int
    tool: str
    stage: str
    rule: str
    end: str | None
    value: Any
    """The number of questions, or the median in microseconds."""

    @property
    def cause(self) -> Cause:
        return Cause(unescape_text(self.stage), unescape_text(self.rule))

    @property
    def seconds(self) -> float:
        return float(self.value) / _MICROS_PER_SECOND


_GROUP_COUNTS, _GROUP_ALL, _GROUP_TOOLS, _GROUP_CAUSES = range(4)
_GROUP_COLUMNS = {_GROUP_ALL: (), _GROUP_TOOLS: ("tool_name",), _GROUP_CAUSES: ("stage", "rule")}
"""The columns by which each median is grouped."""
_ABSENT_WORD = Verdict.ABSENT.word


def read_tool_uses(connection: Connection, owner: str | None) -> frozenset[ToolUse]:
    """The agents of one owner or of all, with the tools they called; names of absent tools are left out."""
    decided = _AUDIT_CALLERS.fetch(connection, owner=None if owner is None else escape_text(owner))
    asked = _APPROVAL_CALLERS.fetch(connection, owner=owner)
    found = {
        ToolUse(unescape_text(agent), "" if verdict == _ABSENT_WORD else unescape_text(tool))
        for agent, tool, verdict in decided
    }
    return frozenset(found | {ToolUse(agent, tool) for agent, tool in asked})


def _belongs_to_owner(column: ColumnElement[str]) -> ColumnElement[bool]:
    owner = bindparam("owner", type_=column.type)
    return or_(owner.is_(None), column == owner)


def _select_callers(table: Table) -> Select[*tuple[Any, ...]]:
    c = table.c
    rows = select(c.agent_id, c.tool_name, c.verdict)
    return rows.where(c.verdict != literal_column("''"), _belongs_to_owner(c.user_id)).distinct()


@lru_cache(maxsize=512)
def _page_statement(
    table: Table, names: frozenset[str], words: frozenset[str], *, newest_first: bool
) -> Statement:
    """The statement for a page; `words` selects the rows without a verdict whose decision is one of them."""
    c, conditions = table.c, search_conditions(table, names)
    if words:
        conditions += [c.verdict == "", or_(*(c.decision == word for word in sorted(words)))]
    after = bindparam("after", type_=BigInteger())
    return Statement(
        select(c.number, *link_columns(table))
        .where(c.number < after if newest_first else c.number > after, *conditions)
        .order_by(c.number.desc() if newest_first else c.number)
        .limit(bindparam("most"))
    )


@lru_cache(maxsize=64)
def _verdict_counts(names: frozenset[str]) -> Statement:
    """The statement that counts decisions by bucket and verdict."""
    rows = _select_with_outbox(
        lambda table: select(_bucket_start(table.c.written_at), table.c.verdict).where(
            *_decision_conditions(table, names)
        )
    ).cte("decided")
    return Statement(select(*rows.c, func.count()).group_by(*rows.c))


def _select_with_outbox(
    rows_of: Callable[[Table], Select[*tuple[Any, ...]]],
) -> CompoundSelect[*tuple[Any, ...]]:
    """Select from the audit and its outbox.

    INVARIANT: a row counts once: one statement reads both tables, and a row in both counts as the audit's.
    """
    moved = audit.alias("moved")
    same = (moved.c.writer == audit_outbox.c.writer, moved.c.place == audit_outbox.c.place)
    is_moved = select(moved.c.place).where(*same).exists()
    return union_all(rows_of(audit), rows_of(audit_outbox).where(~is_moved))


def _bucket_start(at: ColumnElement[int]) -> ColumnElement[int]:
    return (at - at % bindparam("width", type_=BigInteger())).label("bucket")


def _decision_conditions(table: Table, names: frozenset[str]) -> list[ColumnElement[bool]]:
    return [_is_one_of(table.c.verdict, VERDICT_WORDS), *search_conditions(table, names)]


def _is_one_of(column: ColumnElement[str], words: Iterable[str]) -> ColumnElement[bool]:
    return column.in_([literal_column(f"'{word}'", Text) for word in words])


@lru_cache(maxsize=64)
def _question_stats(names: frozenset[str]) -> Statement:
    """One statement for counts and medians of questions, because finding the questions is slow."""
    asked = _asked_questions(names)
    took = _answer_times(asked)
    return Statement(
        union_all(_question_counts(asked), *(_select_medians(took, of) for of in _GROUP_COLUMNS))
    )


def _asked_questions(names: frozenset[str]) -> CTE:
    """One row for each call that needed an answer: the time of the first question, its cause and its end."""
    asks = _select_with_outbox(lambda table: _ask_rows(table, names)).cte("asks")
    rank = func.row_number().over(
        partition_by=[asks.c[name] for name in _CALL_COLUMNS], order_by=asks.c.number
    )
    ranked = select(asks, rank.label("rank")).subquery("ranked_asks")
    ends = _question_ends(names)
    same = and_(*(ends.c[name] == ranked.c[name] for name in _CALL_COLUMNS))
    c = ranked.c
    columns = (c.written_at.label("at"), c.tool_name, c.stage, c.rule, ends.c.decision, ends.c.ended_at)
    return (
        select(*columns)
        .select_from(ranked.outerjoin(ends, same))
        .where(c.rank == _to_literal(1))
        .cte("asked")
    )


def _ask_rows(table: Table, names: frozenset[str]) -> Select[*tuple[Any, ...]]:
    c = table.c
    columns = (c.number, *(c[name] for name in _CALL_COLUMNS), c.written_at, c.tool_name, c.stage, c.rule)
    return select(*columns).where(c.verdict == literal_column("'ask'"), *search_conditions(table, names))


def _question_ends(names: frozenset[str]) -> CTE:
    """The end of each question, by any user and at any time."""
    meant = names - _FIELDS_NOT_FOR_ENDS
    rows = _select_with_outbox(
        lambda table: select(
            *(table.c[name] for name in _CALL_COLUMNS), table.c.decision, table.c.written_at
        ).where(
            table.c.verdict == literal_column("''"),
            _is_one_of(table.c.decision, QUESTION_ENDS),
            *search_conditions(table, meant),
        )
    ).subquery("ending")
    call = [rows.c[name] for name in _CALL_COLUMNS]
    first = (func.min(rows.c.decision).label("decision"), func.min(rows.c.written_at).label("ended_at"))
    return select(*call, *first).group_by(*call).cte("ends")


def _to_literal(value: int | str) -> ColumnElement[Any]:
    """An SQL literal, so that the databases know the type of the constant."""
    return literal_column(repr(value), Text if isinstance(value, str) else BigInteger)


def _answer_times(asked: CTE) -> CTE:
    """The time that each answer took; a spooled question may be written after its answer."""
    c = asked.c
    took = case((c.ended_at > c.at, c.ended_at - c.at), else_=0).label("took")
    answered = [word for word, end in QUESTION_ENDS.items() if end in ANSWERED]
    return select(c.tool_name, c.stage, c.rule, took).where(_is_one_of(c.decision, answered)).cte("took")


def _question_counts(asked: CTE) -> Select[*tuple[Any, ...]]:
    """The number of questions by bucket, tool, cause and end."""
    c = asked.c
    rows = select(_bucket_start(c.at), c.tool_name, c.stage, c.rule, c.decision).cte("bucketed")
    return select(_to_literal(_GROUP_COUNTS), *rows.c, func.count()).group_by(*rows.c)


def _select_medians(took: CTE, of: int) -> Select[*tuple[Any, ...]]:
    """The median time to an answer in each group."""
    groups = [took.c[name] for name in _GROUP_COLUMNS[of]]
    rank = func.row_number().over(partition_by=groups or None, order_by=took.c.took)
    size = func.count().over(partition_by=groups or None)
    ranked = select(*groups, took.c.took, rank.label("rank"), size.label("size")).subquery(f"ranked_{of}")
    keys = {name: ranked.c[name] for name in _GROUP_COLUMNS[of]}
    shown = [keys.get(name, _to_literal("")) for name in ("tool_name", "stage", "rule", "decision")]
    middle = (2 * ranked.c.rank).between(ranked.c.size, ranked.c.size + 2)
    columns = (_to_literal(of), _to_literal(0), *shown, func.avg(ranked.c.took))
    return select(*columns).where(middle).group_by(*keys.values())


def _to_medians(sums: Sequence[_QuestionRow]) -> Medians:
    known = [one for one in sums if one.value is not None]
    every = [one.seconds for one in known if one.of == _GROUP_ALL]
    return Medians(
        every[0] if every else None,
        {unescape_text(one.tool): one.seconds for one in known if one.of == _GROUP_TOOLS},
        {one.cause: one.seconds for one in known if one.of == _GROUP_CAUSES},
    )


@lru_cache(maxsize=64)
def _rule_hit_counts(names: frozenset[str]) -> Statement:
    rows = _select_with_outbox(
        lambda table: select(table.c.rule, table.c.written_at).where(*_decision_conditions(table, names))
    ).cte("decided")
    return Statement(select(rows.c.rule, func.count(), func.max(rows.c.written_at)).group_by(rows.c.rule))


# Decisions may still be in the outbox.
_AUDIT_CALLERS = Statement(union(_select_callers(audit), _select_callers(audit_outbox)))
# Audit rows may have been archived and removed; approvals stay.
_APPROVAL_CALLERS = Statement(
    select(approvals.c.agent_id, approvals.c.tool_name).where(_belongs_to_owner(approvals.c.owner)).distinct()
)
