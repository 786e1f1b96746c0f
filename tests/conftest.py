"""What every test shares: hypothesis profiles, and the bookkeeping of what each test proves."""

import gc
import json
import os
from collections import defaultdict
from functools import partial
from itertools import chain
from pathlib import Path

import hypothesis
import pytest
from hypothesis.database import DirectoryBasedExampleDatabase

from tests.aio import pytest_pyfunc_call
from tests.case_groups import CaseGroup, group_cases
from tests.engine_coverage import COVERAGE, EngineCoverage
from tests.idle import wait_until_process_is_idle
from tests.scheduling import LONG_TESTS, start_long_tests_first
from tools import spec
from tools.traced_cases import TRACE_ALL

__all__ = ["pytest_pyfunc_call"]

# What every store promises fails as clearly as any test, though its modules are not named like tests.
pytest.register_assert_rewrite("tests.stores.promises")

IS_DEEP_RUN = bool(os.environ.get("ASSENT_TEST_DEEP"))

HYPOTHESIS_EXAMPLES = DirectoryBasedExampleDatabase(Path(spec.CACHE_FOLDER, "hypothesis"))

# No limit depends on the clock: on a busy machine, generating a case may take long.
UNLIMITED_TIME = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("quick", UNLIMITED_TIME, derandomize=True, database=None)
hypothesis.settings.register_profile("deep", UNLIMITED_TIME, max_examples=5_000, database=HYPOTHESIS_EXAMPLES)
hypothesis.settings.load_profile("deep" if IS_DEEP_RUN else "quick")


@pytest.fixture(scope="session")
def is_deep_run() -> bool:
    """Whether this is a long test run (`./dev test --deep`)."""
    return IS_DEEP_RUN


def proving_tests_by_id(items: list[pytest.Item], marker: str = "proves") -> dict[str, list[str]]:
    """For each requirement of docs/spec, the tests that have this marker with its number."""
    proofs: dict[str, list[str]] = defaultdict(list)
    cases = chain.from_iterable(one.cases if isinstance(one, CaseGroup) else [one] for one in items)
    for case in cases:
        for mark in case.iter_markers(marker):
            for number in mark.args:
                proofs[number].append(_test_name(case))
    return {number: sorted(set(tests)) for number, tests in sorted(proofs.items())}


def _test_name(item: pytest.Item) -> str:
    """The file and function of a test; each case of a golden table has a name of its own."""
    name = item.nodeid.removeprefix("tests/")
    return name if name.startswith("golden/") else name.partition("[")[0]


def pytest_sessionstart() -> None:
    # CPython 3.11 may fail ("AST constructor recursion depth mismatch") where garbage is collected while
    # a test's syntax tree is made. Collecting tests takes seconds: until it is done, garbage waits.
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    known = spec.known_ids()
    for item in items:
        claimed = [number for mark in item.iter_markers("proves") for number in mark.args]
        supported = [number for mark in item.iter_markers("supports") for number in mark.args]
        if both := sorted(set(claimed) & set(supported)):
            raise pytest.UsageError(f"{item.nodeid} both proves and supports {both}")
        if unknown := sorted({*claimed, *supported} - known):
            raise pytest.UsageError(f"{item.nodeid} names {unknown}, which docs/spec does not list")
        # Travels with the report from an xdist worker to the process that counts.
        item.user_properties.append(("proves", claimed))
    if hasattr(config, "workerinput"):
        if not os.environ.get(TRACE_ALL):
            items[:] = group_cases(items, kind=partial(_kind_of_case, config))
        is_long = [item.nodeid.startswith(LONG_TESTS) for item in items]
        items[:] = start_long_tests_first(items, is_long, config.workerinput["workercount"])


def _kind_of_case(config: pytest.Config, item: pytest.Item) -> tuple[bool, str]:
    """What the cases of a group have in common: whether they are untraced, and the requirements that they prove.

    Traced cases come first: the engine remembers lines, and does not read them again while it is traced.
    """
    tracing = config.pluginmanager.get_plugin(COVERAGE)
    return tracing is None or not tracing.counts_for_coverage(item), str(item.user_properties)


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.enable()
    if session.config.option.collectonly:
        spec.CACHE_FOLDER.mkdir(exist_ok=True)
        marked = {marker: proving_tests_by_id(session.items, marker) for marker in spec.MARKERS}
        spec.COLLECTED_PROOFS_FILE.write_text(json.dumps(marked), "utf-8")


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """After the last test of a process, no thread of any test is busy: it would slow down every later test."""
    if nextitem is None:
        wait_until_process_is_idle()


class _ProofCollector:
    """Collects the proven requirements: a test with their number passed, and none failed."""

    def __init__(self) -> None:
        self.passed: set[str] = set()
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        claimed = dict(report.user_properties).get("proves", [])
        if report.failed:
            self.failed.update(claimed)
        elif report.when == "call" and report.passed:
            self.passed.update(claimed)

    def pytest_sessionfinish(self) -> None:
        spec.CACHE_FOLDER.mkdir(exist_ok=True)
        spec.PASSED_PROOFS_FILE.write_text(json.dumps(sorted(self.passed - self.failed)), "utf-8")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are processors: tests also wait for the disk and for other processes."""
    return (os.cpu_count() or 1) + 1


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get(COVERAGE):
        config.pluginmanager.register(EngineCoverage(), COVERAGE)
    is_worker = hasattr(config, "workerinput")
    if not is_worker and not config.option.collectonly:
        config.pluginmanager.register(_ProofCollector())
