"""The metrics of `/metrics`; labels never contain arguments of calls or names of people."""

import asyncio
import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from assent.errors import StoreError
from assent.gate.gate import Gate

DECISIONS_TOTAL = "assent_decisions_total"
DECIDE_SECONDS = "assent_decide_seconds"
APPROVALS_ASKED_TOTAL = "assent_approvals_asked_total"
APPROVALS_ANSWERED_TOTAL = "assent_approvals_answered_total"
APPROVAL_WAIT_SECONDS = "assent_approval_wait_seconds"
APPROVALS_EXPIRED_TOTAL = "assent_approvals_expired_total"
APPROVALS_PENDING = "assent_approvals_pending"
STORE_UP = "assent_store_up"
WAITING_CALLS = "assent_waiting_calls"
LIVE_CONNECTIONS = "assent_live_connections"
HTTP_REQUESTS_TOTAL = "assent_http_requests_total"
POLICY_ERROR = "assent_policy_error"
POLICY_RELOADS = "assent_policy_reloads_total"
AGENTS_PAUSED = "assent_paused"
AUDIT_SPOOLED = "assent_audit_spooled"
AUDIT_LOST = "assent_audit_lost_total"
COUNTER_LABELS = {
    DECISIONS_TOTAL: ("decision", "effect", "mode", "source"),
    APPROVALS_ASKED_TOTAL: (),
    APPROVALS_ANSWERED_TOTAL: ("answer",),
    APPROVALS_EXPIRED_TOTAL: (),
    HTTP_REQUESTS_TOTAL: ("method", "status"),
    POLICY_RELOADS: ("outcome",),
}
"""The counters, with the labels of each."""
HISTOGRAM_BUCKETS = {
    DECIDE_SECONDS: (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0),
    APPROVAL_WAIT_SECONDS: (1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 21600.0, 86400.0),
}
"""The histograms, with the upper bounds of their buckets in seconds."""
SCRAPED_METRICS = (
    STORE_UP,
    APPROVALS_PENDING,
    WAITING_CALLS,
    LIVE_CONNECTIONS,
    POLICY_ERROR,
    AGENTS_PAUSED,
    AUDIT_SPOOLED,
    AUDIT_LOST,
)
"""The metrics whose values are read at each scrape."""
HELP_TEXTS = {
    DECISIONS_TOTAL: "calls decided, by verdict, effect of the tool, mode and deciding stage",
    DECIDE_SECONDS: "seconds taken by a decision, reading policy and facts included",
    APPROVALS_ASKED_TOTAL: "approvals requested by this process",
    APPROVALS_ANSWERED_TOTAL: "answers taken by this process, by kind of answer",
    APPROVAL_WAIT_SECONDS: "seconds from the request for approval to its answer",
    APPROVALS_EXPIRED_TOTAL: "approvals that expired without an answer; each is counted by one process",
    STORE_UP: "1 if the store replied just now; while it is 0, what only the store knows is missing",
    APPROVALS_PENDING: "approvals that wait for an answer, on all processes",
    WAITING_CALLS: "approvals that callers of this process wait for",
    LIVE_CONNECTIONS: "open live channels of this process",
    HTTP_REQUESTS_TOTAL: "HTTP requests answered, by method and status",
    POLICY_ERROR: "1 while the policy files have an error and the last good policy is in effect",
    POLICY_RELOADS: "reloads of the policy files, by outcome",
    AGENTS_PAUSED: "1 while every agent is paused",
    AUDIT_SPOOLED: "audit entries that are not written yet",
    AUDIT_LOST: "audit entries that are lost",
}
"""The help text of every metric."""
STORE_TIMEOUT = 0.5
"""Seconds to wait for the store's values."""
# Otherwise the library adds a `_created` series for each counter.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """The counters and histograms of this process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._counters = {
            name: Counter(name, HELP_TEXTS[name], labels, registry=self._registry)
            for name, labels in COUNTER_LABELS.items()
        }
        self._histograms = {
            name: Histogram(name, HELP_TEXTS[name], buckets=bounds, registry=self._registry)
            for name, bounds in HISTOGRAM_BUCKETS.items()
        }
        self._state = _ScrapedMetrics()
        self._registry.register(self._state)
        self.live_connections = 0
        """Open live channels."""

    def increment_counter(self, name: str, **labels: str) -> None:
        """Add one to a counter."""
        counter = self._counters[name]
        (counter.labels(**labels) if labels else counter).inc()

    def add_observation(self, name: str, seconds: float) -> None:
        """Add an observation to a histogram."""
        self._histograms[name].observe(seconds)

    def to_prometheus_text(self, state: Mapping[str, float]) -> str:
        """All metrics in the text format of Prometheus; `state` has the values of `SCRAPED_METRICS`."""
        self._state.values = state
        return generate_latest(self._registry).decode()


class StoreMetrics(NamedTuple):
    """Values for metrics that must be read from the database."""

    pending: int
    """Number of pending approvals, on all processes."""
    paused: bool


class StoreMetricsReader:
    """Reads the figures; concurrent requests share one read."""

    def __init__(self) -> None:
        self._read: asyncio.Task[StoreMetrics] | None = None
        self._began = 0.0

    async def read_store_metrics(self, gate: Gate) -> StoreMetrics | None:
        """The current figures; None if the store fails or does not reply in time."""
        if self._read is None or self._read.done():
            self._began = time.monotonic()
            self._read = asyncio.create_task(_read_store_metrics(gate), name="assent store figures")
            # Retrieves the error, so that asyncio does not warn if no request waits for the read.
            self._read.add_done_callback(lambda read: read.cancelled() or read.exception())
        # Does not wait for a read that is already older than the timeout.
        left = max(self._began + STORE_TIMEOUT - time.monotonic(), 0)
        done, _ = await asyncio.wait({self._read}, timeout=left)
        try:
            return self._read.result() if done else None
        except StoreError:
            return None


class _ScrapedMetrics(Collector):
    """Collects the metrics whose values are set at each scrape; a missing value is omitted."""

    def __init__(self) -> None:
        self.values: Mapping[str, float] = {}

    def collect(self) -> Iterator[Metric]:
        """The metrics in the types of the Prometheus library."""
        for name in SCRAPED_METRICS:
            kind = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
            yield kind(name, HELP_TEXTS[name], value=self.values.get(name))


async def _read_store_metrics(gate: Gate) -> StoreMetrics:
    return StoreMetrics(await gate.count_pending(), await gate.is_paused())
