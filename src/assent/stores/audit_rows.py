"""A link of the audit's chain as a row."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Column, Table

from assent.gate.audit import Entry, Link
from assent.stores.tables import audit
from assent.stores.times import kept, moment


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
