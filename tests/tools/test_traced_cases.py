"""The cases that are traced together run everything that all cases run."""

import pytest

from tools.traced_cases import TRACE_ALL, TracedCases, case_digest, choose_cases

TEST = "tests/engine/test_lines.py::test_a_line"
CASES = {name: f"{TEST}[{name}]" for name in ("ls", "cat", "rm")}


def test_every_line_that_a_case_runs_is_run_by_a_chosen_case() -> None:
    arcs = {"a": {(1, 1, 2)}, "b": {(1, 1, 2), (1, 2, 3)}, "c": {(1, 3, 4)}, "d": {(2, 1, 2)}}

    assert choose_cases(arcs, always=["d"]) == {"b", "c"}


def test_what_is_traced_anyway_needs_no_other_case() -> None:
    assert choose_cases({"a": {(1, 1, 2)}, "b": {(1, 1, 2)}}, always=["b"]) == set()


def test_only_the_listed_cases_of_a_listed_test_are_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TRACE_ALL, raising=False)
    traced = TracedCases(f"# head\nengine/test_lines.py::test_a_line {case_digest(CASES['cat'])}\n")

    assert [name for name, node_id in CASES.items() if traced.contains(node_id)] == ["cat"]
    assert traced.contains("tests/engine/test_new.py::test_a_new_one[ls]")


def test_the_variable_traces_every_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TRACE_ALL, "1")

    assert TracedCases("engine/test_lines.py::test_a_line\n").contains(CASES["rm"])
