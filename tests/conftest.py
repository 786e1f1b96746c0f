"""What every test shares: hypothesis profiles, and the bookkeeping of what each test proves."""

import gc
import importlib
import json
import os
import pkgutil
from collections import defaultdict
from pathlib import Path

import hypothesis
import pytest
from hypothesis.database import DirectoryBasedExampleDatabase

import assent.engine
from tests.aio import pytest_pyfunc_call
from tools import spec
from tools.traced_cases import read_traced_cases

__all__ = ["pytest_pyfunc_call"]

# What every store promises fails as clearly as any test, though its modules are not named like tests.
pytest.register_assert_rewrite("tests.stores.promises")

IS_DEEP_RUN = bool(os.environ.get("ASSENT_TEST_DEEP"))
COVERED_FOLDER = "/tests/engine/"
NOT_COVERED_FILES = ("engine/test_model.py", "engine/test_laws.py")
"""Coverage counts what the tests of the engine run, except those with many thousand cases that others cover:
it makes tests three times slower. Of other large tests, `tools/traced_cases.py` chooses the cases that count."""

HYPOTHESIS_EXAMPLES = DirectoryBasedExampleDatabase(Path(spec.CACHE_FOLDER, "hypothesis"))

hypothesis.settings.register_profile("quick", deadline=None, derandomize=True, database=None)
hypothesis.settings.register_profile("deep", deadline=None, max_examples=5_000, database=HYPOTHESIS_EXAMPLES)
hypothesis.settings.load_profile("deep" if IS_DEEP_RUN else "quick")


@pytest.fixture(scope="session")
def deep() -> bool:
    """Whether this run may take its time (`./dev test --deep`)."""
    return IS_DEEP_RUN


def proving_tests_by_id(items: list[pytest.Item], marker: str = "proves") -> dict[str, list[str]]:
    """For each number of docs/spec the tests with such a marker for it."""
    proofs: dict[str, list[str]] = defaultdict(list)
    for item in items:
        for mark in item.iter_markers(marker):
            for number in mark.args:
                proofs[number].append(_test_name(item))
    return {number: sorted(set(tests)) for number, tests in sorted(proofs.items())}


def _test_name(item: pytest.Item) -> str:
    """The file and function of a test; each case of a golden table has a name of its own."""
    name = item.nodeid.removeprefix("tests/")
    return name if name.startswith("golden/") else name.partition("[")[0]


def pytest_sessionstart() -> None:
    # CPython 3.11 may fail ("AST constructor recursion depth mismatch") where garbage is collected while
    # a test's syntax tree is made. Collecting tests takes seconds: until it is done, garbage waits.
    gc.disable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    known = spec.known_ids()
    traced = read_traced_cases()
    for item in items:
        claimed = [number for mark in item.iter_markers("proves") for number in mark.args]
        supported = [number for mark in item.iter_markers("supports") for number in mark.args]
        if both := sorted(set(claimed) & set(supported)):
            raise pytest.UsageError(f"{item.nodeid} both proves and supports {both}")
        if unknown := sorted({*claimed, *supported} - known):
            raise pytest.UsageError(f"{item.nodeid} names {unknown}, which docs/spec does not list")
        # Travels with the report from an xdist worker to the process that counts.
        item.user_properties.append(("proves", claimed))
        path = item.path.as_posix()
        if COVERED_FOLDER not in path or path.endswith(NOT_COVERED_FILES) or not traced.contains(item.nodeid):
            item.add_marker("no_cover")


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.enable()
    if session.config.pluginmanager.hasplugin("_cov"):
        _import_engine()
    if session.config.option.collectonly:
        spec.CACHE_FOLDER.mkdir(exist_ok=True)
        marked = {marker: proving_tests_by_id(session.items, marker) for marker in spec.MARKERS}
        spec.COLLECTED_PROOFS_FILE.write_text(json.dumps(marked), "utf-8")


def _import_engine() -> None:
    """Import all modules of the engine while coverage traces: many are loaded in tests that are not traced."""
    for module in pkgutil.walk_packages(assent.engine.__path__, "assent.engine."):
        importlib.import_module(module.name)


class _ProofCollector:
    """A number is proven when a test that claims it has passed and none has failed."""

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
    is_worker = hasattr(config, "workerinput")
    if not is_worker and not config.option.collectonly:
        config.pluginmanager.register(_ProofCollector())
