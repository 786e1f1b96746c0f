"""What is current: all that the store knows which a decision needs, as of one version."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from assent.engine.policy.tiers import TierSetting
from assent.gate.conversation import Conversation
from assent.gate.grant import Grant, StoredRule


class About(NamedTuple):
    """Whose policy is asked for."""

    user: str
    agent: str
    conversation: str


class Pin(NamedTuple):
    """A tool's definition as a person accepted it, by origin and name."""

    origin: str
    tool: str
    digest: str
    definition: str = ""
    """What it said of itself then, as JSON; empty where only the digest was kept."""


class Pause(NamedTuple):
    """Who stopped every agent, and when."""

    by: str
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Current:
    """Policy as the store holds it now, for one user, agent and conversation."""

    version: int
    at: datetime
    """The store's clock when this was read."""
    tiers: Mapping[str, TierSetting] = field(default_factory=dict[str, TierSetting])
    """By tool, of this agent."""
    rules: tuple[StoredRule, ...] = ()
    grants: tuple[Grant, ...] = ()
    """Those that reach this user, agent and conversation; their lifetimes are still to be looked at."""
    pins: Mapping[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """Accepted definitions by origin and tool."""
    conversation: Conversation | None = None
    paused: Pause | None = None
    """While it is there, each call that is not a read waits."""
    declared: int = 0
    """The version at which tools were declared to all processes the last time."""
    starts_in: str = ""
    """The mode that a new conversation starts in, where its preset offers it; empty is the preset's first."""
