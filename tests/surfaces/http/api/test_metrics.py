"""Metrics in the text format of Prometheus."""

import re

import pytest

from assent.gate.events import EventKind
from assent.surfaces.http import observer
from assent.surfaces.http.api import metrics as names
from assent.surfaces.http.api.metrics import (
    APPROVALS_PENDING,
    DECIDE_SECONDS,
    DECISIONS_TOTAL,
    HELP_TEXTS,
    HISTOGRAM_BUCKETS,
    Metrics,
)
from tests.contracts.tree import ROOT

LINE = re.compile(r"""[a-z_]+(\{[a-z]+="(?:[^"\\\n]|\\["\\n])*"(,[a-z]+="(?:[^"\\\n]|\\["\\n])*")*\})? \S+""")


def test_every_metrics_line_is_valid_prometheus_text() -> None:
    metrics = Metrics()
    metrics.increment_counter(
        DECISIONS_TOTAL, decision="run", effect='a"b\\c\nd', mode="default", source="read"
    )
    metrics.add_observation(DECIDE_SECONDS, 0.002)

    lines = metrics.to_prometheus_text({APPROVALS_PENDING: 3}).splitlines()

    assert [line for line in lines if not line.startswith("# ") and LINE.fullmatch(line) is None] == []
    assert f"{APPROVALS_PENDING} 3.0" in lines


def test_counters_are_separate_for_each_label_value() -> None:
    metrics = Metrics()
    for word in ("run", "run", "ask"):
        metrics.increment_counter(
            DECISIONS_TOTAL, decision=word, effect="read", mode="default", source="mode"
        )

    told = [line for line in metrics.to_prometheus_text({}).splitlines() if line.startswith(DECISIONS_TOTAL)]

    assert [(line.partition('"')[2].partition('"')[0], line.split()[-1]) for line in told] == [
        ("run", "2.0"),
        ("ask", "1.0"),
    ]


@pytest.mark.parametrize(("seconds", "within"), [(0.0, 11), (0.0005, 11), (0.0006, 10), (0.5, 2), (5.0, 1)])
def test_histogram_buckets_are_cumulative(seconds: float, within: int) -> None:
    metrics = Metrics()
    metrics.add_observation(DECIDE_SECONDS, seconds)
    told = [
        line
        for line in metrics.to_prometheus_text({}).splitlines()
        if line.startswith(f"{DECIDE_SECONDS}_bucket")
    ]

    assert [float(line.split()[-1]) for line in told] == [0] * (
        len(HISTOGRAM_BUCKETS[DECIDE_SECONDS]) + 1 - within
    ) + [1] * within


def test_every_metric_has_help_and_a_type() -> None:
    text = Metrics().to_prometheus_text({})

    assert [
        name for name in HELP_TEXTS if f"# HELP {name} " not in text or f"# TYPE {name} " not in text
    ] == []


def test_every_name_and_every_event_is_in_the_reference() -> None:
    public = {
        value
        for module in (names, observer)
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, str)
    }
    pages = [
        (ROOT / "docs" / "reference" / f"{page}.md").read_text("utf-8") for page in ("telemetry", "live")
    ]

    assert len(public) > 25
    assert [name for name in sorted(public) if f"`{name}`" not in pages[0]] == []
    assert [kind for kind in EventKind if f"`{kind}`" not in pages[1]] == []
