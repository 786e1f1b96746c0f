"""Rules, grants, settings and the switch as JSON."""

from typing import Annotated

from pydantic import Field

from assent.engine.policy.rule import Layer, RuleList
from assent.gate.preset import Lifetime
from assent.surfaces.http.models.base import Id, Line, Mark, NamedId, Received, RuleText, Sent

ListWord = Annotated[RuleList, Field(strict=False)]
Rules = Annotated[list[RuleText], Field(max_length=10_000)]
Texts = list[str]


class RuleIn(Received):
    """A rule to write; a scope that is left out is not narrowed."""

    list: ListWord
    text: RuleText
    conversation: NamedId | None = None
    agent: NamedId | None = None
    user: NamedId | None = None
    why: Line = ""


class RulePatch(Received):
    """What is to be another; a field that is left out stays. A scope that is null is not narrowed."""

    list: ListWord | None = None
    text: RuleText | None = None
    conversation: NamedId | None = None
    agent: NamedId | None = None
    user: NamedId | None = None
    why: Line | None = None


class RuleShown(Sent):
    """A rule in the store."""

    id: str
    list: RuleList
    text: str
    conversation: str | None
    agent: str | None
    user: str | None
    by: str
    approval: str
    why: str
    at: str | None
    warnings: Texts
    """What is to be said of it: the tool that it names is one that nobody declared."""


class RulesShown(Sent):
    """The rules in the store, oldest first."""

    items: list[RuleShown]


class RulePreview(Received):
    """Rules of one list that are only thought of."""

    list: ListWord
    rules: Annotated[Rules, Field(min_length=1, max_length=100)]
    approval: Mark | None = None
    """A question that a yes with these rules would answer."""


class Touched(Sent):
    """A recent question that a rule would have been about."""

    approval: str
    tool: str
    agent: str
    conversation: str
    state: str
    asked_at: str


class PreviewShown(Sent):
    """What a rule would have changed among the recent questions."""

    looked_at: int
    """How many recent questions were tried."""
    covered: list[Touched]
    """Those that it would have spared a person, or stopped."""
    denied: list[Touched]
    """Those of them that a person denied: an allow rule would let them through."""
    objection: str | None
    """Why a yes to the question that was named would not be taken; empty if it would, none without one."""
    warnings: list[str]
    """Rules that name a tool which nobody declared."""


class GrantShown(Sent):
    """A remembered yes."""

    id: str
    pattern: str
    conversation: str | None
    agent: str | None
    user: str | None
    lifetime: Lifetime
    boot: str
    until: str | None
    uses: int | None
    by: str
    approval: str
    override: bool
    at: str | None


class GrantsShown(Sent):
    """The remembered yeses, oldest first."""

    items: list[GrantShown]


class Permissions(Sent):
    """What the store says to everybody."""

    mode: str
    """The mode that a conversation starts in; empty is its preset's first."""
    allow: list[str]
    ask: list[str]
    deny: list[str]
    warnings: list[str]
    """Rules that name a tool which nobody declared."""


class PermissionsIn(Received):
    """What is to be another; a list that is named replaces the one there is."""

    mode: Id | None = None
    allow: Rules | None = None
    ask: Rules | None = None
    deny: Rules | None = None


class SwitchIn(Received):
    """Whether every agent is to stop."""

    paused: bool


class Switch(Sent):
    """Whether every agent is stopped: while it is, each call that is not a read waits."""

    paused: bool
    by: str
    since: str | None


class FileRule(Sent):
    """A rule that a file wrote."""

    list: RuleList
    text: str
    layer: Layer
    source: str
    """The file, and the line."""
    why: str
    match: Texts
    """Calls that it must match: it was tried on them when the file was read."""
    never: Texts


class PolicyShown(Sent):
    """The policy that counts."""

    version: str
    """A mark of what the files say."""
    store_version: int
    """The number of the last change in the store."""
    files: list[str]
    rules: list[FileRule]
    """What the files say under the usual preset, in the order of its lists."""
    error: str
    """Why the files as they are now cannot be used; the last good ones count. Empty while they can."""
