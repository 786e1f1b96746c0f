"""`/v1/pods`: what is not the same for all servers of one database."""

from fastapi import APIRouter

from assent.surfaces.http.models.health import PodsShown
from assent.surfaces.http.reply import Json
from assent.surfaces.http.serving import Serving
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.who import Administrator

router = APIRouter(prefix="/v1/pods", tags=["operations"], route_class=StrictRoute)


@router.get("", response_model=PodsShown)
async def look(_: Administrator, service: Serving) -> Json:
    """What differs between this server and others of its database, as they compared themselves last."""
    found = service.pods.differences if service.pods is not None else ()
    return Json(
        {
            "differences": [
                {"what": one.what.value, "here": one.here, "there": one.there, "sentence": one.sentence}
                for one in found
            ]
        }
    )
