"""What is current, in one query: a row for each thing that a decision needs to know."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Connection,
    Integer,
    Select,
    Table,
    Text,
    bindparam,
    cast,
    literal_column,
    null,
    or_,
    select,
    union_all,
)

from assent.gate.store import START_MODE
from assent.gate.stored_policy import Pause, PolicyKey, StoredPolicy
from assent.stores.clock import Clock
from assent.stores.live_tables import settings
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
from assent.stores.tables import conversations, grants, pins, policy, rules, tiers
from assent.stores.times import moment

Columns = Sequence[ColumnElement[Any]]
_PIN: Columns = (pins.c.origin, pins.c.tool_name, pins.c.digest)
_POLICY: Columns = (policy.c.version, Now(), policy.c.paused_at, policy.c.paused_by, policy.c.declared)
_SETTING: Columns = (settings.c.name, settings.c.value)
_TEXTS, _NUMBERS = 10, 4
"""How many columns of each kind the widest row has."""


def current_of(connection: Connection, about: PolicyKey, clock: Clock | None) -> StoredPolicy:
    """Policy as it is at one moment, for one user, agent and conversation."""
    rows = _CURRENT.all(connection, user=about.user, agent=about.agent, conversation=about.conversation)
    kinds: dict[str, list[Sequence[Any]]] = {}
    for row in rows:
        kinds.setdefault(row[0], []).append(_unpacked(row[0], row))
    version, at, paused_at, paused_by, declared = kinds["policy"][0]
    said = [tiering_of(row) for row in kinds.get("tier", ())]
    talks = [conversation_of(row) for row in kinds.get("conversation", ())]
    return StoredPolicy(
        version=version,
        at=moment(at) if clock is None else clock(),
        tiers={one.tool: one.assignment for one in said},
        rules=tuple(rule_of(row) for row in kinds.get("rule", ())),
        grants=tuple(grant_of(row) for row in kinds.get("grant", ())),
        pins={(origin, tool): digest for origin, tool, digest in kinds.get("pin", ())},
        conversation=talks[0] if talks else None,
        paused=None if paused_at is None else Pause(paused_by, moment(paused_at)),
        declarations_version=declared,
        start_mode=next((value for _, value in kinds.get("setting", ())), ""),
    )


def _part(kind: str, columns: Columns, number: ColumnElement[int]) -> Select[Any]:
    """Rows of one kind, laid out so that rows of all kinds fit under each other."""
    texts = [column for column in columns if isinstance(column.type, Text)]
    # PostgreSQL takes a truth for a number only by way of a plain integer.
    numbers = [
        cast(cast(column, Integer) if isinstance(column.type, Boolean) else column, BigInteger)
        for column in columns
        if not isinstance(column.type, Text)
    ]
    texts += [cast(null(), Text)] * (_TEXTS - len(texts))
    numbers += [cast(null(), BigInteger)] * (_NUMBERS - len(numbers))
    columns = [
        literal_column(f"'{kind}'", Text).label("kind"),
        number.label("number"),
        *(column.label(f"text{place}") for place, column in enumerate(texts)),
        *(column.label(f"number{place}") for place, column in enumerate(numbers)),
    ]
    return select(*columns)


def _reaches(table: Table) -> tuple[ColumnElement[bool], ...]:
    """Not revoked, and each scope that is named is the one that is asked about."""
    scopes = (
        (table.c.conversation_id, "conversation"),
        (table.c.agent_id, "agent"),
        (table.c.user_id, "user"),
    )
    named = [or_(column.is_(None), column == bindparam(name)) for column, name in scopes]
    return (table.c.revoked_at.is_(None), *named)


def _slots(columns: Columns) -> tuple[int, ...]:
    """Where `_part` put each of these columns, behind the kind and the number."""
    texts, numbers = iter(range(2, 2 + _TEXTS)), iter(range(2 + _TEXTS, 2 + _TEXTS + _NUMBERS))
    return tuple(next(texts if isinstance(column.type, Text) else numbers) for column in columns)


def _unpacked(kind: str, row: Sequence[Any]) -> Sequence[Any]:
    return [row[slot] for slot in _SLOTS[kind]]


_KINDS: dict[str, Columns] = {
    "policy": _POLICY,
    "tier": TIER,
    "rule": RULE,
    "grant": GRANT,
    "pin": _PIN,
    "conversation": CONVERSATION,
    "setting": _SETTING,
}
_SLOTS = {kind: _slots(columns) for kind, columns in _KINDS.items()}
_ONE: ColumnElement[int] = literal_column("1")
_CURRENT = Statement(
    union_all(
        _part("policy", _POLICY, _ONE),
        _part("tier", TIER, tiers.c.number).where(tiers.c.agent_id == bindparam("agent")),
        _part("rule", RULE, rules.c.number).where(*_reaches(rules)),
        _part("grant", GRANT, grants.c.number).where(*_reaches(grants)),
        _part("pin", _PIN, _ONE),
        _part("conversation", CONVERSATION, _ONE).where(conversations.c.id == bindparam("conversation")),
        _part("setting", _SETTING, _ONE).where(settings.c.name == literal_column(f"'{START_MODE}'")),
    ).order_by("kind", "number")
)
