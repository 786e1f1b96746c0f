"""`/v1/workspaces` and `/v1/agents/{id}/workspaces`: the directories that are workspaces of agents."""

from collections.abc import Sequence
from typing import Annotated, TypedDict

from pydantic import Field

from assent.gate.workspaces import (
    ALL_AGENTS,
    MAX_WORKSPACES,
    RegisteredWorkspace,
    RootProof,
    WantedRoot,
)
from assent.surfaces.http.api.access import Administrator
from assent.surfaces.http.api.fields import GeneratedId, NonEmptyId, ShortText, StrictBody, Text
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service
from assent.wire.policy import WorkspaceShown, workspace_to_json

router = Router("/v1/workspaces", "workspaces")
of_agents = Router("/v1/agents", "workspaces")


class ProofIn(StrictBody):
    """A file that the client wrote into the directory: the server reads it, so both share the disk."""

    file: ShortText
    """The name of the file: `.assent-proof-` and 32 hexadecimal digits."""
    text: ShortText
    """Its text: 64 random hexadecimal digits."""


class WorkspaceIn(StrictBody):
    """A directory to register."""

    root: Text
    """The absolute path; if it is local, links in it are resolved."""
    proof: ProofIn | None = None
    """Without a proof the workspace is remote, unless it is registered as a local one already."""


class WorkspacesIn(StrictBody):
    """All workspaces of an agent; they replace the previous list."""

    workspaces: Annotated[list[WorkspaceIn], Field(max_length=MAX_WORKSPACES)]
    known: Annotated[list[GeneratedId], Field(max_length=MAX_WORKSPACES)] | None = None
    """The ids of the previous list, if the reply must be 409 after another change."""


class WorkspacesShown(TypedDict):
    """The registered workspaces."""

    items: list[WorkspaceShown]


@router.get(name="find")
async def list_workspaces(principal: Administrator, service: Service) -> WorkspacesShown:
    """List the registered workspaces of all agents."""
    return _to_json(await service.gate.workspaces.list(principal))


@of_agents.put("/{id}/workspaces", name="set")
async def replace_workspaces(
    id: NonEmptyId, body: WorkspacesIn, principal: Administrator, service: Service
) -> WorkspacesShown:
    """Replace the workspaces of an agent; the id `*` means all agents."""
    agent = "" if id == ALL_AGENTS else id
    wanted = [_to_wanted_root(one) for one in body.workspaces]
    known = None if body.known is None else frozenset(body.known)
    return _to_json(await service.gate.workspaces.replace(principal, agent, wanted, known))


def _to_wanted_root(body: WorkspaceIn) -> WantedRoot:
    proof = body.proof
    return WantedRoot(body.root, None if proof is None else RootProof(proof.file, proof.text))


def _to_json(workspaces: Sequence[RegisteredWorkspace]) -> WorkspacesShown:
    return {"items": [workspace_to_json(one) for one in workspaces]}
