"""Traces the engine for coverage, only while the tests that count for it run.

Tracing makes Python three times slower, so the other tests run untraced. `./dev test` sets the variable
`ASSENT_TEST_COVERAGE`, and afterwards combines and reports what every test process saved.
"""

import importlib
import os
import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager

import coverage
import pytest

from tools.traced_cases import TRACE_ALL, read_traced_cases

COVERAGE = "ASSENT_TEST_COVERAGE"
"""The environment variable that makes a test run measure coverage."""
ENGINE_TESTS = "tests/engine/"
UNTRACED_FILES = ("engine/test_model.py", "engine/test_laws.py")
"""Tests with many thousand cases, whose lines other tests run, too."""


class EngineCoverage:
    """A plugin of pytest that traces the engine while it is imported and while chosen tests run."""

    def __init__(self) -> None:
        self._coverage = coverage.Coverage(data_suffix=True)
        self._cases = read_traced_cases()
        self._keeps_cases = bool(os.environ.get(TRACE_ALL))
        with self._trace_block():
            _import_engine()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Trace all cases of a test whose cases changed since they were chosen."""
        self._cases = self._cases.without_outdated_tests(item.nodeid for item in items)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Trace a test with its fixtures, if it counts for coverage."""
        if not self._counts_for_coverage(item):
            return (yield)
        with self._trace_block():
            if self._keeps_cases:
                self._coverage.switch_context(item.nodeid)
            return (yield)

    def pytest_sessionfinish(self) -> None:
        """Save what this process traced."""
        self._coverage.save()

    @contextmanager
    def _trace_block(self) -> Iterator[None]:
        self._coverage.start()
        try:
            yield
        finally:
            self._coverage.stop()

    def _counts_for_coverage(self, item: pytest.Item) -> bool:
        if not item.nodeid.startswith(ENGINE_TESTS) or item.path.as_posix().endswith(UNTRACED_FILES):
            return False
        return self._cases.contains(item.nodeid)


def _import_engine() -> None:
    """Import all modules of the engine, because lines outside of functions run only then."""
    engine = importlib.import_module("assent.engine")
    for module in pkgutil.walk_packages(engine.__path__, "assent.engine."):
        importlib.import_module(module.name)
