"""The observer counts, logs and traces each decision, without arguments."""

import json
import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from opentelemetry.trace import INVALID_SPAN_CONTEXT, NonRecordingSpan, SpanContext, TraceFlags

from assent.gate.answer import Answer, Say
from assent.gate.calls import Wait
from assent.gate.gate import TurnOptions
from assent.surfaces.http import observer
from assent.surfaces.http.api import metrics as names
from assent.surfaces.http.api.metrics import Metrics
from assent.surfaces.http.observer import JsonLogFormatter, ServerObserver, TextLogFormatter
from tests.gate.samples import ANA
from tests.gate.scene import PUT, READ, GateHarness, open_harness

SECRET = "hunter2-canary"


class Spans:
    """A tracer that records its spans."""

    def __init__(self, context: SpanContext) -> None:
        self.told: list[tuple[str, dict[str, Any]]] = []
        self._context = context

    def start_span(self, name: str, *, attributes: dict[str, Any], start_time: int) -> NonRecordingSpan:
        self.told.append((name, dict(attributes)))
        return NonRecordingSpan(self._context)


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Spans:
    found = Spans(SpanContext(0xABC, 1, is_remote=False, trace_flags=TraceFlags(1)))
    monkeypatch.setattr(observer, "tracer", found)
    return found


@pytest.fixture
def captured_log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.INFO, "assent.decisions"):
        yield caplog


async def ask_and_answer(metrics: Metrics) -> None:
    """Make a read, and a call with a secret argument that is asked and answered."""
    async with open_harness() as scene:
        _install_observer(scene, metrics)
        turn = await scene.turn()
        await turn.submit(READ)
        outcome = await turn.submit(type(PUT)(tool=PUT.tool, args={"value": SECRET}, id="put"))
        assert isinstance(outcome, Wait)
        await scene.answer(outcome.approval, Answer(say=Say.ONCE))
        await turn.resume(outcome.approval.id)


def _install_observer(scene: GateHarness, metrics: Metrics) -> None:
    scene.gate._approvals.observer = ServerObserver(metrics)


async def test_each_decision_is_counted_by_verdict_effect_mode_and_stage() -> None:
    metrics = Metrics()
    await ask_and_answer(metrics)

    lines = metrics.to_prometheus_text({}).splitlines()
    assert sorted(line for line in lines if line.startswith(f"{names.DECISIONS_TOTAL}{{")) == [
        f'{names.DECISIONS_TOTAL}{{decision="ask",effect="write",mode="default",source="mode"}} 1.0',
        f'{names.DECISIONS_TOTAL}{{decision="run",effect="read",mode="default",source="read"}} 1.0',
    ]
    assert f"{names.DECIDE_SECONDS}_count 2.0" in lines
    assert f'{names.APPROVALS_ANSWERED_TOTAL}{{answer="once"}} 1.0' in lines
    assert f"{names.APPROVAL_WAIT_SECONDS}_count 1.0" in lines


@pytest.mark.proves("T-39")
async def test_each_decision_is_one_log_line_without_arguments(
    captured_log: pytest.LogCaptureFixture,
) -> None:
    await ask_and_answer(Metrics())

    lines = [json.loads(JsonLogFormatter().format(record)) for record in captured_log.records]
    assert [(line["message"], line.get("assent.decision")) for line in lines] == [
        ("decided", "run"),
        ("decided", "ask"),
        ("asked", None),
        ("answered", None),
    ]
    assert lines[1]["gen_ai.tool.name"] == "note.put"
    assert lines[1]["assent.stage"] == "mode"
    assert SECRET not in repr([vars(record) for record in captured_log.records])
    assert all("\n" not in TextLogFormatter().format(record) for record in captured_log.records)


@pytest.mark.proves("T-39")
async def test_each_decision_records_a_span_without_arguments(
    spans: Spans, captured_log: pytest.LogCaptureFixture
) -> None:
    await ask_and_answer(Metrics())

    assert [name for name, _ in spans.told] == [
        observer.SPAN_DECIDE,
        observer.SPAN_DECIDE,
        observer.EVENT_ASKED,
        observer.EVENT_ANSWERED,
    ]
    assert spans.told[1][1][observer.DECISION] == "ask"
    assert SECRET not in repr(spans.told)
    assert {record.fields["trace_id"] for record in captured_log.records} == {f"{0xABC:032x}"}  # type: ignore[attr-defined]


async def test_without_opentelemetry_no_spans_are_recorded(
    monkeypatch: pytest.MonkeyPatch, captured_log: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(observer, "tracer", None)
    await ask_and_answer(Metrics())

    assert len(captured_log.records) == 4
    assert all("trace_id" not in record.fields for record in captured_log.records)  # type: ignore[attr-defined]


async def test_a_span_that_is_not_recorded_has_no_trace_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observer, "tracer", Spans(INVALID_SPAN_CONTEXT))
    metrics = Metrics()
    await ask_and_answer(metrics)

    assert f"{names.APPROVALS_ASKED_TOTAL} 1.0" in metrics.to_prometheus_text({})


async def test_an_expired_question_is_counted_once() -> None:
    metrics = Metrics()
    async with open_harness() as scene:
        _install_observer(scene, metrics)
        turn = await scene.gate.begin(
            ANA, agent="clerk", conversation="w", options=TurnOptions(preset="workbench")
        )
        outcome = await turn.submit(PUT)
        assert isinstance(outcome, Wait)
        scene.clock.advance(timedelta(seconds=301))
        await turn.resume(outcome.approval.id)
        await turn.resume(outcome.approval.id)

    assert f"{names.APPROVALS_EXPIRED_TOTAL} 1.0" in metrics.to_prometheus_text({}).splitlines()
