"""Grants, rules, tiers and conversations as rows."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from assent.engine.policy.rule import RuleList
from assent.engine.policy.tiers import Tier, TierSetting
from assent.gate.conversation import Conversation
from assent.gate.current import Pin
from assent.gate.grant import Grant, StoredRule
from assent.gate.ports import Tiering
from assent.gate.preset import Lifetime
from assent.stores.tables import conversations, grants, rules, tiers
from assent.stores.times import kept, maybe_kept, maybe_moment, moment

GRANT = tuple(
    column for column in grants.columns if column.name not in ("number", "revoked_at", "revoked_by")
)
RULE = tuple(column for column in rules.columns if column.name not in ("number", "revoked_at", "revoked_by"))
TIER = (
    tiers.c.agent_id,
    tiers.c.tool_name,
    tiers.c.status,
    tiers.c.source,
    tiers.c.provider_key,
    tiers.c.set_by,
)
CONVERSATION = tuple(conversations.columns)
_NOT_REVOKED = {"revoked_at": None, "revoked_by": None}


def grant_row(grant: Grant, at: datetime) -> dict[str, object]:
    """A new grant, given now."""
    return {
        "id": grant.id,
        "pattern": grant.pattern,
        "conversation_id": grant.conversation,
        "agent_id": grant.agent,
        "user_id": grant.user,
        "lifetime": grant.lifetime.value,
        "boot": grant.boot,
        "until_at": maybe_kept(grant.until),
        "uses": grant.uses,
        "given_by": grant.by,
        "approval_id": grant.approval,
        "override": grant.override,
        "given_at": kept(at),
        **_NOT_REVOKED,
    }


def grant_of(row: Sequence[Any]) -> Grant:
    """The grant of a row of `GRANT`."""
    (id_, pattern, conversation, agent, user, lifetime, boot, until, uses, by, approval, override, at) = row
    return Grant(
        id=id_,
        pattern=pattern,
        conversation=conversation,
        agent=agent,
        user=user,
        lifetime=Lifetime(lifetime),
        boot=boot,
        until=maybe_moment(until),
        uses=uses,
        by=by,
        approval=approval,
        override=bool(override),
        at=moment(at),
    )


def rule_row(rule: StoredRule, at: datetime) -> dict[str, object]:
    """A new rule, written now."""
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
        "given_at": kept(at),
        **_NOT_REVOKED,
    }


def rule_of(row: Sequence[Any]) -> StoredRule:
    """The rule of a row of `RULE`."""
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
        at=moment(at),
    )


def tier_row(tiering: Tiering, at: datetime) -> dict[str, object]:
    """What an administrator says of an agent and a tool."""
    return {
        "agent_id": tiering.agent,
        "tool_name": tiering.tool,
        "provider_key": tiering.provider,
        "status": tiering.assignment.tier.value,
        "source": "explicit" if tiering.assignment.explicit else "pattern",
        "set_by": tiering.by,
        "set_at": kept(at),
    }


def tiering_of(row: Sequence[Any]) -> Tiering:
    """What a row of `TIER` says."""
    agent, tool, status, source, provider, by = row
    return Tiering(agent, tool, TierSetting(Tier(status), source == "explicit"), provider, by)


def pin_row(pin: Pin, by: str, at: datetime) -> dict[str, object]:
    """A definition that is held on to."""
    return {
        "origin": pin.origin,
        "tool_name": pin.tool,
        "digest": pin.digest,
        "accepted_by": by,
        "accepted_at": kept(at),
        "definition": pin.definition or None,
    }


def conversation_row(conversation: Conversation, at: datetime) -> dict[str, object]:
    """A conversation; one that does not say when it began begins now."""
    return {
        "id": conversation.id,
        "owner": conversation.owner,
        "agent_id": conversation.agent,
        "preset": conversation.preset,
        "mode": conversation.mode,
        "title": conversation.title,
        "model": conversation.model,
        "started_at": kept(conversation.at or at),
    }


def conversation_of(row: Sequence[Any]) -> Conversation:
    """The conversation of a row of `CONVERSATION`."""
    id_, owner, agent, preset, mode, title, model, at = row
    return Conversation(
        id=id_, owner=owner, agent=agent, preset=preset, mode=mode, title=title, model=model, at=moment(at)
    )
