"""A tier of an agent and a tool as JSON."""

from assent.engine.policy.tiers import Tier, TierSetting
from assent.gate.ports import Tiering
from assent.wire.fields import Fields


def tiering_to_json(tiering: Tiering) -> dict[str, object]:
    """What is said of one agent and tool, and whether a person said so or a name pattern."""
    return {
        "agent": tiering.agent,
        "tool": tiering.tool,
        "tier": tiering.assignment.tier.value,
        "explicit": tiering.assignment.explicit,
        "provider": tiering.provider,
        "by": tiering.by,
    }


def tiering_from_json(data: object, within: str = "tiering") -> Tiering:
    """What such an object says of one agent and tool."""
    fields = Fields(data, within)
    return Tiering(
        agent=fields.text("agent"),
        tool=fields.text("tool"),
        assignment=TierSetting(fields.word("tier", Tier), fields.flag("explicit", default=True)),
        provider=fields.text("provider", "operations"),
        by=fields.text("by", ""),
    )
