"""Tiers: what an administrator said of an agent and a tool."""

from enum import StrEnum
from typing import NamedTuple

from assent.errors import UnknownWordError


class Tier(StrEnum):
    """What an administrator said of (agent, tool)."""

    ALWAYS_ALLOW = "always_allow"
    NEEDS_APPROVAL = "needs_approval"
    BLOCKED = "blocked"


class Assignment(NamedTuple):
    """A tier and whether a person set it or a name pattern did."""

    tier: Tier
    explicit: bool = True


_CAREFUL_PREFIXES = ("create_", "update_", "delete_", "mcp__")


def default_tier(tool: str) -> Tier:
    """The tier a tool starts with when it is first added and nobody says more."""
    return Tier.NEEDS_APPROVAL if tool.startswith(_CAREFUL_PREFIXES) else Tier.ALWAYS_ALLOW


def tier_named(word: object) -> Tier:
    """The tier that a record names."""
    try:
        return Tier(word)  # type: ignore[arg-type]
    except ValueError:
        raise UnknownWordError("tier", word, tuple(Tier)) from None
