"""The outbox of the audit: rows are committed here with their change, and moved to the audit afterwards."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Column, Select, Table, bindparam, select, text, union_all

from assent.gate.audit import START, Entry, Link
from assent.stores.sql.statement import Connection, Statement, inserting, upserting
from assent.stores.sql.tables import audit, audit_outbox, audit_segments
from assent.stores.sql.times import kept, moment


def link_columns(table: Table) -> tuple[Column[Any], ...]:
    """The columns that `link_of` takes, in its order: of the audit, or of its outbox."""
    return tuple(column for column in table.columns if column.name != "number")


LINK = link_columns(audit)


def link_row(link: Link) -> dict[str, object]:
    """A link as it is written, once and for all."""
    entry = link.entry
    return {
        "writer": link.writer,
        "place": link.number,
        "written_at": kept(link.at),
        "hash": link.hash,
        "id": storable(entry.id),
        "user_id": storable(entry.user),
        "agent_id": storable(entry.agent),
        "conversation_id": storable(entry.conversation),
        "call_id": storable(entry.call),
        "tool_name": storable(entry.tool),
        "verdict": storable(entry.verdict),
        "stage": storable(entry.stage),
        "rule": storable(entry.rule),
        "decision": storable(entry.decision),
        "with_override": entry.with_override,
        "reason": storable(entry.reason),
        "mode": storable(entry.mode),
        "policy_version": entry.policy_version,
        "approval_id": storable(entry.approval),
        "asked_digest": entry.asked_digest or None,
        "ran_digest": entry.ran_digest or None,
    }


def link_of(row: Sequence[Any]) -> Link:
    """The link of a row of `LINK`."""
    (writer, place, at, hash_, id_, user, agent, conversation, call, tool, verdict, stage, rule, decision,
     with_override, reason, mode, policy_version, approval, asked_digest, ran_digest) = row  # fmt: skip
    entry = Entry(
        id=said(id_),
        user=said(user),
        agent=said(agent),
        conversation=said(conversation),
        call=said(call),
        tool=said(tool),
        verdict=said(verdict),
        stage=said(stage),
        rule=said(rule),
        decision=said(decision),
        with_override=bool(with_override),
        reason=said(reason),
        mode=said(mode),
        policy_version=policy_version,
        approval=said(approval),
        asked_digest=asked_digest or "",
        ran_digest=ran_digest or "",
    )
    return Link(entry=entry, writer=writer, number=place, at=moment(at), hash=hash_)


def storable(text: str) -> str:
    """A text in characters that every database holds; the audit must not fail over a strange name."""
    if (text.isascii() or _is_unicode(text)) and "\0" not in text and not text.startswith(_ESCAPED):
        return text
    return _ESCAPED + json.dumps(text)


def said(stored: str) -> str:
    """The text as it was before `storable`."""
    return json.loads(stored[len(_ESCAPED) :]) if stored.startswith(_ESCAPED) else stored


def _is_unicode(text: str) -> bool:
    """Whether no half of a surrogate pair is in it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_ESCAPED = "\ufeff"
"""Begins a text that is spelled as JSON; no text of a person begins with this mark."""


AT_ONCE = 1000
"""Rows that one transaction moves, so that those who write get their turn in between."""


class Head(NamedTuple):
    """The end of a chain: what the next row is linked to."""

    place: int
    hash: str


def put(connection: Connection, links: Sequence[Link]) -> None:
    """Write links in the transaction that is open."""
    _PUT.many(connection, [link_row(link) for link in links])


def put_again(connection: Connection, links: Sequence[Link]) -> None:
    """Write links that may be there already."""
    _PUT_AGAIN.many(connection, [link_row(link) for link in links])


def move(connection: Connection) -> int:
    """Move rows to the audit, all or none of them; how many there were, at most `AT_ONCE`."""
    moved = _MOVE[connection.dialect.name].run(connection, most=AT_ONCE)
    # INVARIANT: a row leaves the outbox only when the very same one is in the audit; triggers hold us to it.
    _CLEAR.run(connection)
    return moved


def follow_audit(connection: Connection) -> None:
    """Let SQLite number what comes next behind all that is in the audit."""
    for statement in _FOLLOW:
        statement.run(connection)


def head_of(connection: Connection, writer: str) -> Head:
    """The last row of a writer's chain, wherever it is."""
    rows = _HEAD.all(connection, writer=writer)
    return max((Head(*row) for row in rows), default=Head(0, START))


def ids_after(connection: Connection, writer: str, place: int) -> frozenset[str]:
    """The entries of a writer behind a place."""
    return frozenset(row[0] for row in _IDS.all(connection, writer=writer, place=place))


def _last(table: Table) -> Select[Any]:
    last = (
        select(table.c.place, table.c.hash)
        .where(table.c.writer == bindparam("writer"))
        .order_by(table.c.place.desc())
        .limit(1)
        .subquery()
    )
    return select(last)


def _after(table: Table) -> Select[Any]:
    return select(table.c.id).where(table.c.writer == bindparam("writer"), table.c.place > bindparam("place"))


def _moving(number: str, ending: str) -> Statement:
    columns = ", ".join(column.name for column in LINK)
    return Statement(
        text(
            f"INSERT INTO audit (number, {columns}) SELECT {number}, {columns} FROM audit_outbox"  # noqa: S608 - our own words
            f" WHERE true ORDER BY number LIMIT CAST(:most AS BIGINT) {ending}"
            " ON CONFLICT (writer, place) DO NOTHING"
        )
    )


_PUT = inserting(audit_outbox)
_PUT_AGAIN = upserting(audit_outbox, "writer", "place", keep=True)
_MOVE = {
    # Numbers are new ones where a process of the version before, which knows no outbox, took one of them.
    "sqlite": _moving(
        "CASE WHEN EXISTS (SELECT 1 FROM audit_outbox AS o JOIN audit AS a ON a.number = o.number)"
        " THEN NULL ELSE number END",
        "",
    ),
    "postgresql": _moving("number", "FOR UPDATE SKIP LOCKED"),
}
_CLEAR = Statement(
    text(
        "DELETE FROM audit_outbox WHERE EXISTS (SELECT 1 FROM audit WHERE audit.writer = audit_outbox.writer"
        " AND audit.place = audit_outbox.place AND audit.hash = audit_outbox.hash)"
    )
)
_FOLLOW = (
    Statement(text("DELETE FROM sqlite_sequence WHERE name = 'audit_outbox'")),
    Statement(text("INSERT INTO sqlite_sequence (name, seq) SELECT 'audit_outbox', max(number) FROM audit")),
)
_segment = audit_segments.c
_closed = (
    select(_segment.last_place, _segment.last_hash)
    .where(_segment.writer == bindparam("writer"))
    .order_by(_segment.last_place.desc())
    .limit(1)
    .subquery()
)
_HEAD = Statement(union_all(_last(audit_outbox), _last(audit), select(_closed)))
_IDS = Statement(union_all(_after(audit_outbox), _after(audit)))
