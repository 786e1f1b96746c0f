"""The page keeps the last run of each form on each store."""

from dataclasses import replace
from pathlib import Path

import pytest

from chaos import page
from chaos.invariants import Breach
from chaos.report import Report, percentile, summarize_seconds

REPORT = Report(
    scenario="kill -9", faults="R-1", store="sqlite", size="5 kills", seed=7, figures={"ran": "3"}
)


@pytest.fixture
def report_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "reliability.md"
    path.write_text("# Head\n\n<!-- the last runs -->\n\n<!-- end of the runs -->\n\nTail\n")
    monkeypatch.setattr(page, "PAGE", path)
    return path


def table_rows(path: Path) -> list[list[str]]:
    lines = [line for line in path.read_text().split("\n") if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_a_report_replaces_the_previous_one_and_keeps_the_others(report_page: Path) -> None:
    page.write_results([REPORT, replace(REPORT, store="postgresql")])
    page.write_results([replace(REPORT, size="500 kills")])

    assert [row[:4] for row in table_rows(report_page)] == [
        ["kill -9", "R-1", "postgresql", "5 kills"],
        ["kill -9", "R-1", "sqlite", "500 kills"],
    ]
    assert report_page.read_text().startswith("# Head\n\n")
    assert report_page.read_text().endswith("\n\nTail\n")


def test_breaches_and_missed_limits_are_shown(report_page: Path) -> None:
    breaches = [Breach("I3", "c", "it ran twice"), Breach("I1", "c", "nobody said yes")]

    page.write_results([replace(REPORT, breaches=breaches, missed=["too slow"])])

    (row,) = table_rows(report_page)
    assert row[4:7] == ["0", "1", "1"]
    assert row[-1] == "an invariant is broken; too slow"


def test_a_high_percentile_of_few_values_is_the_maximum() -> None:
    assert percentile([3.0, 1.0, 2.0], 0.99) == 3.0
    assert percentile(list(range(1, 101)), 0.95) == 95
    assert summarize_seconds([0.5]) == "0.50 / 0.50 / 0.50 s"
    assert summarize_seconds([]) == "none"


def test_unchecked_invariants_are_not_shown_as_kept() -> None:
    assert REPORT.cells()[4:7] == ("not checked",) * 3
    assert replace(REPORT, breaches=[]).cells()[4:7] == ("0", "0", "0")
