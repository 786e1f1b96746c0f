"""The audit as people look through it: some of its rows, by who, what and when, in pages."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, bindparam, or_, select

from assent.gate.audit import Link, Sought
from assent.gate.changes import CHANGES
from assent.stores.audit_rows import LINK, link_of, storable
from assent.stores.queries import LAST, position
from assent.stores.statements import Statement
from assent.stores.tables import audit
from assent.stores.times import kept
from assent.wire.audit import ANSWERS

_c = audit.c
CONDITIONS: dict[str, ColumnElement[bool]] = {
    "agent": _c.agent_id == bindparam("agent"),
    "tool": _c.tool_name == bindparam("tool"),
    "user": _c.user_id == bindparam("user"),
    "conversation": _c.conversation_id == bindparam("conversation"),
    "verdict": _c.verdict == bindparam("verdict"),
    "decision": or_(_c.decision == bindparam("decision"), _c.verdict == bindparam("decision")),
    "since": _c.written_at >= bindparam("since"),
    "until": _c.written_at < bindparam("until"),
}
"""What each field of `Sought` asks of a row; `values_of` says what it takes."""


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
    """Numbers and rows of `LINK` behind a number."""
    values = values_of(sought)
    words = ANSWERS if sought.answers else CHANGES if sought.changes else frozenset[str]()
    statement = _statement(frozenset(values), words, newest_first=newest_first)
    return statement.all(connection, after=after, most=most, **values)


def values_of(sought: Sought) -> dict[str, object]:
    """What the statement takes, by name."""
    names = ("agent", "tool", "user", "conversation", "verdict", "decision")
    texts = {name: text for name in names if (text := getattr(sought, name)) is not None}
    times = {"since": sought.since, "until": sought.until}
    return {
        **{name: storable(text) for name, text in texts.items()},
        **{name: kept(at) for name, at in times.items() if at is not None},
    }


@lru_cache(maxsize=256)
def _statement(names: frozenset[str], words: frozenset[str], *, newest_first: bool) -> Statement:
    """With words, only rows of no verdict that say one of them."""
    conditions = [CONDITIONS[name] for name in sorted(names)]
    if words:
        conditions += [_c.verdict == "", or_(*(_c.decision == word for word in sorted(words)))]
    after = bindparam("after", type_=BigInteger())
    return Statement(
        select(_c.number, *LINK)
        .where(_c.number < after if newest_first else _c.number > after, *conditions)
        .order_by(_c.number.desc() if newest_first else _c.number)
        .limit(bindparam("most"))
    )
