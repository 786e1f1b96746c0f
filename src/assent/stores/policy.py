"""Changes of policy, each as one edit of a batch; whatever changes a decision raises the version."""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, delete, select, union_all, update

from assent.errors import ConflictError, NotFoundError
from assent.gate.audit import Entry
from assent.gate.conversation import CHANGEABLE_FIELDS, Conversation, merge_fields
from assent.gate.events import EventKind
from assent.gate.store import Moment, ToolTier
from assent.gate.stored_policy import REPLACED, Pin, StoredGrant, StoredRule
from assent.stores.policy_rows import (
    CONVERSATION,
    RULE,
    conversation_of,
    conversation_row,
    grant_row,
    pin_row,
    rule_of,
    rule_row,
    tier_row,
)
from assent.stores.statements import Statement, listed, updating, upserting
from assent.stores.tables import conversations, grants, pins, policy, processes, rules, tiers
from assent.stores.times import kept


class Edited(NamedTuple):
    """What came of an edit, and whether policy is another now."""

    result: object = None
    policy: bool = False
    told: EventKind | None = None
    """What happened, where that is more than that policy changed."""
    change_count: bool = False
    """Whether others should look, although there is nothing to tell of."""
    entries: tuple[Entry, ...] = ()
    """What the audit says of it, which is committed with it."""


def bumped(connection: Connection) -> None:
    """Raise the version; who reads the new one sees everything that was written before it."""
    _BUMP.run(connection)


def added_policy(
    connection: Connection, moment: Moment, given: Sequence[StoredGrant], written: Sequence[StoredRule]
) -> bool:
    """Write grants and rules that are not there yet; whether there were any."""
    if not given and not written:
        return False
    ids = json.dumps([one.id for one in given] + [one.id for one in written])
    known = {row[0] for row in _KNOWN.all(connection, ids=ids)}
    new_grants = {one.id: grant_row(one, moment.at) for one in given if one.id not in known}
    new_rules = {one.id: rule_row(one, moment.at) for one in written if one.id not in known}
    _ADD_GRANT.many(connection, list(new_grants.values()))
    _ADD_RULE.many(connection, list(new_rules.values()))
    return bool(new_grants or new_rules)


def remembered(
    connection: Connection, moment: Moment, given: Sequence[StoredGrant], written: Sequence[StoredRule]
) -> Edited:
    """Write grants and rules that come from no question."""
    return Edited(policy=added_policy(connection, moment, given, written))


def replaced(
    connection: Connection, moment: Moment, id_: str, change: Callable[[StoredRule], StoredRule], by: str
) -> Edited:
    """End a rule and write what takes its place, which was given when the first one was."""
    rows = _RULE.all(connection, rule=id_)
    if not rows:
        raise NotFoundError("rule", id_)
    *row, revoked_at = rows[0]
    known = rule_of(row)
    new = change(known)
    if revoked_at is not None:
        # A store that did not hear whether it was done tries again, and finds it done.
        if new.id != id_ and _RULE.all(connection, rule=new.id):
            return Edited(new)
        raise ConflictError(REPLACED.format(id=id_))
    if new is known:
        return Edited(known)
    _ADD_RULE.many(connection, [rule_row(new, known.at or moment.at)])
    _END_RULE.run(connection, grant=id_, at=kept(moment.at), by=by)
    return Edited(new, policy=True)


def set_tiers(
    connection: Connection,
    moment: Moment,
    tierings: Sequence[ToolTier],
    replace_agent: str | None,
    cleared: Sequence[tuple[str, str]] = (),
) -> Edited:
    """Set tiers, and clear some; those of one agent may be replaced as a whole."""
    if replace_agent is not None:
        _DROP_TIERS.run(connection, agent=replace_agent)
    for agent, tool in cleared:
        _DROP_TIER.run(connection, agent=agent, tool=tool)
    rows = {(one.agent, one.tool): tier_row(one, moment.at) for one in tierings}
    _SET_TIER.many(connection, list(rows.values()))
    return Edited(policy=True)


def revoked(connection: Connection, moment: Moment, id_: str, by: str) -> Edited:
    """End a grant or a rule; ending it twice is ending it once."""
    ids = json.dumps([id_])
    if not _KNOWN.all(connection, ids=ids):
        raise NotFoundError("grant or rule", id_)
    at = kept(moment.at)
    touched = [statement.run(connection, grant=id_, at=at, by=by) for statement in (_END_GRANT, _END_RULE)]
    return Edited(policy=any(touched))


def used(connection: Connection, moment: Moment, ids: Iterable[str]) -> Edited:  # noqa: ARG001
    """Use counted grants once each, or none of them."""
    wanted = list(dict.fromkeys(ids))
    rows = _COUNTED.all(connection, ids=json.dumps(wanted))
    left = {id_: uses - 1 for id_, uses in rows}
    if len(left) < len(wanted):
        return Edited(result=False)
    _USE.many(connection, [{"id": id_, "uses": uses} for id_, uses in left.items()])
    return Edited(result=True, policy=0 in left.values())


def pinned(connection: Connection, moment: Moment, seen: Sequence[Pin], by: str, accept: bool) -> Edited:  # noqa: FBT001
    """Hold on to definitions; only a person replaces what was held."""
    rows = _PINS.all(connection)
    held = {(origin, tool): digest for origin, tool, digest, _ in rows}
    bare = {(origin, tool) for origin, tool, _, definition in rows if definition is None}
    wanted = {(pin.origin, pin.tool): pin for pin in seen}
    new = [
        pin_row(pin, by, moment.at)
        for key, pin in wanted.items()
        if (held.get(key) != pin.digest if accept else key not in held)
    ]
    _PIN.many(connection, new)
    for key, pin in wanted.items():
        # A version before kept only the digest: what it stands for is learnt when it is seen again.
        if key in bare and held[key] == pin.digest and pin.definition:
            _DEFINE.run(connection, of_origin=pin.origin, of_tool=pin.tool, text=pin.definition)
    return Edited(policy=bool(new))


def saved(
    connection: Connection,
    moment: Moment,
    conversation: Conversation,
    fields: Collection[str] = CHANGEABLE_FIELDS,
) -> Edited:
    """Create a conversation, or write the named ones of its mode, title and model; nothing else changes."""
    rows = _CONVERSATION.all(connection, conversation=conversation.id)
    if not rows:
        new = replace(conversation, at=moment.at)
        _SAVE.many(connection, [conversation_row(new, moment.at)])
        return Edited(new)
    known = conversation_of(rows[0])
    changed = merge_fields(known, conversation, fields)
    _SAVE.many(connection, [conversation_row(changed, moment.at)])
    return Edited(changed, policy=known.mode != changed.mode)


def beaten(connection: Connection, moment: Moment, boot: str) -> Edited:
    """Say that a process is alive."""
    at = kept(moment.at)
    if not _SEEN.run(connection, boot=boot, seen_at=at):
        _BEGIN.many(
            connection, [{"boot": boot, "started_at": at, "seen_at": at, "audited": 0, "chain": "open"}]
        )
    return Edited()


_BUMP = Statement(update(policy).values(version=policy.c.version + 1))
_KNOWN = Statement(
    union_all(
        select(grants.c.id).where(listed(grants.c.id, "ids")),
        select(rules.c.id).where(listed(rules.c.id, "ids")),
    )
)
_ADD_GRANT = upserting(grants, "id", keep=True)
_ADD_RULE = upserting(rules, "id", keep=True)
_DROP_TIERS = Statement(delete(tiers).where(tiers.c.agent_id == bindparam("agent")))
_DROP_TIER = Statement(
    delete(tiers).where(tiers.c.agent_id == bindparam("agent"), tiers.c.tool_name == bindparam("tool"))
)
_RULE = Statement(select(*RULE, rules.c.revoked_at).where(rules.c.id == bindparam("rule")).with_for_update())
_SET_TIER = upserting(tiers, "agent_id", "tool_name")
_END_GRANT = Statement(
    update(grants)
    .where(grants.c.id == bindparam("grant"), grants.c.revoked_at.is_(None))
    .values(revoked_at=bindparam("at"), revoked_by=bindparam("by"))
)
_END_RULE = Statement(
    update(rules)
    .where(rules.c.id == bindparam("grant"), rules.c.revoked_at.is_(None))
    .values(revoked_at=bindparam("at"), revoked_by=bindparam("by"))
)
_COUNTED = Statement(
    select(grants.c.id, grants.c.uses)
    .where(listed(grants.c.id, "ids"), grants.c.uses > 0, grants.c.revoked_at.is_(None))
    .order_by(grants.c.id)
    .with_for_update()
)
_USE = updating(grants, "id", "uses")
_PINS = Statement(select(pins.c.origin, pins.c.tool_name, pins.c.digest, pins.c.definition))
_DEFINE = Statement(
    update(pins)
    .where(pins.c.origin == bindparam("of_origin"), pins.c.tool_name == bindparam("of_tool"))
    .values(definition=bindparam("text"))
)
_PIN = upserting(pins, "origin", "tool_name")
_CONVERSATION = Statement(
    select(*CONVERSATION).where(conversations.c.id == bindparam("conversation")).with_for_update()
)
_SAVE = upserting(conversations, "id")
_SEEN = updating(processes, "boot", "seen_at")
_BEGIN = upserting(processes, "boot")
