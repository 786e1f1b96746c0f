"""Telemetry: every name that operators see, and the numbers behind `/metrics`.

Nothing here is ever labelled by what a call says or by who made it.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping

DECISIONS = "assent_decisions_total"
DECIDE_SECONDS = "assent_decide_seconds"
ASKED = "assent_approvals_asked_total"
ANSWERED = "assent_approvals_answered_total"
WAIT_SECONDS = "assent_approval_wait_seconds"
EXPIRED = "assent_approvals_expired_total"
PENDING = "assent_approvals_pending"
STORE_UP = "assent_store_up"
WAITING = "assent_waiting_calls"
LISTENING = "assent_live_connections"
REQUESTS = "assent_http_requests_total"
POLICY_ERROR = "assent_policy_error"
POLICY_RELOADS = "assent_policy_reloads_total"
PAUSED = "assent_paused"
AUDIT_SPOOLED = "assent_audit_spooled"
AUDIT_LOST = "assent_audit_lost_total"

HELP = {
    DECISIONS: "calls that were decided, by verdict, effect of the tool, mode and deciding stage",
    DECIDE_SECONDS: "seconds that deciding took, reading policy and facts included",
    ASKED: "questions that were put to people by this process",
    ANSWERED: "answers that were taken by this process, by what was said",
    WAIT_SECONDS: "seconds from a question to its answer",
    EXPIRED: "questions that nobody answered in time, told by one process each",
    STORE_UP: "1 if the store answered just now; while it is 0, what only the store knows is left out",
    PENDING: "questions that wait for a person, on all processes",
    WAITING: "approvals that callers of this process wait for",
    LISTENING: "live channels that are open in this process",
    REQUESTS: "requests that were answered, by method and status",
    POLICY_ERROR: "1 while the policy files cannot be used and the last good policy counts",
    POLICY_RELOADS: "times that policy files were read again, by how that went",
    PAUSED: "1 while every agent is paused",
    AUDIT_SPOOLED: "audit entries that could not be written yet",
    AUDIT_LOST: "audit entries that are nowhere",
}
"""Every metric, and what it counts."""

SPAN_DECIDE = "assent.decide"
EVENT_ASKED = "assent.approval.requested"
EVENT_ANSWERED = "assent.approval.decided"
EVENT_EXPIRED = "assent.approval.expired"

TOOL_NAME = "gen_ai.tool.name"
CALL_ID = "gen_ai.tool.call.id"
AGENT_ID = "gen_ai.agent.id"
CONVERSATION_ID = "gen_ai.conversation.id"
OPERATION = "gen_ai.operation.name"
EXECUTE_TOOL = "execute_tool"
DECISION = "assent.decision"
STAGE = "assent.stage"
RULE = "assent.rule"
MODE = "assent.mode"
EFFECT = "assent.effect"
APPROVAL_ID = "assent.approval.id"
STATE = "assent.approval.state"

QUICK = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
PATIENT = (1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 21600.0, 86400.0)
BUCKETS = {DECIDE_SECONDS: QUICK, WAIT_SECONDS: PATIENT}
"""Upper bounds, in seconds, of the histograms."""

_Series = tuple[str, tuple[tuple[str, str], ...]]


class Metrics:
    """What this process has counted since its start."""

    def __init__(self) -> None:
        self._counted: Counter[_Series] = Counter()
        self._observed = {name: [0] * (len(bounds) + 1) for name, bounds in BUCKETS.items()}
        self._sums = dict.fromkeys(BUCKETS, 0.0)
        self.listening = 0
        """Live channels that are open."""

    def count(self, name: str, **labels: str) -> None:
        """One more."""
        self._counted[name, tuple(labels.items())] += 1

    def observe(self, name: str, seconds: float) -> None:
        """One more that took so long."""
        self._observed[name][bisect_left(BUCKETS[name], seconds)] += 1
        self._sums[name] += seconds

    def text(self, gauges: Mapping[str, float]) -> str:
        """Everything in the text format of Prometheus, with what is true at this moment."""
        return "".join(f"{line}\n" for name in HELP for line in self._lines(name, gauges))

    def _lines(self, name: str, gauges: Mapping[str, float]) -> Iterator[str]:
        yield f"# HELP {name} {HELP[name]}"
        if name in BUCKETS:
            yield f"# TYPE {name} histogram"
            yield from self._histogram(name)
            return
        yield f"# TYPE {name} {'counter' if name.endswith('_total') else 'gauge'}"
        if name in gauges:
            yield f"{name} {gauges[name]:g}"
        for (counted, labels), number in sorted(self._counted.items()):
            if counted == name:
                yield f"{name}{_written(labels)} {number}"

    def _histogram(self, name: str) -> Iterator[str]:
        total = 0
        for bound, number in zip((*BUCKETS[name], "+Inf"), self._observed[name], strict=True):
            total += number
            yield f'{name}_bucket{{le="{bound}"}} {total}'
        yield f"{name}_sum {self._sums[name]:g}"
        yield f"{name}_count {total}"


def _written(labels: tuple[tuple[str, str], ...]) -> str:
    said = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels)
    return f"{{{said}}}" if said else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
