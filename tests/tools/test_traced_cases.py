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
    traced = TracedCases({"engine/test_lines.py::test_a_line": frozenset({case_digest(CASES["cat"])})})

    assert [name for name, node_id in CASES.items() if traced.contains(node_id)] == ["cat"]
    assert traced.contains("tests/engine/test_new.py::test_a_new_one[ls]")


def test_the_variable_traces_every_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TRACE_ALL, "1")

    assert TracedCases({"engine/test_lines.py::test_a_line": frozenset()}).contains(CASES["rm"])


def test_all_cases_of_a_test_that_lost_a_listed_case_are_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TRACE_ALL, raising=False)
    traced = TracedCases({"engine/test_lines.py::test_a_line": frozenset({case_digest(CASES["cat"])})})

    assert not traced.without_outdated_tests(CASES.values()).contains(CASES["rm"])
    assert traced.without_outdated_tests([CASES["ls"], CASES["rm"]]).contains(CASES["rm"])


def test_a_moved_test_keeps_the_digests_of_its_cases() -> None:
    assert case_digest(CASES["rm"]) == case_digest(
        "tests/engine/lines/test_moved.py::test_a_renamed_line[rm]"
    )
