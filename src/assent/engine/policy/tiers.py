"""Tiers: what an administrator set for an agent and a tool."""

from enum import StrEnum
from typing import NamedTuple

from assent.errors import UnknownWordError


class Tier(StrEnum):
    """How the calls of a tool by an agent are treated."""

    ALWAYS_ALLOW = "always_allow"
    NEEDS_APPROVAL = "needs_approval"
    BLOCKED = "blocked"


class TierSetting(NamedTuple):
    """A tier, and whether a person set it or it follows from the name of the tool."""

    tier: Tier
    explicit: bool = True


_CAREFUL_PREFIXES = ("create_", "update_", "delete_", "mcp__")


def default_tier(tool: str) -> Tier:
    """The tier of a new tool that nobody set a tier for."""
    return Tier.NEEDS_APPROVAL if tool.startswith(_CAREFUL_PREFIXES) else Tier.ALWAYS_ALLOW


def parse_tier(word: object) -> Tier:
    """Parse a tier."""
    try:
        return Tier(word)  # type: ignore[arg-type]
    except ValueError:
        raise UnknownWordError("tier", word, tuple(Tier)) from None
