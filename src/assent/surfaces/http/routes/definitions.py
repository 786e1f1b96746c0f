"""`/v1/definitions`: tools that ask because their definition changed, and accepting what they say now."""

from fastapi import APIRouter, Response

from assent.surfaces.http.models.definition import DefinitionIn, DefinitionsShown
from assent.surfaces.http.reply import Json, nothing
from assent.surfaces.http.serving import Serving
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.who import Administrator
from assent.wire.policy import definition_to_json

router = APIRouter(prefix="/v1/definitions", tags=["definitions"], route_class=StrictRoute)


@router.get("", response_model=DefinitionsShown)
async def find(principal: Administrator, service: Serving) -> Json:
    """The tools whose definition changed since it was accepted, and what changed."""
    found = await service.gate.changed_definitions(principal)
    return Json({"items": [definition_to_json(one) for one in found]})


@router.post("/accept", status_code=204)
async def accept(said: DefinitionIn, principal: Administrator, service: Serving) -> Response:
    """Accept the definition that was shown; if the tool is defined in another way by now, nothing is."""
    await service.gate.accept(principal, said.tool, digest=said.digest, origin=said.origin)
    return nothing()
