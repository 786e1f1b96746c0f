"""What is read besides policy: the time, pages of approvals and of the audit, and what time has ended."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Text,
    bindparam,
    func,
    literal_column,
    or_,
    select,
    union_all,
)

from assent.errors import InputError
from assent.gate.approval import OPEN
from assent.gate.audit import Link
from assent.gate.conversation import Conversation
from assent.gate.grant import Grant, StoredRule
from assent.gate.ports import Moment, Page, Tiering, Which
from assent.stores.audit_rows import LINK, link_of
from assent.stores.clock import Clock
from assent.stores.policy_rows import (
    CONVERSATION,
    GRANT,
    RULE,
    TIER,
    conversation_of,
    grant_of,
    rule_of,
    tiering_of,
)
from assent.stores.questions import Questions
from assent.stores.rows import MOVED
from assent.stores.statements import Now, Statement
from assent.stores.tables import approvals, audit, conversations, grants, policy, processes, rules, tiers
from assent.stores.times import kept, kept_span, moment


class Due(NamedTuple):
    """An approval that time alone may have ended, and the process behind it, if that is gone."""

    id: str
    gone: str | None


def moment_of(connection: Connection, clock: Clock | None) -> Moment:
    """The time, by the store's own clock or else the database's, and the version of policy."""
    ((version, at),) = _MOMENT.all(connection)
    return Moment(moment(at) if clock is None else clock(), version)


def page_of(connection: Connection, questions: Questions, which: Which, limit: int, after: str) -> Page:
    """A page of approvals in the order in which they were asked."""
    wanted = {
        "owner": which.owner,
        "conversation_id": which.conversation,
        "agent_id": which.agent,
        "turn": which.turn,
        "tool_name": which.tool,
    }
    values = {name: value for name, value in wanted.items() if value is not None}
    statement = _page(frozenset(values), which.states, which.later)
    rows = statement.all(connection, after=_position(after), most=limit + 1, **values)
    found = questions.joined(connection, [row[1:] for row in rows[:limit]])
    return Page(tuple(found.values()), str(rows[limit - 1][0]) if len(rows) > limit else "")


def tiers_of(connection: Connection, agent: str | None) -> Sequence[Tiering]:
    """The tiers that are set, by agent and tool."""
    found = map(tiering_of, _TIERS.all(connection))
    return tuple(one for one in found if agent in (None, one.agent))


def grants_of(connection: Connection) -> Sequence[Grant]:
    """The grants that are not revoked, oldest first."""
    return tuple(map(grant_of, _GRANTS.all(connection)))


def rules_of(connection: Connection) -> Sequence[StoredRule]:
    """The rules that are not revoked, oldest first."""
    return tuple(map(rule_of, _RULES.all(connection)))


def conversation_by(connection: Connection, id_: str) -> Conversation | None:
    """The conversation of an id."""
    rows = _CONVERSATION.all(connection, conversation=id_)
    return conversation_of(rows[0]) if rows else None


def audit_of(connection: Connection, limit: int, after: str) -> tuple[tuple[Link, ...], str]:
    """A page of the audit, oldest first."""
    rows = _AUDIT.all(connection, after=_position(after), most=limit + 1)
    links = tuple(link_of(row[1:]) for row in rows[:limit])
    return links, str(rows[limit - 1][0]) if len(rows) > limit else ""


def due_of(connection: Connection, clock: Clock | None, grace: timedelta) -> Sequence[Due]:
    """The approvals that time alone may have ended."""
    now = kept(moment_of(connection, clock).at)
    rows = _DUE.all(connection, now=now, horizon=now - kept_span(grace))
    return [Due(id_, boot if gone else None) for id_, boot, gone in rows]


def newest_of(connection: Connection) -> datetime | None:
    """The newest stamp that was written, by any process."""
    stamps = [row[0] for row in _NEWEST.all(connection) if row[0] is not None]
    return moment(max(stamps)) if stamps else None


def secret_of(connection: Connection) -> bytes:
    """The random bytes that were made with the database."""
    ((text,),) = _SECRET.all(connection)
    return bytes.fromhex(text)


def _position(after: str) -> int:
    if after and not (after.isascii() and after.isdigit() and len(after) < 19):
        raise InputError(f"`{after[:64]}` is not where a page begins")
    return int(after or 0)


@lru_cache(maxsize=256)
def _page(names: frozenset[str], states: frozenset[str], later: bool | None) -> Statement:  # noqa: FBT001
    """A statement for each shape of question."""
    columns = approvals.c
    conditions: list[ColumnElement[bool]] = [columns[name] == bindparam(name) for name in sorted(names)]
    if states:
        conditions.append(_in_states(states))
    if later is not None:
        conditions.append(columns.later_at.is_not(None) if later else columns.later_at.is_(None))
    return Statement(
        select(columns.number, *MOVED)
        .where(columns.number > bindparam("after"), *conditions)
        .order_by(columns.number)
        .limit(bindparam("most"))
    )


def _in_states(states: frozenset[str]) -> ColumnElement[bool]:
    """In one of these; where none of them is an end, the small index of what is open serves."""
    # Written out: SQLite looks into an index over some rows only where the statement names them.
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
        _in_states(frozenset(OPEN)),
        or_(
            pending & (columns.expires_at <= bindparam("now")),
            approved & (columns.answered_at + columns.usable_for <= bindparam("now")),
            orphaned & gone,
        ),
    )


_MOMENT = Statement(select(policy.c.version, Now()))
_TIERS = Statement(select(*TIER).order_by(tiers.c.agent_id, tiers.c.tool_name))
_GRANTS = Statement(select(*GRANT).where(grants.c.revoked_at.is_(None)).order_by(grants.c.number))
_RULES = Statement(select(*RULE).where(rules.c.revoked_at.is_(None)).order_by(rules.c.number))
_CONVERSATION = Statement(select(*CONVERSATION).where(conversations.c.id == bindparam("conversation")))
_AUDIT = Statement(
    select(audit.c.number, *LINK)
    .where(audit.c.number > bindparam("after"))
    .order_by(audit.c.number)
    .limit(bindparam("most"))
)
_DUE = Statement(_due())
_NEWEST = Statement(
    union_all(
        select(func.max(approvals.c.asked_at)),
        select(func.max(approvals.c.answered_at)),
        select(func.max(approvals.c.closed_at)),
        select(func.max(audit.c.written_at)),
        select(func.max(processes.c.seen_at)),
    )
)
_SECRET = Statement(select(policy.c.secret))
