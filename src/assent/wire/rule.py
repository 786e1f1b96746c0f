"""A stored rule as JSON."""

from assent.engine.policy.rule import RuleList
from assent.gate.grant import StoredRule
from assent.wire.fields import Fields
from assent.wire.grant import named_or_null
from assent.wire.moment import maybe_moment, maybe_moment_to_json


def rule_to_json(rule: StoredRule) -> dict[str, object]:
    """The whole rule; a scope that is null is not narrowed."""
    return {
        "id": rule.id,
        "list": rule.list.value,
        "text": rule.text,
        "conversation": rule.conversation,
        "agent": rule.agent,
        "user": rule.user,
        "by": rule.by,
        "approval": rule.approval,
        "why": rule.why,
        "at": maybe_moment_to_json(rule.at),
    }


def rule_from_json(data: object, within: str = "rule") -> StoredRule:
    """The rule that such an object says; its scopes must be named, or it would reach everybody."""
    fields = Fields(data, within)
    return StoredRule(
        id=fields.text("id"),
        list=fields.word("list", RuleList),
        text=fields.text("text"),
        conversation=named_or_null(fields, "conversation"),
        agent=named_or_null(fields, "agent"),
        user=named_or_null(fields, "user"),
        by=fields.text("by"),
        approval=fields.text("approval", ""),
        why=fields.text("why", ""),
        at=maybe_moment(fields, "at"),
    )
