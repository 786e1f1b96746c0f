"""A grant as JSON: what it covers, for whom, and until when."""

from assent.gate.grant import Grant
from assent.gate.preset import Lifetime
from assent.wire import shapes
from assent.wire.fields import Fields
from assent.wire.moment import maybe_moment, maybe_moment_to_json


def grant_to_json(grant: Grant) -> shapes.GrantShown:
    """The whole grant; a scope that is null is not narrowed."""
    return {
        "id": grant.id,
        "pattern": grant.pattern,
        "conversation": grant.conversation,
        "agent": grant.agent,
        "user": grant.user,
        "lifetime": grant.lifetime.value,
        "boot": grant.boot,
        "until": maybe_moment_to_json(grant.until),
        "uses": grant.uses,
        "by": grant.by,
        "approval": grant.approval,
        "override": grant.override,
        "at": maybe_moment_to_json(grant.at),
    }


def grant_from_json(data: object, within: str = "grant") -> Grant:
    """The grant that such an object says; its scopes must be named, or it would reach everybody."""
    fields = Fields(data, within)
    return Grant(
        id=fields.text("id"),
        pattern=fields.text("pattern"),
        conversation=named_or_null(fields, "conversation"),
        agent=named_or_null(fields, "agent"),
        user=named_or_null(fields, "user"),
        lifetime=fields.word("lifetime", Lifetime),
        boot=fields.text("boot", ""),
        until=maybe_moment(fields, "until"),
        uses=fields.maybe_whole("uses"),
        by=fields.text("by"),
        approval=fields.text("approval", ""),
        override=fields.flag("override", default=False),
        at=maybe_moment(fields, "at"),
    )


def named_or_null(fields: Fields, name: str) -> str | None:
    """A scope: somebody's id, or null for all; leaving it out is neither."""
    return None if fields.raw(name) is None else fields.text(name)
