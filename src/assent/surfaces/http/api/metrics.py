"""The metrics behind `/metrics`; no label ever holds what a call contains or who made it."""

import asyncio
import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from assent.errors import StoreError
from assent.gate.gate import Gate

DECISIONS = "assent_decisions_total"
DECIDE_SECONDS = "assent_decide_seconds"
ASKED = "assent_approvals_asked_total"
ANSWERED = "assent_approvals_answered_total"
WAIT_SECONDS = "assent_approval_wait_seconds"
EXPIRED = "assent_approvals_expired_total"
PENDING = "assent_approvals_pending"
STORE_UP = "assent_store_up"
WAITING = "assent_waiting_calls"
LIVE_CONNECTIONS = "assent_live_connections"
REQUESTS = "assent_http_requests_total"
POLICY_ERROR = "assent_policy_error"
POLICY_RELOADS = "assent_policy_reloads_total"
PAUSED = "assent_paused"
AUDIT_SPOOLED = "assent_audit_spooled"
AUDIT_LOST = "assent_audit_lost_total"
LABELS = {
    DECISIONS: ("decision", "effect", "mode", "source"),
    ASKED: (),
    ANSWERED: ("answer",),
    EXPIRED: (),
    REQUESTS: ("method", "status"),
    POLICY_RELOADS: ("outcome",),
}
"""The counters of this process, and the labels of each."""
BUCKETS = {
    DECIDE_SECONDS: (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0),
    WAIT_SECONDS: (1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 21600.0, 86400.0),
}
"""The histograms, and the upper bounds of their buckets in seconds."""
STATE = (STORE_UP, PENDING, WAITING, LIVE_CONNECTIONS, POLICY_ERROR, PAUSED, AUDIT_SPOOLED, AUDIT_LOST)
"""The metrics whose value is read at each scrape."""
HELP = {
    DECISIONS: "calls decided, by verdict, effect of the tool, mode and deciding stage",
    DECIDE_SECONDS: "seconds taken by a decision, reading policy and facts included",
    ASKED: "approvals requested by this process",
    ANSWERED: "answers taken by this process, by kind of answer",
    WAIT_SECONDS: "seconds from the request for approval to its answer",
    EXPIRED: "approvals that expired without an answer; each is counted by one process",
    STORE_UP: "1 if the store replied just now; while it is 0, what only the store knows is missing",
    PENDING: "approvals that wait for an answer, on all processes",
    WAITING: "approvals that callers of this process wait for",
    LIVE_CONNECTIONS: "open live channels of this process",
    REQUESTS: "HTTP requests answered, by method and status",
    POLICY_ERROR: "1 while the policy files have an error and the last good policy is in effect",
    POLICY_RELOADS: "reloads of the policy files, by outcome",
    PAUSED: "1 while every agent is paused",
    AUDIT_SPOOLED: "audit entries that are not written yet",
    AUDIT_LOST: "audit entries that are lost",
}
"""Every metric, and what it counts."""
TIMEOUT = 0.5
"""Seconds in which a working store replies."""
# Without this the library adds a series for the time at which each counter began.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """What this process has counted since its start."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._counters = {
            name: Counter(name, HELP[name], labels, registry=self._registry)
            for name, labels in LABELS.items()
        }
        self._histograms = {
            name: Histogram(name, HELP[name], buckets=bounds, registry=self._registry)
            for name, bounds in BUCKETS.items()
        }
        self._state = _State()
        self._registry.register(self._state)
        self.live_connections = 0
        """Open live channels."""

    def count(self, name: str, **labels: str) -> None:
        """Add one to a counter."""
        counter = self._counters[name]
        (counter.labels(**labels) if labels else counter).inc()

    def observe(self, name: str, seconds: float) -> None:
        """Add an observation to a histogram."""
        self._histograms[name].observe(seconds)

    def text(self, state: Mapping[str, float]) -> str:
        """Every metric in the text format of Prometheus, with the current values of `STATE`."""
        self._state.values = state
        return generate_latest(self._registry).decode()


class StoreFigures(NamedTuple):
    """What only the database knows."""

    pending: int
    """Questions that wait for a person, on all processes."""
    paused: bool


class StoreFiguresReader:
    """Reads the figures; requests during a read share it, and none of them starts another."""

    def __init__(self) -> None:
        self._read: asyncio.Task[StoreFigures] | None = None
        self._began = 0.0

    async def read(self, gate: Gate) -> StoreFigures | None:
        """The current figures; None if the store cannot be used, or did not reply in time."""
        if self._read is None or self._read.done():
            self._began = time.monotonic()
            self._read = asyncio.create_task(_figures(gate), name="assent store figures")
            # Its error is retrieved even if no request waits for it any more.
            self._read.add_done_callback(lambda read: read.cancelled() or read.exception())
        # A read that already runs for longer than the timeout is not waited for.
        left = max(self._began + TIMEOUT - time.monotonic(), 0)
        done, _ = await asyncio.wait({self._read}, timeout=left)
        try:
            return self._read.result() if done else None
        except StoreError:
            return None


class _State(Collector):
    """The metrics whose values are given at each scrape; one without a value is described only."""

    def __init__(self) -> None:
        self.values: Mapping[str, float] = {}

    def collect(self) -> Iterator[Metric]:
        """The metrics as the library writes them."""
        for name in STATE:
            kind = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
            yield kind(name, HELP[name], value=self.values.get(name))


async def _figures(gate: Gate) -> StoreFigures:
    return StoreFigures(await gate.count_pending(), await gate.is_paused())
