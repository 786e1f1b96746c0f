"""What `/metrics` says: what this process counted, and what is true at this moment."""

from assent.errors import StoreError
from assent.surfaces.http import telemetry
from assent.surfaces.http.service import Service


async def exposition(service: Service) -> str:
    """Every number in the text format of Prometheus; what a broken store would say is left out."""
    gauges: dict[str, float] = {
        telemetry.LISTENING: service.metrics.listening,
        telemetry.POLICY_ERROR: bool(service.grounds.error),
    }
    try:
        figures = await service.gate.figures()
        paused = await service.gate.is_paused()
    except StoreError:
        return service.metrics.text(gauges)
    gauges |= {
        telemetry.PENDING: figures.pending,
        telemetry.WAITING: figures.waiting,
        telemetry.AUDIT_SPOOLED: figures.audit_spooled,
        telemetry.AUDIT_LOST: figures.audit_lost,
        telemetry.PAUSED: paused,
    }
    return service.metrics.text(gauges)
