"""The audit as people look through it: some of its rows, by who, what and when."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial

from sqlalchemy import ColumnElement, Connection, bindparam, or_, select

from assent.gate.audit import Link
from assent.stores.audit_rows import LINK, link_of, storable
from assent.stores.chains import Tell
from assent.stores.connections import look
from assent.stores.statements import Statement
from assent.stores.tables import audit
from assent.stores.times import kept
from assent.wire.audit import ANSWERS

_PAGE = 5000
_c = audit.c
_CONDITIONS: dict[str, ColumnElement[bool]] = {
    "agent": _c.agent_id == bindparam("agent"),
    "tool": _c.tool_name == bindparam("tool"),
    "user": _c.user_id == bindparam("user"),
    "decision": or_(_c.decision == bindparam("decision"), _c.verdict == bindparam("decision")),
    "since": _c.written_at >= bindparam("since"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """Which rows are meant; each field that is given narrows."""

    agent: str | None = None
    tool: str | None = None
    user: str | None = None
    decision: str | None = None
    """What was decided or answered, or a verdict."""
    since: datetime | None = None
    answers: bool = False
    """Only what people answered."""

    def values(self) -> dict[str, object]:
        """What the statement takes, by name."""
        texts = {"agent": self.agent, "tool": self.tool, "user": self.user, "decision": self.decision}
        found: dict[str, object] = {name: storable(text) for name, text in texts.items() if text is not None}
        return found if self.since is None else {**found, "since": kept(self.since)}


async def latest(address: str, sought: Sought, limit: int) -> list[Link]:
    """The newest rows that are meant, oldest first."""
    return await look(address, partial(_latest, sought=sought, limit=limit))


async def each(
    address: str, sought: Sought, take: Callable[[Link], None], tell: Tell = lambda _: None
) -> None:
    """Hand over every row that is meant, oldest first; what comes of it is the taker's own affair."""
    after = 0
    while rows := await look(address, partial(_page, sought=sought, after=after)):
        for _, link in rows:
            take(link)
        tell(len(rows))
        after = rows[-1][0]


def _latest(connection: Connection, sought: Sought, limit: int) -> list[Link]:
    values = sought.values()
    statement = _statement(frozenset(values), answers=sought.answers, newest_first=True)
    rows = statement.all(connection, after=0, most=limit, **values)
    return [link_of(row[1:]) for row in reversed(rows)]


def _page(connection: Connection, sought: Sought, after: int) -> list[tuple[int, Link]]:
    values = sought.values()
    statement = _statement(frozenset(values), answers=sought.answers, newest_first=False)
    rows = statement.all(connection, after=after, most=_PAGE, **values)
    return [(row[0], link_of(row[1:])) for row in rows]


@lru_cache(maxsize=128)
def _statement(names: frozenset[str], *, answers: bool, newest_first: bool) -> Statement:
    conditions = [_CONDITIONS[name] for name in sorted(names)]
    if answers:
        conditions += [_c.verdict == "", or_(*(_c.decision == word for word in sorted(ANSWERS)))]
    return Statement(
        select(_c.number, *LINK)
        .where(_c.number > bindparam("after"), *conditions)
        .order_by(_c.number.desc() if newest_first else _c.number)
        .limit(bindparam("most"))
    )
