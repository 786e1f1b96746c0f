"""`/healthz`, `/readyz` and `/metrics`: for monitoring, without a token."""

from typing import TypedDict

from starlette.responses import Response

from assent.errors import StoreError
from assent.surfaces.http.api import metrics as names
from assent.surfaces.http.api.problems import RETRY, ProblemError
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service

router = Router("", "operations")
UNKNOWN = "its store cannot be used; the log has the reason"
_TEXT = "text/plain; version=0.0.4; charset=utf-8"
_PLAIN = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}


class Health(TypedDict):
    """Whether the process replies."""

    ok: bool


class Readiness(Health):
    """Whether the server takes requests, and what differs between the servers of its database."""

    differs: list[str]
    """Some of `policy`, `version` and `workspace`; the log and `assent doctor` have the details."""


@router.get("/healthz")
async def healthy() -> Health:
    """Check that the process replies."""
    return {"ok": True}


@router.get("/readyz")
async def ready(service: Service) -> Readiness:
    """Check that the store takes writes and the server is not about to stop."""
    if service.stopping.is_set():
        raise ProblemError(503, "the server is about to stop", headers=RETRY)
    try:
        await service.store.check_writable()
    except StoreError as error:
        detail = f"the server is not ready: {error.reason or UNKNOWN}"
        raise ProblemError(503, detail, headers=RETRY) from None
    # This route needs no token: it names what differs, and the log says whose files are where.
    found = service.pods.differences if service.pods is not None else ()
    return {"ok": True, "differs": sorted({one.what for one in found})}


@router.get("/metrics", responses=_PLAIN)
async def metrics(service: Service) -> Response:
    """Read all metrics in the text format of Prometheus."""
    return Response(service.metrics.text(await _state(service)), media_type=_TEXT)


async def _state(service: Service) -> dict[str, float]:
    """The current values; without the store's where it cannot be read."""
    state: dict[str, float] = {
        names.LIVE_CONNECTIONS: service.metrics.live_connections,
        names.POLICY_ERROR: bool(service.policy.error),
    }
    try:
        figures = await service.store.figures()
        paused = (await service.store.moment()).paused
    except StoreError:
        return state
    return state | {
        names.PENDING: figures.pending,
        names.WAITING: figures.waiting,
        names.AUDIT_SPOOLED: figures.audit_spooled,
        names.AUDIT_LOST: figures.audit_lost,
        names.PAUSED: paused,
    }
