"""`/v1/decide`: what would happen to a call, without it happening."""

from typing import cast

from fastapi import APIRouter

from assent.engine.model import Call
from assent.gate.gate import TurnOptions
from assent.surfaces.http.models.decision import Decision, WhatIf
from assent.surfaces.http.reply import Json
from assent.surfaces.http.serving import Serving
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.who import Member
from assent.wire.decision import decision_to_json

router = APIRouter(prefix="/v1/decide", tags=["decide"], route_class=StrictRoute)


@router.post("", response_model=Decision)
async def decide(said: WhatIf, principal: Member, service: Serving) -> Json:
    """Decide a call that is only thought of: nothing is asked, counted or recorded."""
    call = Call(
        tool=said.tool,
        args=cast("dict[str, object]", said.args),
        agent=said.agent,
        conversation=said.conversation,
        cwd=said.cwd,
    )
    judged = await service.gate.decide(
        principal, call, options=TurnOptions(preset=said.preset, mode=said.mode)
    )
    return Json(decision_to_json(judged.decision))
