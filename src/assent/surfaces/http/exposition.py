"""What `/metrics` says: what this process counted, and what is true at this moment."""

from assent.surfaces.http import telemetry
from assent.surfaces.http.service import Service


async def exposition(service: Service) -> str:
    """Every number in the text format of Prometheus; what only a database knows that is down is left out."""
    counters = service.store.counters()
    gauges: dict[str, float] = {
        telemetry.LISTENING: service.metrics.listening,
        telemetry.POLICY_ERROR: bool(service.grounds.error),
        telemetry.WAITING: counters.waiting,
        telemetry.AUDIT_SPOOLED: counters.audit_spooled,
        telemetry.AUDIT_LOST: counters.audit_lost,
    }
    figures = await service.figures.read(service.store)
    gauges[telemetry.STORE_UP] = figures is not None
    if figures is not None:
        gauges |= {telemetry.PENDING: figures.pending, telemetry.PAUSED: figures.paused}
    return service.metrics.text(gauges)
