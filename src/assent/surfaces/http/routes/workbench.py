"""`/v1/workbench` and `/v1/people/{id}/workbench`: what a person may use, and calls of agents."""

from typing import Annotated, TypedDict

from pydantic import StringConstraints

from assent.gate.access import Principal
from assent.gate.workbench_access import WorkbenchRights
from assent.hosts.workbench.agent_calls import CallRequest
from assent.surfaces.http.api.access import Administrator, Page
from assent.surfaces.http.api.fields import Args, NonEmptyId, StrictBody, ToolName
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service
from assent.version import __version__

router = Router("/v1/workbench", "workbench")
of_people = Router("/v1/people", "workbench")
TicketText = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]*$", max_length=128)]
FileText = Annotated[str, StringConstraints(max_length=2_000_000)]
SeenDigest = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{64}|absent)$")]
"""The SHA-256 of a file that was shown, or `absent`."""


class RightsIn(StrictBody):
    """What a person may use from other machines."""

    files: bool
    terminal: bool


class AgentCallIn(StrictBody):
    """A call of an agent that the gate let run."""

    ticket: TicketText
    tool: ToolName
    args: Args
    content: FileText | None = None
    """The text of the editor; for `editor.save` only."""
    digest: SeenDigest | None = None
    """The digest of the file that the editor loaded; for `editor.save` only."""


class RootShown(TypedDict):
    """A directory in which the workbench works."""

    name: str
    directory: str
    own: bool
    """Whether it is the directory that the server was started in."""


class RightsShown(TypedDict):
    """What a person may use."""

    files: bool
    terminal: bool


class WorkbenchShown(RightsShown):
    """What you may use, and where."""

    local_only: bool
    """Whether only this machine can reach the server."""
    roots: list[RootShown]
    version: str
    """The version of the server."""


class CallResult(TypedDict):
    """The value for the model."""

    value: dict[str, object]


@router.get(name="look")
async def read_workbench(principal: Page, service: Service) -> WorkbenchShown:
    """Read what you may use, and the roots."""
    workbench = service.require_workbench()
    rights = await workbench.rights(principal)
    roots = await workbench.roots(principal) if rights.files or rights.terminal else ()
    return {
        "files": rights.files,
        "terminal": rights.terminal,
        "local_only": workbench.local_only,
        "roots": [{"name": one.name, "directory": one.directory, "own": one.own} for one in roots],
        "version": __version__,
    }


@router.post("/calls", name="call")
async def run_agent_call(body: AgentCallIn, principal: Page, service: Service) -> CallResult:
    """Carry out a call of an agent with the ticket that came with it; the ticket works once."""
    request = CallRequest(
        ticket=body.ticket, tool=body.tool, args=body.args, content=body.content, digest=body.digest
    )
    return {"value": dict(await service.require_workbench().run_call(principal, request))}


@of_people.get("/{id}/workbench", name="rights")
async def read_rights(id: NonEmptyId, principal: Administrator, service: Service) -> RightsShown:
    """Read what an administrator turned on for a person."""
    await service.authenticator.people.active_person(id)
    return await _rights_to_json(service, principal, id)


@of_people.put("/{id}/workbench", name="set_rights")
async def set_rights(
    id: NonEmptyId, body: RightsIn, principal: Administrator, service: Service
) -> RightsShown:
    """Turn files and terminals on or off for a person, on a server that other machines reach."""
    rights = WorkbenchRights(files=body.files, terminal=body.terminal)
    await service.require_workbench().access.set_rights(principal, id, rights)
    return await _rights_to_json(service, principal, id)


async def _rights_to_json(service: Service, principal: Principal, id: str) -> RightsShown:
    rights = await service.require_workbench().access.rights_of(principal, id)
    return {"files": rights.files, "terminal": rights.terminal}
