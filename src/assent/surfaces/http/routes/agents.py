"""`/v1/agents`: the agents there are, their tools and tiers, and people's standing yeses."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Response

from assent.engine.model import Tool
from assent.gate.agents import TierChange
from assent.gate.catalog import DeclaredTool, Trust
from assent.gate.store import ToolTier
from assent.gate.stored_policy import StoredGrant
from assent.surfaces.http.models.agent import (
    AgentsShown,
    CatalogIn,
    CatalogShown,
    OverrideIn,
    OverrideShown,
    OverridesShown,
    ToolChanges,
    ToolIn,
    ToolSettings,
    ToolSettingsShown,
)
from assent.surfaces.http.models.base import Id, NamedId, ToolName
from assent.surfaces.http.reply import Json, nothing
from assent.surfaces.http.serving import KnownAgents, MadeOnce, Serving
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.who import Administrator, Member, Person
from assent.wire.call import tool_from_json, tool_to_json
from assent.wire.fields import maybe_moment_to_json

router = APIRouter(prefix="/v1/agents", tags=["agents"], route_class=StrictRoute)
OPEN = "nothing is said of any tool: where the preset's fallback is to run, every tool of this agent runs"


@router.get("", response_model=AgentsShown)
async def find(principal: Member, agents: KnownAgents) -> Json:
    """The agents that somebody may know of, and the tools that each was seen to call."""
    known = await agents.list(principal)
    return Json({"items": [{"id": one, "tools": list(tools)} for one, tools in known.items()]})


@router.get("/{id}/tools", response_model=ToolSettingsShown)
async def tools(id: NamedId, principal: Member, agents: KnownAgents) -> Json:
    """What is said of an agent's tools."""
    return _settings(await agents.tool_tiers(principal, id))


@router.put("/{id}/tools", response_model=ToolSettingsShown)
async def set_tools(id: NamedId, said: ToolSettings, principal: Person, agents: KnownAgents) -> Json:
    """Say all there is to say of an agent's tools; what was said before and is not said now is gone."""
    wanted = [TierChange(one.toolName, one.providerKey, one.status) for one in said.tools]
    return _settings(await agents.replace_tool_tiers(principal, id, wanted))


@router.patch("/{id}/tools", response_model=ToolSettingsShown)
async def change_tools(id: NamedId, said: ToolChanges, principal: Person, agents: KnownAgents) -> Json:
    """Set or clear some of an agent's tools; what is said of the others stays as it is."""
    wanted = [TierChange(one.toolName, one.providerKey or "", one.status) for one in said.tools]
    return _settings(await agents.change_tool_tiers(principal, id, wanted))


@router.get("/{id}/tools/catalog", response_model=CatalogShown)
async def catalog(id: NamedId, principal: Member, agents: KnownAgents, service: Serving) -> Json:
    """The tools that an agent is offered, and what is said of each."""
    said = {one.tool: one for one in await agents.tool_tiers(principal, id)}
    offered = await service.gate.catalog(principal, id)
    return Json({"tools": [_offered(one, said.get(one.tool.name)) for one in offered]})


@router.put("/{id}/catalog", status_code=204)
async def declare(id: NamedId, said: CatalogIn, principal: Administrator, service: Serving) -> Response:
    """Declare the tools that an origin offers to an agent, for every pod; a changed one asks again."""
    declared = [
        DeclaredTool(tool=_tool(one, said.origin), trust=Trust.CLIENT, provider=said.provider, agent=id)
        for one in said.tools
    ]
    await service.gate.publish(principal, id, said.origin, declared)
    return nothing()


@router.get("/{id}/tool-overrides", response_model=OverridesShown)
async def overrides(id: NamedId, principal: Member, agents: KnownAgents) -> Json:
    """The standing yeses for an agent's tools: one's own, for administrators all."""
    return Json({"items": [_override(one) for one in await agents.overrides(principal, id)]})


@router.post("/{id}/tool-overrides", response_model=OverrideShown, status_code=201)
async def override(
    id: NamedId, said: OverrideIn, principal: Person, agents: KnownAgents, once: MadeOnce
) -> Json:
    """Say yes to a tool of an agent from now on, for oneself."""

    async def make() -> Json:
        return Json(_override(await agents.add_override(principal, id, said.toolName)), 201)

    return await once.made(make)


@router.delete("/{id}/tool-overrides", status_code=204)
async def end_override(
    id: NamedId,
    principal: Person,
    agents: KnownAgents,
    tool: Annotated[ToolName, Query(alias="toolName")],
    user: Annotated[Id, Query(alias="userId")] = "",
) -> Response:
    """Take a standing yes back: one's own, or for administrators anybody's."""
    await agents.revoke_override(principal, id, tool, user)
    return nothing()


def _settings(said: Sequence[ToolTier]) -> Json:
    shown = [
        {
            "toolName": one.tool,
            "providerKey": one.provider,
            "status": one.assignment.tier.value,
            "explicit": one.assignment.explicit,
        }
        for one in said
    ]
    return Json({"tools": shown, "warnings": [] if said else [OPEN]})


def _offered(declared: DeclaredTool, said: ToolTier | None) -> dict[str, object]:
    return {
        **tool_to_json(declared.tool),
        "provider": declared.provider,
        "trust": declared.trust.value,
        "status": None if said is None else said.assignment.tier.value,
    }


def _tool(said: ToolIn, origin: str) -> Tool:
    return tool_from_json({**said.model_dump(mode="json"), "origin": origin})


def _override(grant: StoredGrant) -> dict[str, object]:
    return {
        "id": grant.id,
        "toolName": grant.pattern,
        "agentId": grant.agent,
        "userId": grant.user,
        "createdAt": maybe_moment_to_json(grant.at),
    }
