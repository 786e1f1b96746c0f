"""`/v1/switch`: one switch that stops every agent, and starts them again."""

from fastapi import APIRouter

from assent.gate.stored_policy import Pause
from assent.surfaces.http.models.policy import Switch, SwitchIn
from assent.surfaces.http.reply import Json
from assent.surfaces.http.serving import Serving
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.who import Administrator, Member
from assent.wire.fields import moment_to_json

router = APIRouter(prefix="/v1/switch", tags=["switch"], route_class=StrictRoute)


@router.get("", response_model=Switch)
async def look(principal: Member, service: Serving) -> Json:
    """Whether every agent is stopped, by whom and since when."""
    return _shown(await service.gate.pause_state(principal))


@router.post("", response_model=Switch)
async def turn(said: SwitchIn, principal: Administrator, service: Serving) -> Json:
    """Stop every agent, on every pod, or let them go on."""
    await (service.gate.pause(principal) if said.paused else service.gate.resume(principal))
    return _shown(await service.gate.pause_state(principal))


def _shown(pause: Pause | None) -> Json:
    if pause is None:
        return Json({"paused": False, "by": "", "since": None})
    return Json({"paused": True, "by": pause.by, "since": moment_to_json(pause.since)})
