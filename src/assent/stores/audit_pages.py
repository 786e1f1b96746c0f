"""The audit as people look through it: some of its rows, by who, what and when, in pages."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, Table, bindparam, or_, select

from assent.gate.audit import Link, Sought
from assent.gate.changes import CHANGES
from assent.stores.audit_rows import link_columns, link_of, storable
from assent.stores.queries import LAST, position
from assent.stores.statements import Statement
from assent.stores.tables import audit, audit_outbox
from assent.stores.times import kept
from assent.wire.audit import ANSWERS


def conditions_of(table: Table, names: Iterable[str]) -> list[ColumnElement[bool]]:
    """What these fields of `Sought` ask of a row of the audit or its outbox; `values_of` has their values."""
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


def page_of(
    connection: Connection, sought: Sought, limit: int, after: str, *, newest_first: bool = False
) -> tuple[tuple[Link, ...], str]:
    """A page of what is sought, and where the next one begins."""
    start = LAST if newest_first and not after else position(after)
    rows = rows_of(connection, sought, start, limit + 1, newest_first=newest_first)
    links = tuple(link_of(row[1:]) for row in rows[:limit])
    return links, str(rows[limit - 1][0]) if len(rows) > limit else ""


def rows_of(
    connection: Connection, sought: Sought, after: int, most: int, *, newest_first: bool
) -> Sequence[Any]:
    """Numbers and rows of `LINK` behind a number, whether they are in the audit yet or in its outbox."""
    values = values_of(sought)
    words = ANSWERS if sought.answers else CHANGES if sought.changes else frozenset[str]()
    # INVARIANT: the outbox first: what is moved in between is found twice, and never missed.
    waiting, rows = (
        _statement(table, frozenset(values), words, newest_first=newest_first).all(
            connection, after=after, most=most, **values
        )
        for table in (audit_outbox, audit)
    )
    if not waiting:
        return rows
    moved = {row[1:3] for row in rows}
    both = [*rows, *(row for row in waiting if row[1:3] not in moved)]
    return sorted(both, key=itemgetter(0), reverse=newest_first)[:most]


def values_of(sought: Sought) -> dict[str, object]:
    """What the statement takes, by name."""
    names = ("agent", "tool", "user", "conversation", "verdict", "decision")
    texts = {name: text for name in names if (text := getattr(sought, name)) is not None}
    times = {"since": sought.since, "until": sought.until}
    return {
        **{name: storable(text) for name, text in texts.items()},
        **{name: kept(at) for name, at in times.items() if at is not None},
    }


@lru_cache(maxsize=512)
def _statement(
    table: Table, names: frozenset[str], words: frozenset[str], *, newest_first: bool
) -> Statement:
    """With words, only rows of no verdict that say one of them."""
    c, conditions = table.c, conditions_of(table, names)
    if words:
        conditions += [c.verdict == "", or_(*(c.decision == word for word in sorted(words)))]
    after = bindparam("after", type_=BigInteger())
    return Statement(
        select(c.number, *link_columns(table))
        .where(c.number < after if newest_first else c.number > after, *conditions)
        .order_by(c.number.desc() if newest_first else c.number)
        .limit(bindparam("most"))
    )
