"""`/healthz`, `/readyz` and `/metrics`: what operators' programs ask, without a token."""

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse

from assent.errors import StoreError
from assent.surfaces.http.exposition import exposition
from assent.surfaces.http.models.health import Health, Readiness
from assent.surfaces.http.problems import AGAIN, problem
from assent.surfaces.http.reply import Json
from assent.surfaces.http.serving import Serving
from assent.surfaces.http.strict import StrictRoute

router = APIRouter(tags=["operations"], route_class=StrictRoute)
UNKNOWN = "its store cannot be used; the log says why"
_TEXT = "text/plain; version=0.0.4; charset=utf-8"


@router.get("/healthz", response_model=Health)
async def healthy() -> Json:
    """The process answers."""
    return Json({"ok": True})


@router.get("/readyz", response_model=Readiness)
async def ready(service: Serving) -> Json:
    """The store takes writes, and the server is not about to stop."""
    if service.stopping.is_set():
        return problem(503, "the server is about to stop", headers=AGAIN)
    try:
        await service.gate.check_writable()
    except StoreError as error:
        return problem(503, f"the server is not ready: {error.reason or UNKNOWN}", headers=AGAIN)
    # Anybody may ask: what differs is named, and where whose files are is for the log.
    found = service.pods.differences if service.pods is not None else ()
    return Json({"ok": True, "differs": sorted({one.what for one in found})})


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(service: Serving) -> Response:
    """Numbers in the text format of Prometheus."""
    return Response(await exposition(service), media_type=_TEXT)
