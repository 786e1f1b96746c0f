"""Agents and their tools as JSON; the fields of tiers are spelled as their first users spell them."""

from typing import Annotated

from pydantic import Field

from assent.engine.model import Dialect, Effect, PathKind
from assent.engine.policy.tiers import Tier
from assent.gate.catalog import Trust
from assent.surfaces.http.models.base import Args, Line, NamedId, Received, Sent, Text, ToolName
from assent.surfaces.http.models.tool import ToolShown

MOST_TOOLS = 2000


class ToolSetting(Received):
    """A tool of an agent; one without a status gets the one that its name suggests."""

    toolName: ToolName  # noqa: N815 - as it is spelled in JSON
    providerKey: ToolName  # noqa: N815
    status: Annotated[Tier, Field(strict=False)] | None = None


class ToolSettings(Received):
    """All the tools of an agent that something is said of."""

    tools: Annotated[list[ToolSetting], Field(max_length=MOST_TOOLS)]


class ToolChange(Received):
    """What one tool of an agent is to be; null for nothing that is set, without a provider its own."""

    toolName: ToolName  # noqa: N815
    providerKey: ToolName | None = None  # noqa: N815
    status: Annotated[Tier, Field(strict=False)] | None


class ToolChanges(Received):
    """The tools of an agent that are to be another; what is said of the others stays."""

    tools: Annotated[list[ToolChange], Field(max_length=MOST_TOOLS)]


class ToolSettingShown(Sent):
    """A tool of an agent."""

    toolName: str  # noqa: N815
    providerKey: str  # noqa: N815
    status: Tier
    explicit: bool
    """Whether somebody chose the status, rather than its name."""


class ToolSettingsShown(Sent):
    """All the tools of an agent that something is said of."""

    tools: list[ToolSettingShown]
    warnings: list[str]


class ToolIn(Received):
    """A tool as its host declares it; one that names no effect is external, so it asks."""

    name: ToolName
    effect: Annotated[Effect, Field(strict=False)] = Effect.EXTERNAL
    dialect: Annotated[Dialect, Field(strict=False)] = Dialect.TEXT
    template: Line | None = None
    paths: Annotated[PathKind, Field(strict=False)] = PathKind.OS
    description: Text = ""
    parameters: Args = Field(default_factory=dict)
    group: Line = ""


class CatalogIn(Received):
    """What an origin offers to an agent: this, and nothing that it offered before."""

    origin: NamedId
    provider: ToolName = "operations"
    tools: Annotated[list[ToolIn], Field(max_length=MOST_TOOLS)]


class CatalogTool(ToolShown):
    """A tool that an agent is offered."""

    provider: str
    trust: Trust
    status: Tier | None
    """What an administrator said of it, if anything."""


class CatalogShown(Sent):
    """The tools that an agent is offered."""

    tools: list[CatalogTool]


class OverrideIn(Received):
    """A tool to say yes to from now on."""

    toolName: ToolName  # noqa: N815


class OverrideShown(Sent):
    """Somebody's standing yes to a tool."""

    id: str
    toolName: str  # noqa: N815
    agentId: str  # noqa: N815
    userId: str  # noqa: N815
    createdAt: str | None  # noqa: N815


class OverridesShown(Sent):
    """The standing yeses for an agent's tools."""

    items: list[OverrideShown]


class AgentShown(Sent):
    """An agent."""

    id: str
    tools: list[str]
    """Those that it was seen to call, declared or not; a tool that was not there is none."""


class AgentsShown(Sent):
    """The agents there are."""

    items: list[AgentShown]
