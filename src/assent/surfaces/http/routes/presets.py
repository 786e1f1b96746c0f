"""`/v1/presets`: the ways to run a conversation, and the modes that each offers."""

from collections.abc import Iterator

from fastapi import APIRouter

from assent.errors import AssentError
from assent.gate.preset import Preset
from assent.surfaces.http.models.preset import PresetsShown
from assent.surfaces.http.reply import Json
from assent.surfaces.http.service import Policy
from assent.surfaces.http.serving import Serving
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.who import Member
from assent.wire.policy import preset_to_json

router = APIRouter(prefix="/v1/presets", tags=["presets"], route_class=StrictRoute)


@router.get("", response_model=PresetsShown)
async def find(_: Member, service: Serving) -> Json:
    """Every preset that can be used here, as the policy's files leave it."""
    return Json({"items": [preset_to_json(one) for one in _usable(service.grounds)]})


def _usable(grounds: Policy) -> Iterator[Preset]:
    for name in grounds.presets:
        try:
            yield grounds(name).preset
        except AssentError:  # Nobody can begin a conversation with it, so it is not on offer.
            continue
