"""Chooses the test cases of the engine that are traced for coverage.

Tracing makes a test three times slower, and most rows of a large table run the same lines of the engine.
`tests/engine/traced_cases.txt` lists, for each test with many cases, the cases that together run everything
that all of them run. Every other test is always traced; so is a test that was renamed, or one of whose listed
cases no longer exists, because then the choice may miss a line.

    python -m tools.traced_cases    trace all cases, and write the file
"""

import hashlib
import os
import sqlite3
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping

from tools.spec import CACHE_FOLDER, ROOT

FILE = ROOT / "tests" / "engine" / "traced_cases.txt"
MANY = 20
"""A test with more cases than this has a line in the file."""
TRACE_ALL = "ASSENT_TRACE_ALL"
"""The environment variable that makes a test run trace every case."""

_DATA = CACHE_FOLDER / "coverage-by-case"
_ARCS = """
    select context.context, arc.file_id, arc.fromno, arc.tono
    from arc join context on context.id = arc.context_id
"""

Arc = tuple[int, int, int]


class TracedCases:
    """The cases that are traced, by test."""

    def __init__(self, cases: Mapping[str, frozenset[str]]) -> None:
        self._cases = cases

    def contains(self, node_id: str) -> bool:
        """Whether a test case is traced; every case of a test without a line in the file is."""
        if os.environ.get(TRACE_ALL):
            return True
        cases = self._cases.get(test_of(node_id))
        return cases is None or case_digest(node_id) in cases

    def without_outdated_tests(self, node_ids: Iterable[str]) -> "TracedCases":
        """The same choice without the tests that lack a listed case; `node_ids` are all cases that exist."""
        existing: dict[str, set[str]] = defaultdict(set)
        for node_id in node_ids:
            existing[test_of(node_id)].add(case_digest(node_id))
        return TracedCases({test: cases for test, cases in self._cases.items() if cases <= existing[test]})


def read_traced_cases() -> TracedCases:
    """The content of the file."""
    text = FILE.read_text("utf-8") if FILE.exists() else ""
    rows = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    return TracedCases({test: frozenset(cases) for test, *cases in rows})


def test_of(node_id: str) -> str:
    """The test of a case: its file below `tests` and its function."""
    return node_id.partition("[")[0].removeprefix("tests/")


def case_digest(node_id: str) -> str:
    """A short name of a case within its test: the ids of cases contain whole command lines."""
    return hashlib.sha256(node_id.partition("[")[2].encode()).hexdigest()[:10]


def choose_cases(arcs: Mapping[str, set[Arc]], always: Iterable[str]) -> set[str]:
    """Choose cases until everything that any case runs is run; `always` are the cases that are traced anyway.

    The case that runs most of what is missing is next, so the choice is small, but not the smallest.
    """
    missing = set[Arc]().union(*arcs.values()).difference(*(arcs[case] for case in always))
    chosen = set[str]()
    candidates = dict(arcs)
    while missing:
        candidates = {case: found for case, ran in candidates.items() if (found := ran & missing)}
        best = max(sorted(candidates), key=lambda case: len(candidates[case]))
        chosen.add(best)
        missing -= candidates[best]
    return chosen


def main() -> int:
    """Trace all cases and write the file."""
    status = _trace_everything()
    if status != 0:
        return status
    arcs = _read_arcs()
    tests: dict[str, list[str]] = defaultdict(list)
    for case in arcs:
        tests[test_of(case)].append(case)
    large = {test: cases for test, cases in tests.items() if len(cases) > MANY}
    always = [case for case in arcs if test_of(case) not in large]
    chosen = choose_cases(arcs, always)
    lines = [
        " ".join([test, *sorted(case_digest(case) for case in cases if case in chosen)])
        for test, cases in sorted(large.items())
    ]
    FILE.write_text("\n".join([*_HEAD, *lines]) + "\n", "utf-8")
    cases = sum(map(len, large.values()))
    print(f"{len(chosen)} of {cases} cases in {len(large)} tests, and {len(always)} other cases, are traced")
    return 0


_HEAD = (
    "# The cases of large tests that are traced for coverage: the test, then short digests of its cases.",
    "# Written by `./dev coverage`; do not edit.",
)


def _trace_everything() -> int:
    _DATA.unlink(missing_ok=True)
    variables = {**os.environ, "ASSENT_TEST_COVERAGE": "1", TRACE_ALL: "1", "COVERAGE_FILE": str(_DATA)}
    tests = ["pytest", "-q", "-n", "auto", "--dist", "worksteal", "tests/engine"]
    for command in (tests, ["coverage", "combine", "--quiet"]):
        done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, env=variables, check=False)
        if done.returncode != 0:
            return done.returncode
    return 0


def _read_arcs() -> dict[str, set[Arc]]:
    """For each case, the steps from line to line that it ran."""
    arcs: dict[str, set[Arc]] = defaultdict(set)
    with sqlite3.connect(_DATA) as database:
        for context, *arc in database.execute(_ARCS):
            if context:  # the empty context is the import of modules
                file, start, end = arc
                arcs[context].add((file, start, end))
    return arcs


if __name__ == "__main__":
    sys.exit(main())
