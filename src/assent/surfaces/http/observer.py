"""Observes the gate: a metric, a log line and a trace span for each decision, without arguments."""

import json
import logging
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from assent.gate.approval import Approval, State
from assent.gate.calls import DecidedCall, TurnContext
from assent.surfaces.http.api import metrics as names
from assent.surfaces.http.api.metrics import Metrics

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

try:
    from opentelemetry.trace import get_tracer
except ImportError:  # The extra `otel` is not installed, so no spans are recorded.
    tracer: "Tracer | None" = None
else:
    tracer = get_tracer("assent")

_log = logging.getLogger("assent.decisions")
_NANOSECONDS_PER_SECOND = 1_000_000_000

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


class ServerObserver:
    """Counts, logs and traces decisions and approvals."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def on_decision(self, context: TurnContext, decided: DecidedCall, seconds: float) -> None:
        """Count and log a decision, and record a span for it."""
        decision, effect = decided.decision, decided.tool.effect
        self._metrics.increment_counter(
            names.DECISIONS_TOTAL,
            decision=decision.verdict.word,
            effect=effect or "undeclared",
            mode=context.mode_name or "none",
            source=decision.stage.value,
        )
        self._metrics.add_observation(names.DECIDE_SECONDS, seconds)
        attributes = _decision_attributes(context, decided)
        trace_id = _record_span(SPAN_DECIDE, attributes, seconds)
        _write_log("decided", {**attributes, "seconds": round(seconds, 6)}, trace_id)

    def on_question(self, approval: Approval) -> None:
        """Count and log a new approval."""
        self._metrics.increment_counter(names.APPROVALS_ASKED_TOTAL)
        _write_log(
            "asked", _approval_attributes(approval), _record_span(EVENT_ASKED, _approval_attributes(approval))
        )

    def on_answer(self, approval: Approval) -> None:
        """Count and log an answer, and record how long the person took."""
        kind = "none" if approval.answer is None else approval.answer.say.value
        self._metrics.increment_counter(names.APPROVALS_ANSWERED_TOTAL, answer=kind)
        if approval.answered_at is not None:
            waited = (approval.answered_at - approval.asked_at).total_seconds()
            self._metrics.add_observation(names.APPROVAL_WAIT_SECONDS, waited)
        _write_log(
            "answered",
            _approval_attributes(approval),
            _record_span(EVENT_ANSWERED, _approval_attributes(approval)),
        )

    def on_end(self, approval: Approval) -> None:
        """Log the end of an approval; an expired approval is counted."""
        trace_id = ""
        if approval.state is State.EXPIRED:
            self._metrics.increment_counter(names.APPROVALS_EXPIRED_TOTAL)
            trace_id = _record_span(EVENT_EXPIRED, _approval_attributes(approval))
        _write_log("ended", _approval_attributes(approval), trace_id)


class TextLogFormatter(logging.Formatter):
    """Formats log records as text lines; the attributes of a decision follow the message."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - as logging calls it
        """Format one log record."""
        fields: Mapping[str, object] = getattr(record, "fields", {})
        words = [f"{name}={json.dumps(value)}" for name, value in fields.items()]
        return " ".join([super().formatMessage(record), *words])

    def formatException(self, ei: object) -> str:  # noqa: ARG002, N802 - as logging calls it
        """Returns no text, because the message of an exception may contain an argument."""
        return ""


class JsonLogFormatter(logging.Formatter):
    """Formats log records as JSON lines; the attributes of a decision are members of the object."""

    def format(self, record: logging.LogRecord) -> str:
        """Format one log record."""
        members: dict[str, object] = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{record.msecs:03.0f}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info and record.exc_info[0] is not None:
            # Only the class, because the message of an exception may contain an argument.
            members["error"] = record.exc_info[0].__name__
        return json.dumps(members | getattr(record, "fields", {}))


def _decision_attributes(context: TurnContext, decided: DecidedCall) -> dict[str, str]:
    """The attributes of a decision; none of them contains an argument."""
    decision = decided.decision
    return {
        OPERATION: EXECUTE_TOOL,
        TOOL_NAME: decided.call.tool,
        CALL_ID: decided.call.id,
        AGENT_ID: context.agent,
        CONVERSATION_ID: context.conversation.id,
        DECISION: decision.verdict.word,
        STAGE: decision.stage.value,
        # The location of the rule, because its text may contain an argument.
        RULE: decided.rule_origin,
        MODE: context.mode_name,
        EFFECT: decided.tool.effect or "",
    }


def _approval_attributes(approval: Approval) -> dict[str, str]:
    return {
        TOOL_NAME: approval.call.tool,
        CALL_ID: approval.call.id,
        AGENT_ID: approval.call.agent,
        CONVERSATION_ID: approval.call.conversation,
        APPROVAL_ID: approval.id,
        STATE: approval.state.value,
    }


def _record_span(name: str, attributes: Mapping[str, str], seconds: float = 0.0) -> str:
    """Record a span that ends now; returns the trace id, or an empty text without tracing."""
    if tracer is None:
        return ""
    now = time.time_ns()
    span = tracer.start_span(
        name, attributes=attributes, start_time=now - int(seconds * _NANOSECONDS_PER_SECOND)
    )
    span.end(now)
    context = span.get_span_context()
    return f"{context.trace_id:032x}" if context.is_valid else ""


def _write_log(message: str, attributes: Mapping[str, object], trace_id: str) -> None:
    if not _log.isEnabledFor(logging.INFO):
        return
    fields = {**attributes, "trace_id": trace_id} if trace_id else dict(attributes)
    _log.info("%s", message, extra={"fields": fields})
