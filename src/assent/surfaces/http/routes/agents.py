"""`/v1/agents` and `/v1/definitions`: agents, their tools and tiers, overrides and definitions to review."""

from collections.abc import Sequence
from typing import Annotated, TypedDict

from pydantic import ConfigDict, Field

from assent.engine.base.tool import Dialect, Effect, PathKind, Tool
from assent.engine.policy.snapshot import Tier
from assent.gate.catalog import DeclaredTool, TrustLevel
from assent.gate.policy import StoredGrant
from assent.gate.policy_admin import Agents, TierChange
from assent.gate.store import ToolTier
from assent.surfaces.http.api.access import Administrator, Member, Person
from assent.surfaces.http.api.bodies import StrictRequest, decode_cursor, encode_next_cursor
from assent.surfaces.http.api.fields import (
    Args,
    Digest,
    Id,
    NonEmptyId,
    Paging,
    ShortText,
    StrictBody,
    StrictQuery,
    Text,
    ToolName,
)
from assent.surfaces.http.api.idempotency import IdempotencyKey, run_once
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service
from assent.wire import shapes
from assent.wire.call import tool_from_json, tool_to_json
from assent.wire.fields import maybe_moment_to_json
from assent.wire.policy import DefinitionJson, definition_to_json

router = Router("/v1/agents", "agents")
definitions = Router("/v1/definitions", "definitions")
ALL_TOOLS_RUN_WARNING = (
    "no tool has a status: if the preset's fallback is to run, every tool of this agent runs"
)
MAX_TOOLS = 2000
TierWord = Annotated[Tier, Field(strict=False)]


class ToolSetting(StrictBody):
    """The status of a tool; without a status, it is derived from the tool's name."""

    toolName: ToolName  # noqa: N815 - as it is spelled in JSON
    providerKey: ToolName  # noqa: N815
    status: TierWord | None = None


class ToolSettings(StrictBody):
    """All tools of an agent that have a status."""

    tools: Annotated[list[ToolSetting], Field(max_length=MAX_TOOLS)]


class ToolChange(StrictBody):
    """The new status of a tool; null removes the status. The default provider is that of the tool."""

    toolName: ToolName  # noqa: N815
    providerKey: ToolName | None = None  # noqa: N815
    status: TierWord | None


class ToolChanges(StrictBody):
    """The tools whose status changes; other tools are unchanged."""

    tools: Annotated[list[ToolChange], Field(max_length=MAX_TOOLS)]


class ToolIn(StrictBody):
    """A tool as its host declares it; without an effect it is external, so it needs approval."""

    name: ToolName
    effect: Annotated[Effect, Field(strict=False)] = Effect.EXTERNAL
    dialect: Annotated[Dialect, Field(strict=False)] = Dialect.TEXT
    template: ShortText | None = None
    paths: Annotated[PathKind, Field(strict=False)] = PathKind.OS
    description: Text = ""
    parameters: Args = Field(default_factory=dict)
    group: ShortText = ""


class CatalogIn(StrictBody):
    """All tools that an origin offers to an agent; they replace the previous list."""

    origin: NonEmptyId
    provider: ToolName = "operations"
    tools: Annotated[list[ToolIn], Field(max_length=MAX_TOOLS)]


class OverrideIn(StrictBody):
    """A tool that needs no approval from now on."""

    toolName: ToolName  # noqa: N815


class OverrideQuery(StrictQuery):
    """The override to remove."""

    model_config = ConfigDict(extra="ignore")

    toolName: ToolName  # noqa: N815
    userId: Id = ""  # noqa: N815


class DefinitionIn(StrictBody):
    """The definition to accept, as it was shown."""

    origin: NonEmptyId
    tool: ToolName
    digest: Digest


class AgentShown(TypedDict):
    """An agent."""

    id: str
    tools: list[str]
    """The tools that the agent has called, without unknown tools."""


class AgentsShown(TypedDict):
    """The known agents."""

    items: list[AgentShown]


class ToolSettingShown(TypedDict):
    """A tool of an agent."""

    toolName: str
    providerKey: str
    status: Annotated[str, Tier]
    explicit: bool
    """Whether a person set the status; otherwise it is derived from the tool's name."""


class ToolSettingsShown(TypedDict):
    """All tools of an agent that have a status."""

    tools: list[ToolSettingShown]
    warnings: list[str]


class CatalogTool(shapes.ToolJson):
    """A tool that is offered to an agent."""

    provider: str
    trust: Annotated[str, TrustLevel]
    status: Annotated[str, Tier] | None
    """The status that an administrator set; null without one."""


class CatalogShown(TypedDict):
    """The tools that are offered to an agent."""

    tools: list[CatalogTool]


class OverrideShown(TypedDict):
    """A person's override: a tool of an agent that needs no approval for this person."""

    id: str
    toolName: str
    agentId: str
    userId: str
    createdAt: str | None


class OverridesShown(TypedDict):
    """The overrides of an agent."""

    items: list[OverrideShown]


class DefinitionsShown(TypedDict):
    """A page of the definitions to review, by origin and name."""

    items: list[DefinitionJson]
    next: str | None


@router.get(name="find")
async def list_agents(principal: Member, service: Service) -> AgentsShown:
    """List the agents that you may see, and the tools that each has called."""
    known = await _agent_service(service).list(principal)
    return {"items": [{"id": one, "tools": list(tools)} for one, tools in known.items()]}


@router.get("/{id}/tools", name="tools")
async def list_tool_settings(id: NonEmptyId, principal: Member, service: Service) -> ToolSettingsShown:
    """List the status of an agent's tools."""
    return _settings_to_json(await _agent_service(service).tool_tiers(principal, id))


@router.put("/{id}/tools", name="set_tools")
async def replace_tool_settings(
    id: NonEmptyId, body: ToolSettings, principal: Person, service: Service
) -> ToolSettingsShown:
    """Replace the status of all tools of an agent; a tool that is not in the list loses its status."""
    wanted = [TierChange(one.toolName, one.providerKey, one.status) for one in body.tools]
    return _settings_to_json(await _agent_service(service).replace_tool_tiers(principal, id, wanted))


@router.patch("/{id}/tools", name="change_tools")
async def change_tool_settings(
    id: NonEmptyId, body: ToolChanges, principal: Person, service: Service
) -> ToolSettingsShown:
    """Set or remove the status of some tools of an agent; other tools are unchanged."""
    wanted = [TierChange(one.toolName, one.providerKey or "", one.status) for one in body.tools]
    return _settings_to_json(await _agent_service(service).change_tool_tiers(principal, id, wanted))


@router.get("/{id}/tools/catalog", name="catalog")
async def list_catalog(id: NonEmptyId, principal: Member, service: Service) -> CatalogShown:
    """List the tools that are offered to an agent, with their status."""
    settings = {one.tool: one for one in await _agent_service(service).tool_tiers(principal, id)}
    offered = await service.gate.catalog(principal, id)
    return {"tools": [_offered_tool_to_json(one, settings.get(one.tool.name)) for one in offered]}


@router.put("/{id}/catalog", name="declare")
async def declare_catalog(
    id: NonEmptyId, body: CatalogIn, principal: Administrator, service: Service
) -> None:
    """Declare the tools of an origin for an agent, on every pod; a changed definition needs approval."""
    declared = [
        DeclaredTool(
            tool=_to_tool(one, body.origin), trust=TrustLevel.CLIENT, provider=body.provider, agent=id
        )
        for one in body.tools
    ]
    await service.gate.publish(principal, id, body.origin, declared)


@router.get("/{id}/tool-overrides", name="overrides")
async def list_overrides(id: NonEmptyId, principal: Member, service: Service) -> OverridesShown:
    """List your overrides of an agent; administrators see all overrides."""
    return {
        "items": [_override_to_json(one) for one in await _agent_service(service).overrides(principal, id)]
    }


@router.post("/{id}/tool-overrides", status=201, name="override")
async def create_override(
    id: NonEmptyId,
    body: OverrideIn,
    principal: Person,
    service: Service,
    request: StrictRequest,
    key: IdempotencyKey,
) -> OverrideShown:
    """Create an override for yourself: a tool of an agent that needs no approval."""

    async def create_new_override() -> OverrideShown:
        return _override_to_json(await _agent_service(service).add_override(principal, id, body.toolName))

    return await run_once(service, principal, request, key, create_new_override)


@router.delete("/{id}/tool-overrides", name="end_override")
async def remove_override(id: NonEmptyId, query: OverrideQuery, principal: Person, service: Service) -> None:
    """Remove one of your overrides; administrators can remove any override."""
    await _agent_service(service).revoke_override(principal, id, query.toolName, query.userId)


@definitions.get(name="find")
async def list_definitions_to_review(
    query: Paging, principal: Administrator, service: Service
) -> DefinitionsShown:
    """List the tools whose definition nobody accepted: new ones of pages, and changed ones.

    A changed tool of a page is listed by the server that the page is connected to.
    """
    definitions = await service.gate.definitions()
    with decode_cursor(query.after) as after:
        found = await definitions.to_review(principal, limit=query.limit, after=after)
    items = [definition_to_json(one) for one in found.definitions]
    return {"items": items, "next": encode_next_cursor(found.after)}


@definitions.post("/accept", name="accept")
async def accept_definition(body: DefinitionIn, principal: Administrator, service: Service) -> None:
    """Accept a new or changed definition; refused if the definition has changed again."""
    await service.gate.accept_definition(principal, body.tool, digest=body.digest, origin=body.origin)


def _agent_service(service: Service) -> Agents:
    return Agents(service.store, service.authenticator.people)


def _settings_to_json(tool_tiers: Sequence[ToolTier]) -> ToolSettingsShown:
    shown: list[ToolSettingShown] = [
        {
            "toolName": one.tool,
            "providerKey": one.provider,
            "status": one.assignment.tier.value,
            "explicit": one.assignment.explicit,
        }
        for one in tool_tiers
    ]
    return {"tools": shown, "warnings": [] if tool_tiers else [ALL_TOOLS_RUN_WARNING]}


def _offered_tool_to_json(declared: DeclaredTool, tool_tier: ToolTier | None) -> CatalogTool:
    return {
        **tool_to_json(declared.tool),
        "provider": declared.provider,
        "trust": declared.trust.value,
        "status": None if tool_tier is None else tool_tier.assignment.tier.value,
    }


def _to_tool(body: ToolIn, origin: str) -> Tool:
    return tool_from_json({**body.model_dump(mode="json"), "origin": origin})


def _override_to_json(grant: StoredGrant) -> OverrideShown:
    return {
        "id": grant.id,
        "toolName": grant.pattern,
        "agentId": grant.agent or "",
        "userId": grant.user or "",
        "createdAt": maybe_moment_to_json(grant.at),
    }
