"""Edits of policy in a batch; every edit that can change a decision increments the policy version."""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from sqlalchemy import bindparam, delete, select, union_all, update

from assent.errors import ConflictError, NotFoundError
from assent.gate.audit import Entry
from assent.gate.catalog import DeclaredTool, Pin
from assent.gate.conversation import CHANGEABLE_FIELDS, Conversation, merge_fields
from assent.gate.events import EventKind
from assent.gate.policy import RULE_REPLACED_MESSAGE, Moment, StoredGrant, StoredRule
from assent.gate.store import ToolTier
from assent.stores.sql.policy import (
    CONVERSATION_COLUMNS,
    RULE_COLUMNS,
    conversation_from_row,
    conversation_to_row,
    grant_to_row,
    pin_to_row,
    rule_from_row,
    rule_to_row,
    tool_tier_to_row,
)
from assent.stores.sql.statement import (
    Connection,
    Statement,
    in_json_list,
    to_micros,
    update_rows,
    upsert_rows,
)
from assent.stores.sql.tables import (
    conversations,
    declarations,
    grants,
    pins,
    policy,
    processes,
    rules,
    tiers,
)
from assent.wire.call import declaration_from_json, declaration_to_json


class EditResult(NamedTuple):
    """The result of an edit, and whether it changed the policy."""

    result: object = None
    policy: bool = False
    event: EventKind | None = None
    """An event to write in addition to the event for a change of policy."""
    notifies: bool = False
    """Whether other processes are notified although there is no event."""
    entries: tuple[Entry, ...] = ()
    """Audit entries, which are committed in the same transaction."""


def increment_version(connection: Connection) -> None:
    """Increment the policy version; a reader of the new version sees all earlier writes."""
    _INCREMENT_VERSION.run(connection)


def add_policy(
    connection: Connection, moment: Moment, given: Sequence[StoredGrant], written: Sequence[StoredRule]
) -> bool:
    """Add grants and rules that do not exist yet; returns whether there were any."""
    if not given and not written:
        return False
    ids = json.dumps([one.id for one in given] + [one.id for one in written])
    known = {row[0] for row in _EXISTING_IDS.fetch(connection, ids=ids)}
    new_grants = {one.id: grant_to_row(one, moment.at) for one in given if one.id not in known}
    new_rules = {one.id: rule_to_row(one, moment.at) for one in written if one.id not in known}
    _ADD_GRANT.run_many(connection, list(new_grants.values()))
    _ADD_RULE.run_many(connection, list(new_rules.values()))
    return bool(new_grants or new_rules)


def add_policy_edit(
    connection: Connection, moment: Moment, given: Sequence[StoredGrant], written: Sequence[StoredRule]
) -> EditResult:
    """Add grants and rules that do not come from an answer."""
    return EditResult(policy=add_policy(connection, moment, given, written))


def replace_rule(
    connection: Connection, moment: Moment, id_: str, change: Callable[[StoredRule], StoredRule], by: str
) -> EditResult:
    """Revoke a rule and add its replacement, which keeps the time of the original."""
    rows = _LOCK_RULE.fetch(connection, rule=id_)
    if not rows:
        raise NotFoundError("rule", id_)
    *row, revoked_at = rows[0]
    known = rule_from_row(row)
    new = change(known)
    if revoked_at is not None:
        # A retry after an unknown outcome finds it done.
        if new.id != id_ and _LOCK_RULE.fetch(connection, rule=new.id):
            return EditResult(new)
        raise ConflictError(RULE_REPLACED_MESSAGE.format(id=id_))
    if new is known:
        return EditResult(known)
    _ADD_RULE.run_many(connection, [rule_to_row(new, known.at or moment.at)])
    _REVOKE_RULE.run(connection, grant=id_, at=to_micros(moment.at), by=by)
    return EditResult(new, policy=True)


def set_tiers(
    connection: Connection,
    moment: Moment,
    tool_tiers: Sequence[ToolTier],
    replace_agent: str | None,
    cleared: Sequence[tuple[str, str]] = (),
) -> EditResult:
    """Set and clear tiers; with `replace_agent`, replace all tiers of that agent."""
    if replace_agent is not None:
        _DROP_TIERS.run(connection, agent=replace_agent)
    for agent, tool in cleared:
        _DROP_TIER.run(connection, agent=agent, tool=tool)
    rows = {(one.agent, one.tool): tool_tier_to_row(one, moment.at) for one in tool_tiers}
    _SET_TIER.run_many(connection, list(rows.values()))
    return EditResult(policy=True)


def revoke(connection: Connection, moment: Moment, id_: str, by: str) -> EditResult:
    """Revoke a grant or a rule; revoking it twice has no further effect."""
    ids = json.dumps([id_])
    if not _EXISTING_IDS.fetch(connection, ids=ids):
        raise NotFoundError("grant or rule", id_)
    at = to_micros(moment.at)
    touched = [
        statement.run(connection, grant=id_, at=at, by=by) for statement in (_REVOKE_GRANT, _REVOKE_RULE)
    ]
    return EditResult(policy=any(touched))


def use_grants(connection: Connection, moment: Moment, ids: Iterable[str]) -> EditResult:  # noqa: ARG001
    """Count one use of each of these grants, or of none of them."""
    wanted = list(dict.fromkeys(ids))
    rows = _LOCK_COUNTED_GRANTS.fetch(connection, ids=json.dumps(wanted))
    left = {id_: uses - 1 for id_, uses in rows}
    if len(left) < len(wanted):
        return EditResult(result=False)
    _SET_USES.run_many(connection, [{"id": id_, "uses": uses} for id_, uses in left.items()])
    return EditResult(result=True, policy=0 in left.values())


def pin_definitions(
    connection: Connection,
    moment: Moment,
    seen: Sequence[Pin],
    by: str,
    accept: bool,  # noqa: FBT001
) -> EditResult:
    """Store new tool definitions; only with `accept` is a stored one replaced."""
    rows = _PINS.fetch(connection)
    held = {(origin, tool): digest for origin, tool, digest, _, _ in rows}
    bare = {(origin, tool) for origin, tool, _, definition, _ in rows if definition is None}
    accepted = {(origin, tool): digest for origin, tool, digest, _, accepted_by in rows if accepted_by}
    wanted = {(pin.origin, pin.tool): pin for pin in seen}
    new = [
        pin_to_row(pin, by, moment.at)
        for key, pin in wanted.items()
        if (accepted.get(key) != pin.digest if accept else key not in held)
    ]
    _SAVE_PIN.run_many(connection, new)
    for key, pin in wanted.items():
        # Earlier versions stored only the digest; the definition is added when the tool is declared again.
        if key in bare and held[key] == pin.digest and pin.definition:
            _SET_DEFINITION.run(connection, of_origin=pin.origin, of_tool=pin.tool, text=pin.definition)
    return EditResult(policy=bool(new))


def save_conversation(
    connection: Connection,
    moment: Moment,
    conversation: Conversation,
    fields: Collection[str] = CHANGEABLE_FIELDS,
) -> EditResult:
    """Create a conversation, or write the named fields of mode, title and model."""
    rows = _LOCK_CONVERSATION.fetch(connection, conversation=conversation.id)
    if not rows:
        new = replace(conversation, at=moment.at)
        _SAVE_CONVERSATION.run_many(connection, [conversation_to_row(new, moment.at)])
        return EditResult(new)
    known = conversation_from_row(rows[0])
    changed = merge_fields(known, conversation, fields)
    _SAVE_CONVERSATION.run_many(connection, [conversation_to_row(changed, moment.at)])
    return EditResult(changed, policy=known.mode != changed.mode)


def record_heartbeat(connection: Connection, moment: Moment, boot: str) -> EditResult:
    """Record that a process is alive."""
    at = to_micros(moment.at)
    if not _SET_SEEN.run(connection, boot=boot, seen_at=at):
        _ADD_PROCESS.run_many(
            connection, [{"boot": boot, "started_at": at, "seen_at": at, "audited": 0, "chain": "open"}]
        )
    return EditResult()


_INCREMENT_VERSION = Statement(update(policy).values(version=policy.c.version + 1))
_EXISTING_IDS = Statement(
    union_all(
        select(grants.c.id).where(in_json_list(grants.c.id, "ids")),
        select(rules.c.id).where(in_json_list(rules.c.id, "ids")),
    )
)
_ADD_GRANT = upsert_rows(grants, "id", keep=True)
_ADD_RULE = upsert_rows(rules, "id", keep=True)
_DROP_TIERS = Statement(delete(tiers).where(tiers.c.agent_id == bindparam("agent")))
_DROP_TIER = Statement(
    delete(tiers).where(tiers.c.agent_id == bindparam("agent"), tiers.c.tool_name == bindparam("tool"))
)
_LOCK_RULE = Statement(
    select(*RULE_COLUMNS, rules.c.revoked_at).where(rules.c.id == bindparam("rule")).with_for_update()
)
_SET_TIER = upsert_rows(tiers, "agent_id", "tool_name")
_REVOKE_GRANT = Statement(
    update(grants)
    .where(grants.c.id == bindparam("grant"), grants.c.revoked_at.is_(None))
    .values(revoked_at=bindparam("at"), revoked_by=bindparam("by"))
)
_REVOKE_RULE = Statement(
    update(rules)
    .where(rules.c.id == bindparam("grant"), rules.c.revoked_at.is_(None))
    .values(revoked_at=bindparam("at"), revoked_by=bindparam("by"))
)
_LOCK_COUNTED_GRANTS = Statement(
    select(grants.c.id, grants.c.uses)
    .where(in_json_list(grants.c.id, "ids"), grants.c.uses > 0, grants.c.revoked_at.is_(None))
    .order_by(grants.c.id)
    .with_for_update()
)
_SET_USES = update_rows(grants, "id", "uses")
_PINS = Statement(
    select(pins.c.origin, pins.c.tool_name, pins.c.digest, pins.c.definition, pins.c.accepted_by)
)
_SET_DEFINITION = Statement(
    update(pins)
    .where(pins.c.origin == bindparam("of_origin"), pins.c.tool_name == bindparam("of_tool"))
    .values(definition=bindparam("text"))
)
_SAVE_PIN = upsert_rows(pins, "origin", "tool_name")
_LOCK_CONVERSATION = Statement(
    select(*CONVERSATION_COLUMNS).where(conversations.c.id == bindparam("conversation")).with_for_update()
)
_SAVE_CONVERSATION = upsert_rows(conversations, "id")
_SET_SEEN = update_rows(processes, "boot", "seen_at")
_ADD_PROCESS = upsert_rows(processes, "boot")


def declare_tools(
    connection: Connection, moment: Moment, agent: str, origin: str, offered: Sequence[DeclaredTool], by: str
) -> EditResult:
    """Replace the tools that an origin offers to an agent; the same tools again change nothing."""
    rows = {
        one.tool.name: {
            "agent_id": agent,
            "origin": origin,
            "tool_name": one.tool.name,
            "definition": json.dumps(declaration_to_json(one), separators=(",", ":")),
            "trust": one.trust.value,
            "declared_by": by,
            "declared_at": to_micros(moment.at),
        }
        for one in offered
    }
    known: dict[str, str] = dict(_DEFINITIONS_OF_ORIGIN.fetch(connection, agent=agent, origin=origin))
    if known == {name: row["definition"] for name, row in rows.items()}:
        return EditResult(result=False)
    _DELETE_DECLARATIONS.run(connection, agent=agent, origin=origin)
    _SAVE_DECLARATIONS.run_many(connection, list(rows.values()))
    # The policy version after this edit.
    _SET_DECLARED_VERSION.run(connection)
    return EditResult(result=True, policy=True)


def read_declarations(connection: Connection) -> Sequence[DeclaredTool]:
    """Every declared tool, by agent, origin and name."""
    return tuple(declaration_from_json(json.loads(text)) for (text,) in _ALL_DECLARATIONS.fetch(connection))


_c = declarations.c
_DEFINITIONS_OF_ORIGIN = Statement(
    select(_c.tool_name, _c.definition).where(
        _c.agent_id == bindparam("agent"), _c.origin == bindparam("origin")
    )
)
_DELETE_DECLARATIONS = Statement(
    delete(declarations).where(_c.agent_id == bindparam("agent"), _c.origin == bindparam("origin"))
)
_SAVE_DECLARATIONS = upsert_rows(declarations, "agent_id", "origin", "tool_name")
_SET_DECLARED_VERSION = Statement(update(policy).values(declared=policy.c.version + 1))
_ALL_DECLARATIONS = Statement(select(_c.definition).order_by(_c.agent_id, _c.origin, _c.tool_name))
