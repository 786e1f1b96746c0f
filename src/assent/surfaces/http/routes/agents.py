"""`/v1/agents` and `/v1/definitions`: agents, their tools and tiers, overrides and changed definitions."""

from collections.abc import Sequence
from typing import Annotated, TypedDict

from pydantic import ConfigDict, Field

from assent.engine.model import Dialect, Effect, PathKind, Tool
from assent.engine.tiers import Tier
from assent.gate.agents import Agents, Setting
from assent.gate.catalog import Declared, Trust
from assent.gate.grant import Grant
from assent.gate.ports import Tiering
from assent.surfaces.http.api.access import Administrator, Member, Person
from assent.surfaces.http.api.fields import Args, Body, Digest, Id, Line, NamedId, Query, Text, ToolName
from assent.surfaces.http.api.idempotency import IdempotencyKey, once
from assent.surfaces.http.api.request import StrictRequest
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service
from assent.wire import shapes
from assent.wire.definition import definition_to_json
from assent.wire.moment import maybe_moment_to_json
from assent.wire.tool import tool_from_json, tool_to_json

router = Router("/v1/agents", "agents")
definitions = Router("/v1/definitions", "definitions")
OPEN = "no tool has a status: if the preset's fallback is to run, every tool of this agent runs"
MAX_TOOLS = 2000
TierWord = Annotated[Tier, Field(strict=False)]


class ToolSetting(Body):
    """A tool of an agent; one without a status gets the one that its name suggests."""

    toolName: ToolName  # noqa: N815 - as it is spelled in JSON
    providerKey: ToolName  # noqa: N815
    status: TierWord | None = None


class ToolSettings(Body):
    """All the tools of an agent that something is said of."""

    tools: Annotated[list[ToolSetting], Field(max_length=MAX_TOOLS)]


class ToolChange(Body):
    """What one tool of an agent is to be; null for nothing that is set, without a provider its own."""

    toolName: ToolName  # noqa: N815
    providerKey: ToolName | None = None  # noqa: N815
    status: TierWord | None


class ToolChanges(Body):
    """The tools of an agent that are to be another; what is said of the others stays."""

    tools: Annotated[list[ToolChange], Field(max_length=MAX_TOOLS)]


class ToolIn(Body):
    """A tool as its host declares it; one that names no effect is external, so it asks."""

    name: ToolName
    effect: Annotated[Effect, Field(strict=False)] = Effect.EXTERNAL
    dialect: Annotated[Dialect, Field(strict=False)] = Dialect.TEXT
    template: Line | None = None
    paths: Annotated[PathKind, Field(strict=False)] = PathKind.OS
    description: Text = ""
    parameters: Args = Field(default_factory=dict)
    group: Line = ""


class CatalogIn(Body):
    """What an origin offers to an agent: this, and nothing that it offered before."""

    origin: NamedId
    provider: ToolName = "operations"
    tools: Annotated[list[ToolIn], Field(max_length=MAX_TOOLS)]


class OverrideIn(Body):
    """A tool to say yes to from now on."""

    toolName: ToolName  # noqa: N815


class OverrideQuery(Query):
    """The override that is meant."""

    model_config = ConfigDict(extra="ignore")

    toolName: ToolName  # noqa: N815
    userId: Id = ""  # noqa: N815


class DefinitionIn(Body):
    """The definition to accept, as it was shown."""

    origin: NamedId
    tool: ToolName
    digest: Digest


class AgentShown(TypedDict):
    """An agent."""

    id: str
    tools: list[str]
    """Those that it was seen to call, declared or not; a tool that was not there is none."""


class AgentsShown(TypedDict):
    """The agents there are."""

    items: list[AgentShown]


class ToolSettingShown(TypedDict):
    """A tool of an agent."""

    toolName: str
    providerKey: str
    status: Annotated[str, Tier]
    explicit: bool
    """Whether somebody chose the status, rather than its name."""


class ToolSettingsShown(TypedDict):
    """All the tools of an agent that something is said of."""

    tools: list[ToolSettingShown]
    warnings: list[str]


class CatalogTool(shapes.ToolShown):
    """A tool that an agent is offered."""

    provider: str
    trust: Annotated[str, Trust]
    status: Annotated[str, Tier] | None
    """What an administrator said of it, if anything."""


class CatalogShown(TypedDict):
    """The tools that an agent is offered."""

    tools: list[CatalogTool]


class OverrideShown(TypedDict):
    """Somebody's standing yes to a tool."""

    id: str
    toolName: str
    agentId: str
    userId: str
    createdAt: str | None


class OverridesShown(TypedDict):
    """The standing yeses for an agent's tools."""

    items: list[OverrideShown]


class DefinitionsShown(TypedDict):
    """The changed definitions."""

    items: list[shapes.DefinitionShown]


@router.get()
async def find(principal: Member, service: Service) -> AgentsShown:
    """The agents that somebody may know of, and the tools that each was seen to call."""
    known = await _agents(service).known(principal)
    return {"items": [{"id": one, "tools": list(tools)} for one, tools in known.items()]}


@router.get("/{id}/tools")
async def tools(id: NamedId, principal: Member, service: Service) -> ToolSettingsShown:
    """What is said of an agent's tools."""
    return _settings(await _agents(service).tools(principal, id))


@router.put("/{id}/tools")
async def set_tools(
    id: NamedId, body: ToolSettings, principal: Person, service: Service
) -> ToolSettingsShown:
    """Say all there is to say of an agent's tools; what was said before and is not said now is gone."""
    wanted = [Setting(one.toolName, one.providerKey, one.status) for one in body.tools]
    return _settings(await _agents(service).set_tools(principal, id, wanted))


@router.patch("/{id}/tools")
async def change_tools(
    id: NamedId, body: ToolChanges, principal: Person, service: Service
) -> ToolSettingsShown:
    """Set or clear some of an agent's tools; what is said of the others stays as it is."""
    wanted = [Setting(one.toolName, one.providerKey or "", one.status) for one in body.tools]
    return _settings(await _agents(service).change_tools(principal, id, wanted))


@router.get("/{id}/tools/catalog")
async def catalog(id: NamedId, principal: Member, service: Service) -> CatalogShown:
    """The tools that an agent is offered, and what is said of each."""
    settings = {one.tool: one for one in await _agents(service).tools(principal, id)}
    offered = await service.gate.catalog(principal, id)
    return {"tools": [_offered(one, settings.get(one.tool.name)) for one in offered]}


@router.put("/{id}/catalog")
async def declare(id: NamedId, body: CatalogIn, principal: Administrator, service: Service) -> None:
    """Declare the tools that an origin offers to an agent, for every pod; a changed one asks again."""
    declared = [
        Declared(tool=_tool(one, body.origin), trust=Trust.CLIENT, provider=body.provider, agent=id)
        for one in body.tools
    ]
    await service.gate.publish(principal, id, body.origin, declared)


@router.get("/{id}/tool-overrides")
async def overrides(id: NamedId, principal: Member, service: Service) -> OverridesShown:
    """The standing yeses for an agent's tools: one's own, for administrators all."""
    return {"items": [_override(one) for one in await _agents(service).overrides(principal, id)]}


@router.post("/{id}/tool-overrides", status=201)
async def override(
    id: NamedId,
    body: OverrideIn,
    principal: Person,
    service: Service,
    request: StrictRequest,
    key: IdempotencyKey,
) -> OverrideShown:
    """Say yes to a tool of an agent from now on, for oneself."""

    async def create() -> OverrideShown:
        return _override(await _agents(service).override(principal, id, body.toolName))

    return await once(service, principal, request, key, create)


@router.delete("/{id}/tool-overrides")
async def end_override(id: NamedId, query: OverrideQuery, principal: Person, service: Service) -> None:
    """Take a standing yes back: one's own, or for administrators anybody's."""
    await _agents(service).end_override(principal, id, query.toolName, query.userId)


@definitions.get(name="find")
async def find_definitions(principal: Administrator, service: Service) -> DefinitionsShown:
    """The tools whose definition changed since it was accepted, and what changed."""
    found = await service.gate.changed_definitions(principal)
    return {"items": [definition_to_json(one) for one in found]}


@definitions.post("/accept")
async def accept(body: DefinitionIn, principal: Administrator, service: Service) -> None:
    """Accept the definition that was shown; if the tool is defined in another way by now, nothing is."""
    await service.gate.accept(principal, body.tool, digest=body.digest, origin=body.origin)


def _agents(service: Service) -> Agents:
    return Agents(service.store, service.authenticator.register)


def _settings(tierings: Sequence[Tiering]) -> ToolSettingsShown:
    shown: list[ToolSettingShown] = [
        {
            "toolName": one.tool,
            "providerKey": one.provider,
            "status": one.assignment.tier.value,
            "explicit": one.assignment.explicit,
        }
        for one in tierings
    ]
    return {"tools": shown, "warnings": [] if tierings else [OPEN]}


def _offered(declared: Declared, tiering: Tiering | None) -> CatalogTool:
    return {
        **tool_to_json(declared.tool),
        "provider": declared.provider,
        "trust": declared.trust.value,
        "status": None if tiering is None else tiering.assignment.tier.value,
    }


def _tool(body: ToolIn, origin: str) -> Tool:
    return tool_from_json({**body.model_dump(mode="json"), "origin": origin})


def _override(grant: Grant) -> OverrideShown:
    return {
        "id": grant.id,
        "toolName": grant.pattern,
        "agentId": grant.agent or "",
        "userId": grant.user or "",
        "createdAt": maybe_moment_to_json(grant.at),
    }
