"""Rows of policy: grants, rules, tiers, definitions and conversations, and the query for a decision."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
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

from assent.engine.policy.rule import RuleList
from assent.engine.policy.snapshot import Tier, TierSetting
from assent.gate.catalog import Pin
from assent.gate.conversation import Conversation
from assent.gate.policy import Pause, PolicyKey, StoredGrant, StoredPolicy, StoredRule
from assent.gate.preset import Lifetime
from assent.gate.store import START_MODE, ToolTier
from assent.gate.workspaces import RegisteredWorkspace
from assent.stores.sql.statement import (
    Clock,
    Connection,
    ServerTime,
    Statement,
    from_micros,
    from_micros_or_none,
    to_micros,
    to_micros_or_none,
)
from assent.stores.sql.tables import (
    conversations,
    grants,
    pins,
    policy,
    rules,
    settings,
    tiers,
    workspaces,
)

GRANT_COLUMNS = tuple(
    column for column in grants.columns if column.name not in ("number", "revoked_at", "revoked_by")
)
RULE_COLUMNS = tuple(
    column for column in rules.columns if column.name not in ("number", "revoked_at", "revoked_by")
)
TIER_COLUMNS = (
    tiers.c.agent_id,
    tiers.c.tool_name,
    tiers.c.status,
    tiers.c.source,
    tiers.c.provider_key,
    tiers.c.set_by,
)
CONVERSATION_COLUMNS = tuple(conversations.columns)
WORKSPACE_COLUMNS = tuple(workspaces.columns)
_NOT_REVOKED = {"revoked_at": None, "revoked_by": None}


def grant_to_row(grant: StoredGrant, at: datetime) -> dict[str, object]:
    """The row of a new grant."""
    return {
        "id": grant.id,
        "pattern": grant.pattern,
        "conversation_id": grant.conversation,
        "agent_id": grant.agent,
        "user_id": grant.user,
        "lifetime": grant.lifetime.value,
        "boot": grant.boot,
        "until_at": to_micros_or_none(grant.until),
        "uses": grant.uses,
        "given_by": grant.by,
        "approval_id": grant.approval,
        "override": grant.override,
        "given_at": to_micros(at),
        **_NOT_REVOKED,
    }


def grant_from_row(row: Sequence[Any]) -> StoredGrant:
    """The grant of a row of `GRANT_COLUMNS`."""
    (id_, pattern, conversation, agent, user, lifetime, boot, until, uses, by, approval, override, at) = row
    return StoredGrant(
        id=id_,
        pattern=pattern,
        conversation=conversation,
        agent=agent,
        user=user,
        lifetime=Lifetime(lifetime),
        boot=boot,
        until=from_micros_or_none(until),
        uses=uses,
        by=by,
        approval=approval,
        override=bool(override),
        at=from_micros(at),
    )


def rule_to_row(rule: StoredRule, at: datetime) -> dict[str, object]:
    """The row of a new rule."""
    return {
        "id": rule.id,
        "list": rule.list.value,
        "rule": rule.text,
        "conversation_id": rule.conversation,
        "agent_id": rule.agent,
        "user_id": rule.user,
        "given_by": rule.by,
        "approval_id": rule.approval,
        "why": rule.why,
        "given_at": to_micros(at),
        **_NOT_REVOKED,
    }


def rule_from_row(row: Sequence[Any]) -> StoredRule:
    """The rule of a row of `RULE_COLUMNS`."""
    id_, list_, text, conversation, agent, user, by, approval, why, at = row
    return StoredRule(
        id=id_,
        list=RuleList(list_),
        text=text,
        conversation=conversation,
        agent=agent,
        user=user,
        by=by,
        approval=approval,
        why=why,
        at=from_micros(at),
    )


def tool_tier_to_row(tool_tier: ToolTier, at: datetime) -> dict[str, object]:
    """The row of the tier that an administrator set for an agent and a tool."""
    return {
        "agent_id": tool_tier.agent,
        "tool_name": tool_tier.tool,
        "provider_key": tool_tier.provider,
        "status": tool_tier.assignment.tier.value,
        "source": "explicit" if tool_tier.assignment.explicit else "pattern",
        "set_by": tool_tier.by,
        "set_at": to_micros(at),
    }


def tool_tier_from_row(row: Sequence[Any]) -> ToolTier:
    """The tier of a row of `TIER_COLUMNS`."""
    agent, tool, status, source, provider, by = row
    return ToolTier(agent, tool, TierSetting(Tier(status), source == "explicit"), provider, by)


def pin_to_row(pin: Pin, by: str, at: datetime) -> dict[str, object]:
    """The row of an accepted tool definition."""
    return {
        "origin": pin.origin,
        "tool_name": pin.tool,
        "digest": pin.digest,
        "accepted_by": by,
        "accepted_at": to_micros(at),
        "definition": pin.definition or None,
    }


def conversation_to_row(conversation: Conversation, at: datetime) -> dict[str, object]:
    """The row of a conversation; without a start time it starts now."""
    return {
        "id": conversation.id,
        "owner": conversation.owner,
        "agent_id": conversation.agent,
        "preset": conversation.preset,
        "mode": conversation.mode,
        "title": conversation.title,
        "model": conversation.model,
        "started_at": to_micros(conversation.at or at),
    }


def conversation_from_row(row: Sequence[Any]) -> Conversation:
    """The conversation of a row of `CONVERSATION_COLUMNS`."""
    id_, owner, agent, preset, mode, title, model, at = row
    return Conversation(
        id=id_,
        owner=owner,
        agent=agent,
        preset=preset,
        mode=mode,
        title=title,
        model=model,
        at=from_micros(at),
    )


def workspace_from_row(row: Sequence[Any]) -> RegisteredWorkspace:
    """The workspace of a row of `WORKSPACE_COLUMNS`."""
    agent, root, id_, by, remote, at = row
    return RegisteredWorkspace(id=id_, agent=agent, root=root, remote=bool(remote), by=by, at=from_micros(at))


def read_tiers(connection: Connection, agent: str | None) -> Sequence[ToolTier]:
    """The tiers, by agent and tool."""
    found = map(tool_tier_from_row, _TIERS.fetch(connection))
    return tuple(one for one in found if agent in (None, one.agent))


def read_grants(connection: Connection) -> Sequence[StoredGrant]:
    """The grants that are not revoked, oldest first."""
    return tuple(map(grant_from_row, _GRANTS.fetch(connection)))


def read_rules(connection: Connection) -> Sequence[StoredRule]:
    """The rules that are not revoked, oldest first."""
    return tuple(map(rule_from_row, _RULES.fetch(connection)))


def read_pins(connection: Connection) -> Sequence[Pin]:
    """The accepted tool definitions, by origin and tool."""
    return tuple(
        Pin(origin, tool, digest, definition or "", by)
        for origin, tool, digest, definition, by in _PINS.fetch(connection)
    )


def read_conversation(connection: Connection, id_: str) -> Conversation | None:
    """The conversation with this id."""
    rows = _CONVERSATION.fetch(connection, conversation=id_)
    return conversation_from_row(rows[0]) if rows else None


def read_secret(connection: Connection) -> bytes:
    """The random secret that was created with the database."""
    ((text,),) = _SECRET.fetch(connection)
    return bytes.fromhex(text)


_TIERS = Statement(select(*TIER_COLUMNS).order_by(tiers.c.agent_id, tiers.c.tool_name))
_GRANTS = Statement(select(*GRANT_COLUMNS).where(grants.c.revoked_at.is_(None)).order_by(grants.c.number))
_PINS = Statement(
    select(pins.c.origin, pins.c.tool_name, pins.c.digest, pins.c.definition, pins.c.accepted_by).order_by(
        pins.c.origin, pins.c.tool_name
    )
)
_RULES = Statement(select(*RULE_COLUMNS).where(rules.c.revoked_at.is_(None)).order_by(rules.c.number))
_CONVERSATION = Statement(
    select(*CONVERSATION_COLUMNS).where(conversations.c.id == bindparam("conversation"))
)
_SECRET = Statement(select(policy.c.secret))

Columns = Sequence[ColumnElement[Any]]
_PIN_COLUMNS: Columns = (pins.c.origin, pins.c.tool_name, pins.c.digest, pins.c.accepted_by)
_POLICY_COLUMNS: Columns = (
    policy.c.version,
    ServerTime(),
    policy.c.paused_at,
    policy.c.paused_by,
    policy.c.declared,
)
_SETTING_COLUMNS: Columns = (settings.c.name, settings.c.value)
_TEXT_COUNT, _NUMBER_COUNT = 10, 4
"""The number of text and number columns in the widest row."""


def read_stored_policy(connection: Connection, about: PolicyKey, clock: Clock | None) -> StoredPolicy:
    """The policy for one user, agent and conversation at one moment, read in one query."""
    rows = _CURRENT_POLICY.fetch(
        connection, user=about.user, agent=about.agent, conversation=about.conversation
    )
    kinds: dict[str, list[Sequence[Any]]] = {}
    for row in rows:
        kinds.setdefault(row[0], []).append(_unpack_row(row[0], row))
    version, at, paused_at, paused_by, declared = kinds["policy"][0]
    found_tiers = [tool_tier_from_row(row) for row in kinds.get("tier", ())]
    found_conversations = [conversation_from_row(row) for row in kinds.get("conversation", ())]
    return StoredPolicy(
        version=version,
        at=from_micros(at) if clock is None else clock(),
        tiers={one.tool: one.assignment for one in found_tiers},
        rules=tuple(rule_from_row(row) for row in kinds.get("rule", ())),
        grants=tuple(grant_from_row(row) for row in kinds.get("grant", ())),
        pins={(origin, tool): digest for origin, tool, digest, _ in kinds.get("pin", ())},
        reviewed={(origin, tool): digest for origin, tool, digest, by in kinds.get("pin", ()) if by},
        conversation=found_conversations[0] if found_conversations else None,
        paused=None if paused_at is None else Pause(paused_by, from_micros(paused_at)),
        declarations_version=declared,
        start_mode=next((value for _, value in kinds.get("setting", ())), ""),
        workspaces=tuple(workspace_from_row(row) for row in kinds.get("workspace", ())),
    )


def _select_kind(kind: str, columns: Columns, number: ColumnElement[int]) -> Select[Any]:
    """A SELECT of one kind of row, padded to the same columns as all other kinds."""
    texts = [column for column in columns if isinstance(column.type, Text)]
    # PostgreSQL casts a boolean to a bigint only through an integer.
    numbers = [
        cast(cast(column, Integer) if isinstance(column.type, Boolean) else column, BigInteger)
        for column in columns
        if not isinstance(column.type, Text)
    ]
    texts += [cast(null(), Text)] * (_TEXT_COUNT - len(texts))
    numbers += [cast(null(), BigInteger)] * (_NUMBER_COUNT - len(numbers))
    columns = [
        literal_column(f"'{kind}'", Text).label("kind"),
        number.label("number"),
        *(column.label(f"text{index}") for index, column in enumerate(texts)),
        *(column.label(f"number{index}") for index, column in enumerate(numbers)),
    ]
    return select(*columns)


def _scope_conditions(table: Table) -> tuple[ColumnElement[bool], ...]:
    """The SQL conditions for rows that are not revoked and whose scope matches the call."""
    scopes = (
        (table.c.conversation_id, "conversation"),
        (table.c.agent_id, "agent"),
        (table.c.user_id, "user"),
    )
    matching = [or_(column.is_(None), column == bindparam(name)) for column, name in scopes]
    return (table.c.revoked_at.is_(None), *matching)


def _column_positions(columns: Columns) -> tuple[int, ...]:
    """The positions that `_select_kind` gave these columns, after the kind and the number."""
    texts, numbers = (
        iter(range(2, 2 + _TEXT_COUNT)),
        iter(range(2 + _TEXT_COUNT, 2 + _TEXT_COUNT + _NUMBER_COUNT)),
    )
    return tuple(next(texts if isinstance(column.type, Text) else numbers) for column in columns)


_COLUMNS_BY_KIND: dict[str, Columns] = {
    "policy": _POLICY_COLUMNS,
    "tier": TIER_COLUMNS,
    "rule": RULE_COLUMNS,
    "grant": GRANT_COLUMNS,
    "pin": _PIN_COLUMNS,
    "conversation": CONVERSATION_COLUMNS,
    "setting": _SETTING_COLUMNS,
    "workspace": WORKSPACE_COLUMNS,
}
_POSITIONS_BY_KIND = {kind: _column_positions(columns) for kind, columns in _COLUMNS_BY_KIND.items()}
_LITERAL_ONE: ColumnElement[int] = literal_column("1")
_CURRENT_POLICY = Statement(
    union_all(
        _select_kind("policy", _POLICY_COLUMNS, _LITERAL_ONE),
        _select_kind("tier", TIER_COLUMNS, tiers.c.number).where(tiers.c.agent_id == bindparam("agent")),
        _select_kind("rule", RULE_COLUMNS, rules.c.number).where(*_scope_conditions(rules)),
        _select_kind("grant", GRANT_COLUMNS, grants.c.number).where(*_scope_conditions(grants)),
        _select_kind("pin", _PIN_COLUMNS, _LITERAL_ONE),
        _select_kind("conversation", CONVERSATION_COLUMNS, _LITERAL_ONE).where(
            conversations.c.id == bindparam("conversation")
        ),
        _select_kind("setting", _SETTING_COLUMNS, _LITERAL_ONE).where(
            settings.c.name == literal_column(f"'{START_MODE}'")
        ),
        _select_kind("workspace", WORKSPACE_COLUMNS, _LITERAL_ONE).where(
            or_(workspaces.c.agent_id == literal_column("''"), workspaces.c.agent_id == bindparam("agent"))
        ),
    ).order_by("kind", "number")
)


def read_allowed_patterns(connection: Connection) -> tuple[str, ...]:
    """The patterns of all allow rules and grants that are not revoked, without duplicates."""
    found = (*_ALLOW_RULES.fetch(connection, list=RuleList.ALLOW.value), *_GRANT_PATTERNS.fetch(connection))
    return tuple(dict.fromkeys(str(row[0]) for row in found))


def _unpack_row(kind: str, row: Sequence[Any]) -> Sequence[Any]:
    return [row[slot] for slot in _POSITIONS_BY_KIND[kind]]


_ALLOW_RULES = Statement(
    select(rules.c.rule)
    .where(rules.c.list == bindparam("list"), rules.c.revoked_at.is_(None))
    .order_by(rules.c.number)
)
_GRANT_PATTERNS = Statement(
    select(grants.c.pattern).where(grants.c.revoked_at.is_(None)).order_by(grants.c.number)
)
