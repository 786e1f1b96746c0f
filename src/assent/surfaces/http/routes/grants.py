"""`/v1/grants`: the yeses that were remembered."""

from fastapi import APIRouter, Response

from assent.surfaces.http.models.base import NamedId
from assent.surfaces.http.models.policy import GrantsShown
from assent.surfaces.http.reply import Json, nothing
from assent.surfaces.http.serving import Serving
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.who import Member, Person
from assent.wire.policy import grant_to_json

router = APIRouter(prefix="/v1/grants", tags=["grants"], route_class=StrictRoute)


@router.get("", response_model=GrantsShown)
async def find(principal: Member, service: Serving) -> Json:
    """The grants that somebody gave or that are about them; for administrators, all."""
    return Json({"items": [grant_to_json(one) for one in await service.gate.policy.grants(principal)]})


@router.delete("/{id}", status_code=204)
async def revoke(id: NamedId, principal: Person, service: Serving) -> Response:
    """End a grant; no decision that starts later uses it."""
    await service.gate.policy.revoke(principal, id)
    return nothing()
