"""`/healthz`, `/readyz`, `/metrics` and `/v1/pods`, for operators; only `/v1/pods` needs a token."""

from typing import Annotated, TypedDict

from starlette.responses import Response

from assent.errors import StoreError
from assent.gate.events import PodProperty
from assent.surfaces.http.api import metrics as names
from assent.surfaces.http.api.access import Administrator
from assent.surfaces.http.api.problems import RETRY_HEADERS, ProblemError
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service

router = Router("", "operations")
pods = Router("/v1/pods", "operations")
STORE_UNUSABLE_MESSAGE = "its store cannot be used; the log has the reason"
_METRICS_MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_TEXT_RESPONSES = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}


class Health(TypedDict):
    """The reply of a process that works."""

    ok: bool


class Readiness(Health):
    """Whether the server accepts requests, and the differences between the servers of its database."""

    differs: list[str]
    """Some of `policy`, `version` and `workspace`; the log and `assent doctor` have the details."""


class PodDifference(TypedDict):
    """A property that differs between this server and another server of the same database."""

    what: Annotated[str, PodProperty]
    here: str
    """The value of this server."""
    there: str
    """The value of the other server."""
    sentence: str
    """The difference, its effect, and what to do."""


class PodsShown(TypedDict):
    """The differences between the servers of one database; empty if they are alike."""

    differences: list[PodDifference]


@router.get("/healthz", name="healthy")
async def check_health() -> Health:
    """Check that the process replies."""
    return {"ok": True}


@router.get("/readyz", name="ready")
async def check_readiness(service: Service) -> Readiness:
    """Check that the store accepts writes and the server is not stopping."""
    if service.stopping.is_set():
        raise ProblemError(503, "the server is about to stop", headers=RETRY_HEADERS)
    try:
        await service.gate.check_writable()
    except StoreError as error:
        detail = f"the server is not ready: {error.reason or STORE_UNUSABLE_MESSAGE}"
        raise ProblemError(503, detail, headers=RETRY_HEADERS) from None
    # This route needs no token, so it shows no values; the log has the details.
    found = service.pods.differences if service.pods is not None else ()
    return {"ok": True, "differs": sorted({one.what for one in found})}


@router.get("/metrics", responses=_TEXT_RESPONSES, name="metrics")
async def read_metrics(service: Service) -> Response:
    """Read all metrics in the text format of Prometheus."""
    return Response(
        service.metrics.to_prometheus_text(await _read_scraped_metrics(service)),
        media_type=_METRICS_MEDIA_TYPE,
    )


@pods.get(name="look")
async def list_pod_differences(_: Administrator, service: Service) -> PodsShown:
    """List what differs between this server and others of its database, as last compared."""
    found = service.pods.differences if service.pods is not None else ()
    return {
        "differences": [
            {"what": one.what.value, "here": one.here, "there": one.there, "sentence": one.sentence}
            for one in found
        ]
    }


async def _read_scraped_metrics(service: Service) -> dict[str, float]:
    """The current values; values from the database are missing while it cannot be used."""
    counters = service.gate.counters()
    state: dict[str, float] = {
        names.LIVE_CONNECTIONS: service.metrics.live_connections,
        names.POLICY_ERROR: bool(service.policy.error),
        names.WAITING_CALLS: counters.waiting,
        names.AUDIT_SPOOLED: counters.audit_spooled,
        names.AUDIT_LOST: counters.audit_lost,
    }
    figures = await service.figures.read_store_metrics(service.gate)
    state[names.STORE_UP] = figures is not None
    if figures is not None:
        state |= {names.APPROVALS_PENDING: figures.pending, names.AGENTS_PAUSED: figures.paused}
    return state
