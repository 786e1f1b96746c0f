"""Watching the gate: a number, one wide log line and a span for each decision, never an argument."""

import json
import logging
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from assent.gate.approval import Approval, State
from assent.gate.turn_context import DecidedCall, TurnContext
from assent.surfaces.http import telemetry
from assent.surfaces.http.telemetry import Metrics

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

try:
    from opentelemetry.trace import get_tracer
except ImportError:  # The extra `otel` is not installed: no spans, and nothing else changes.
    tracer: "Tracer | None" = None
else:
    tracer = get_tracer("assent")

_log = logging.getLogger("assent.decisions")
_BILLION = 1_000_000_000


class Watch:
    """The gate's observer in a server."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def decided(self, context: TurnContext, decided: DecidedCall, seconds: float) -> None:
        """Count it, say it in one line, and leave a span."""
        decision, effect = decided.decision, decided.tool.effect
        self._metrics.count(
            telemetry.DECISIONS,
            decision=decision.verdict.word,
            effect=effect or "undeclared",
            mode=context.mode_name or "none",
            source=decision.stage.value,
        )
        self._metrics.observe(telemetry.DECIDE_SECONDS, seconds)
        said = _said(context, decided)
        trace_id = _span(telemetry.SPAN_DECIDE, said, seconds)
        _tell("decided", {**said, "seconds": round(seconds, 6)}, trace_id)

    def asked(self, approval: Approval) -> None:
        """Count a question."""
        self._metrics.count(telemetry.ASKED)
        _tell("asked", _about(approval), _span(telemetry.EVENT_ASKED, _about(approval)))

    def answered(self, approval: Approval) -> None:
        """Count an answer, and how long a person took for it."""
        said = "none" if approval.answer is None else approval.answer.say.value
        self._metrics.count(telemetry.ANSWERED, answer=said)
        if approval.answered_at is not None:
            waited = (approval.answered_at - approval.asked_at).total_seconds()
            self._metrics.observe(telemetry.WAIT_SECONDS, waited)
        _tell("answered", _about(approval), _span(telemetry.EVENT_ANSWERED, _about(approval)))

    def ended(self, approval: Approval) -> None:
        """Say how it ended; what expired is counted."""
        trace_id = ""
        if approval.state is State.EXPIRED:
            self._metrics.count(telemetry.EXPIRED)
            trace_id = _span(telemetry.EVENT_EXPIRED, _about(approval))
        _tell("ended", _about(approval), trace_id)


class TextLines(logging.Formatter):
    """Log records as lines of text; a decision's own fields follow the message."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - as logging calls it
        """One record."""
        said: Mapping[str, object] = getattr(record, "said", {})
        words = [f"{name}={json.dumps(value)}" for name, value in said.items()]
        return " ".join([super().formatMessage(record), *words])

    def formatException(self, ei: object) -> str:  # noqa: ARG002, N802 - as logging calls it
        """Nothing of it: what an exception says may be what somebody typed."""
        return ""


class JsonLines(logging.Formatter):
    """Log records as lines of JSON; a decision's own fields stand beside the message."""

    def format(self, record: logging.LogRecord) -> str:
        """One record."""
        said: dict[str, object] = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{record.msecs:03.0f}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info and record.exc_info[0] is not None:
            # The kind and nothing else: what an exception says may be what somebody typed.
            said["error"] = record.exc_info[0].__name__
        return json.dumps(said | getattr(record, "said", {}))


def _said(context: TurnContext, decided: DecidedCall) -> dict[str, str]:
    """A decision in its own words, none of which is an argument or made of one."""
    decision = decided.decision
    return {
        telemetry.OPERATION: telemetry.EXECUTE_TOOL,
        telemetry.TOOL_NAME: decided.call.tool,
        telemetry.CALL_ID: decided.call.id,
        telemetry.AGENT_ID: context.agent,
        telemetry.CONVERSATION_ID: context.conversation.id,
        telemetry.DECISION: decision.verdict.word,
        telemetry.STAGE: decision.stage.value,
        # Where the rule stands; its text may hold what a call said.
        telemetry.RULE: decided.rule_origin,
        telemetry.MODE: context.mode_name,
        telemetry.EFFECT: decided.tool.effect or "",
    }


def _about(approval: Approval) -> dict[str, str]:
    return {
        telemetry.TOOL_NAME: approval.call.tool,
        telemetry.CALL_ID: approval.call.id,
        telemetry.AGENT_ID: approval.call.agent,
        telemetry.CONVERSATION_ID: approval.call.conversation,
        telemetry.APPROVAL_ID: approval.id,
        telemetry.STATE: approval.state.value,
    }


def _span(name: str, said: Mapping[str, str], seconds: float = 0.0) -> str:
    """Leave a span that ends now, under whatever span is open; the id of its trace, if there is one."""
    if tracer is None:
        return ""
    now = time.time_ns()
    span = tracer.start_span(name, attributes=said, start_time=now - int(seconds * _BILLION))
    span.end(now)
    context = span.get_span_context()
    return f"{context.trace_id:032x}" if context.is_valid else ""


def _tell(what: str, said: Mapping[str, object], trace_id: str) -> None:
    if not _log.isEnabledFor(logging.INFO):
        return
    fields = {**said, "trace_id": trace_id} if trace_id else dict(said)
    _log.info("%s", what, extra={"said": fields})
