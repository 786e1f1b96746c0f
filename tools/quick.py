"""Checks an uncommitted change in about a minute.

python -m tools.quick                check what differs from the last commit, or the last commit itself
python -m tools.quick --since REF    check what differs from REF
python -m tools.quick --list         print the test files that the change can affect, nearest first

It runs ruff on the changed files, mypy, and the tests that the change can affect, nearest first. It starts
no browser, and no database unless the change is in a store. After the time limit it starts no more tests,
and prints how many tests it left out.
"""

import argparse
import ast
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tools.import_graph import ImportGraph, is_test, read_graph

ROOT = Path(__file__).resolve().parent.parent
TIME_LIMIT_SECONDS = 60
FILES_PER_PYTEST_RUN = 12
"""Number of files per run of pytest, because collecting all files at once takes too long."""
BROWSER_TESTS = "tests.web."
STORE_MODULES = re.compile(r"assent\.stores\.(?!memory)")
DATABASE_PARAMETERS = frozenset({"sqlite", "postgres", "postgresql"})
PASSING_EXIT_CODES = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.INTERRUPTED)
UNKNOWN_DISTANCE = 1000
"""The distance of a test that a change can affect without an import between them."""


# ---- choosing tests -----------------------------------------------------------------------


def affected_tests(graph: ImportGraph, changed: Iterable[str]) -> list[str]:
    """The test modules that a change can affect, nearest first, without browser tests."""
    changed = list(changed)
    distances = dict.fromkeys(graph.tests_using_files_or_processes, UNKNOWN_DISTANCE) | graph.distances(
        changed
    )
    words = {word for module in changed for word in module.split(".")}
    mirrored = {mirrored_test(module) for module in changed}

    def sort_key(test: str) -> tuple[bool, int, int, bool, str]:
        own_words = set(test.replace("test_", "").split("."))
        shared = len(words & own_words)
        return (
            test not in mirrored,
            distances[test],
            -shared,
            test in graph.tests_using_files_or_processes,
            test,
        )

    return sorted(
        (one for one in distances if is_test(one) and not one.startswith(BROWSER_TESTS)), key=sort_key
    )


def mirrored_test(module: str) -> str:
    """The test module with the same path in tests/ as a module in the package."""
    *folders, name = module.split(".")[1:] or [""]
    return ".".join(["tests", *folders, f"test_{name}"])


def changed_files(since: str) -> list[Path]:
    """The files that differ from a commit; by default, the uncommitted files or those of the last commit."""
    new = _run_git("ls-files", "--others", "--exclude-standard")
    found = _run_git("diff", "--name-only", since or "HEAD") + new
    return [Path(name) for name in found or _run_git("diff", "--name-only", "HEAD~1")]


def _run_git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


# ---- running tests ------------------------------------------------------------------------


@dataclass(eq=False)
class TimeLimit:
    """A pytest plugin that starts no test after the time limit, and skips database tests if not needed."""

    ends_at: float
    with_databases: bool
    started: set[str] = field(default_factory=set)
    results: dict[str, int] = field(default_factory=lambda: {"passed": 0, "failed": 0, "skipped": 0})

    @property
    def is_over(self) -> bool:
        """Whether the time limit has passed."""
        return time.monotonic() >= self.ends_at

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Deselect database tests, unless a store was changed."""
        if self.with_databases:
            return
        left_out = [item for item in items if _needs_database(item)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Stop the run after the time limit; otherwise note that the test started."""
        if self.is_over:
            item.session.shouldstop = "the time is over"
            pytest.skip("the time is over")
        self.started.add(_function_id(item))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count passed, failed and skipped tests."""
        if report.failed or report.when == "call":
            self.results[report.outcome] += 1


def _needs_database(item: pytest.Item) -> bool:
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    chosen = {value for value in parameters.values() if isinstance(value, str)}
    return "postgres_server" in getattr(item, "fixturenames", ()) or bool(chosen & DATABASE_PARAMETERS)


def _function_id(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def run_tests(tests: Sequence[Path], limit: TimeLimit) -> bool:
    """Run test files in order until the time limit; returns whether no test failed."""
    options = ["-q", "--no-header", "--tb=short"]
    for start in range(0, len(tests), FILES_PER_PYTEST_RUN):
        if limit.is_over:
            break
        files = [str(path) for path in tests[start : start + FILES_PER_PYTEST_RUN]]
        if pytest.main([*options, *files], plugins=[limit]) not in PASSING_EXIT_CODES:
            return False
    return limit.results["failed"] == 0


def count_tests(path: Path) -> int:
    """The number of test functions in a file."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    functions = (one for one in nodes if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))
    return sum(one.name.startswith("test_") for one in functions)


# ---- the command --------------------------------------------------------------------------


def print_progress(text: str) -> None:
    """Print a line of progress to standard error."""
    print(f"quick: {text}", file=sys.stderr, flush=True)


def check_format(paths: Sequence[Path]) -> bool:
    """Whether ruff finds no problem in the files."""
    names = [str(path) for path in paths if path.suffix == ".py" and (ROOT / path).exists()]
    if not names:
        return True
    ruff = str(Path(sys.executable).with_name("ruff"))
    commands = ([ruff, "check", "--quiet", *names], [ruff, "format", "--check", "--quiet", *names])
    passed = [subprocess.run(command, cwd=ROOT, check=False).returncode == 0 for command in commands]
    print_progress(f"ruff: {'ok' if all(passed) else 'FAILED (./dev lint --fix repairs most of it)'}")
    return all(passed)


def main(arguments: Sequence[str]) -> int:
    """Check the change; return 0 if ruff, mypy and all tests passed."""
    ends_at = time.monotonic() + TIME_LIMIT_SECONDS
    parser = argparse.ArgumentParser(prog="./dev quick", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--since", metavar="REF", default="", help="the commit to compare with")
    parser.add_argument("--list", action="store_true", help="print the affected test files and run nothing")
    options = parser.parse_args(arguments)

    files = changed_files(options.since)
    graph = read_graph(ROOT)
    changed = graph.modules_of(ROOT / path for path in files)
    tests = affected_tests(graph, changed)
    paths = [graph.files[test] for test in tests]
    if options.list:
        print("\n".join(str(path.relative_to(ROOT)) for path in paths))
        return 0
    print_progress(
        f"{len(files)} changed files; the change can affect {len(tests)} of {graph.count_tests()} test files"
    )
    # mypy runs at the same time, on another core.
    mypy = subprocess.Popen([str(Path(sys.executable).with_name("mypy")), "--no-error-summary"], cwd=ROOT)
    try:
        formatted = check_format(files)
        limit = TimeLimit(ends_at, with_databases=any(STORE_MODULES.match(module) for module in changed))
        passed = run_tests(paths, limit)
        typed = mypy.wait() == 0
    finally:
        mypy.kill()
    print_progress(f"mypy: {'ok' if typed else 'FAILED'}")
    left_out = sum(map(count_tests, paths)) - len(limit.started)
    counts = ", ".join(f"{count} {outcome}" for outcome, count in limit.results.items() if count)
    print_progress(f"tests: {'ok' if passed else 'FAILED'} ({counts or 'none ran'})")
    if left_out > 0:
        print_progress(f"{left_out} tests left out: `./dev test` runs them all")
    return 0 if formatted and passed and typed else 1


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main(sys.argv[1:]))
