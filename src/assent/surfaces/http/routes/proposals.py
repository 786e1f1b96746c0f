"""`/v1/proposals`: a person applies what an agent proposed."""

from fastapi import APIRouter

from assent.surfaces.http.models.call import Outcome
from assent.surfaces.http.models.proposal import Token
from assent.surfaces.http.reply import Json
from assent.surfaces.http.serving import Serving
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.who import Person
from assent.wire.approval import outcome_to_json

router = APIRouter(prefix="/v1/proposals", tags=["proposals"], route_class=StrictRoute)


@router.post("/apply", response_model=Outcome)
async def apply(said: Token, principal: Person, service: Serving) -> Json:
    """Run what was proposed, once, if it may still run and nothing changed under it."""
    return Json(outcome_to_json(await service.gate.apply(principal, said.token), ""))
