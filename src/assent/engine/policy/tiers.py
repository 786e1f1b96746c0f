"""Tiers: an administrator's settings for an agent and a tool."""

from enum import StrEnum
from typing import NamedTuple

from assent.errors import UnknownWordError


class Tier(StrEnum):
    """How calls of a tool by an agent are treated."""

    ALWAYS_ALLOW = "always_allow"
    NEEDS_APPROVAL = "needs_approval"
    BLOCKED = "blocked"


class TierSetting(NamedTuple):
    """A tier, and whether a person set it."""

    tier: Tier
    explicit: bool = True
    """True if a person set the tier; False if it follows from the name of the tool."""


_APPROVAL_PREFIXES = ("create_", "update_", "delete_", "mcp__")
"""Prefixes of tool names that need approval by default."""


def default_tier(tool: str) -> Tier:
    """The tier of a new tool for which nobody set a tier."""
    return Tier.NEEDS_APPROVAL if tool.startswith(_APPROVAL_PREFIXES) else Tier.ALWAYS_ALLOW


def parse_tier(word: object) -> Tier:
    """Parse the name of a tier; an unknown name raises an error."""
    try:
        return Tier(word)  # type: ignore[arg-type]
    except ValueError:
        raise UnknownWordError("tier", word, tuple(Tier)) from None
