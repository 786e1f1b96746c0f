"""What is read besides policy: the time, pages of approvals and of the audit, and what time has ended."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    ScalarSelect,
    Select,
    Table,
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
from assent.gate.conversation import Conversation
from assent.gate.store import Moment, ToolTier
from assent.gate.stored_policy import Pin, StoredGrant, StoredRule
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
from assent.stores.statements import Now, Statement
from assent.stores.tables import (
    approvals,
    audit,
    audit_outbox,
    audit_segments,
    conversations,
    grants,
    pins,
    policy,
    processes,
    rules,
    tiers,
)
from assent.stores.times import kept, kept_span, moment

LAST = 2**63 - 1
"""Behind every number that a row has."""


class Due(NamedTuple):
    """An approval that time alone may have ended, and the process behind it, if that is gone."""

    id: str
    gone: str | None


def moment_of(connection: Connection, clock: Clock | None) -> Moment:
    """The time, by the store's own clock or else the database's, and the version of policy."""
    ((version, at, paused_at),) = _MOMENT.all(connection)
    return Moment(moment(at) if clock is None else clock(), version, paused_at is not None)


def pending_of(connection: Connection) -> int:
    """How many questions wait for a person."""
    ((count,),) = _PENDING.all(connection)
    return int(count)


def tiers_of(connection: Connection, agent: str | None) -> Sequence[ToolTier]:
    """The tiers that are set, by agent and tool."""
    found = map(tiering_of, _TIERS.all(connection))
    return tuple(one for one in found if agent in (None, one.agent))


def grants_of(connection: Connection) -> Sequence[StoredGrant]:
    """The grants that are not revoked, oldest first."""
    return tuple(map(grant_of, _GRANTS.all(connection)))


def rules_of(connection: Connection) -> Sequence[StoredRule]:
    """The rules that are not revoked, oldest first."""
    return tuple(map(rule_of, _RULES.all(connection)))


def pins_of(connection: Connection) -> Sequence[Pin]:
    """The definitions that are held on to, by origin and tool."""
    return tuple(
        Pin(origin, tool, digest, definition or "")
        for origin, tool, digest, definition in _PINS.all(connection)
    )


def conversation_by(connection: Connection, id_: str) -> Conversation | None:
    """The conversation of an id."""
    rows = _CONVERSATION.all(connection, conversation=id_)
    return conversation_of(rows[0]) if rows else None


def due_of(connection: Connection, clock: Clock | None, grace: timedelta) -> Sequence[Due]:
    """The approvals that time alone may have ended."""
    now = kept(moment_of(connection, clock).at)
    rows = _DUE.all(connection, now=now, horizon=now - kept_span(grace))
    return [Due(id_, boot if gone else None) for id_, boot, gone in rows]


def newest_of(connection: Connection) -> datetime | None:
    """The newest stamp that was written, by any process."""
    rows = [*_NEWEST.all(connection), *_NEWEST_WAITING.all(connection)]
    stamps = [row[0] for row in rows if row[0] is not None]
    return moment(max(stamps)) if stamps else None


def secret_of(connection: Connection) -> bytes:
    """The random bytes that were made with the database."""
    ((text,),) = _SECRET.all(connection)
    return bytes.fromhex(text)


def position(after: str) -> int:
    """Where a page begins: behind the row of this number."""
    if after and not (after.isascii() and after.isdigit() and len(after) < 19):
        raise InputError(f"`{after[:64]}` is not where a page begins")
    return int(after or 0)


def in_states(states: frozenset[str]) -> ColumnElement[bool]:
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
        in_states(frozenset(OPEN)),
        or_(
            pending & (columns.expires_at <= bindparam("now")),
            approved & (columns.answered_at + columns.usable_for <= bindparam("now")),
            orphaned & gone,
        ),
    )


def _last(table: Table) -> ScalarSelect[int]:
    """The number of the row that came last."""
    return select(func.max(table.c.number)).scalar_subquery()


_MOMENT = Statement(select(policy.c.version, Now(), policy.c.paused_at))
_TIERS = Statement(select(*TIER).order_by(tiers.c.agent_id, tiers.c.tool_name))
_GRANTS = Statement(select(*GRANT).where(grants.c.revoked_at.is_(None)).order_by(grants.c.number))
_PINS = Statement(
    select(pins.c.origin, pins.c.tool_name, pins.c.digest, pins.c.definition).order_by(
        pins.c.origin, pins.c.tool_name
    )
)
_RULES = Statement(select(*RULE).where(rules.c.revoked_at.is_(None)).order_by(rules.c.number))
_CONVERSATION = Statement(select(*CONVERSATION).where(conversations.c.id == bindparam("conversation")))
_PENDING = Statement(select(func.count()).select_from(approvals).where(literal_column("state = 'pending'")))
_DUE = Statement(_due())
# Without a look through the history: what ended is in the audit by then, and its last row is the newest.
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
_SECRET = Statement(select(policy.c.secret))
