"""Traces the engine for coverage, only while the tests that count for it run.

Tracing makes Python three times slower, so the other tests run untraced. `./dev test` sets the variable
`ASSENT_TEST_COVERAGE`, and afterwards combines and reports what every test process saved.
"""

import importlib
import os
import pkgutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import _lru_cache_wrapper
from types import ModuleType
from typing import Any

import coverage
import pytest

from tests.case_groups import CaseGroup
from tools.traced_cases import TRACE_ALL, read_traced_cases

COVERAGE = "ASSENT_TEST_COVERAGE"
"""The environment variable that makes a test run measure coverage."""
ENGINE_TESTS = "tests/engine/"
UNTRACED_TESTS = (
    "engine/test_model.py",
    "engine/test_laws.py",
    "engine/bash/test_language.py::test_plain_chains_and_the_tree_give_the_same_commands",
    "engine/policy/test_rule_set.py::test_each_of_a_hundred_thousand_rules_matches_quickly",
    "engine/programs/test_catalog.py::test_an_unlisted_flag_is_refused_short_long_bundled_or_abbreviated",
    "engine/programs/test_catalog.py::test_an_unlisted_flag_is_refused_behind_the_operands_too",
    "engine/programs/test_catalog.py::test_the_same_holds_for_flags_before_a_sub_command",
    "engine/test_details.py::test_every_verdict_is_the_same_with_and_without_the_table",
    "engine/test_details.py::test_the_pieces_of_every_corpus_line_are_the_line_and_cut_no_word",
)
"""Files and tests that decide many thousand calls in a loop, whose lines other tests run, too."""


class EngineCoverage:
    """A plugin of pytest that traces the engine while it is imported and while chosen tests run."""

    def __init__(self) -> None:
        self._coverage = coverage.Coverage(data_suffix=True)
        self._cases = read_traced_cases()
        self._keeps_cases = bool(os.environ.get(TRACE_ALL))
        self._last_was_traced = False
        with self._trace_block():
            modules = _import_engine()
        self._caches = list(_find_caches(modules))

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Trace all cases of a test whose cases changed since they were chosen."""
        self._cases = self._cases.without_outdated_tests(item.nodeid for item in items)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Trace a test with its fixtures, if it counts for coverage.

        The engine forgets what untraced tests made it remember: it would not run the same lines again.
        """
        previous, self._last_was_traced = self._last_was_traced, self.counts_for_coverage(item)
        if not self._last_was_traced:
            return (yield)
        if not previous:
            for cache in self._caches:
                cache.cache_clear()
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

    def counts_for_coverage(self, item: pytest.Item) -> bool:
        """Whether a test is traced; the cases of a group are all traced, or none is."""
        if isinstance(item, CaseGroup):
            return self.counts_for_coverage(item.cases[0])
        if not item.nodeid.startswith(ENGINE_TESTS):
            return False
        if item.nodeid.removeprefix("tests/").startswith(UNTRACED_TESTS):
            return False
        return self._cases.contains(item.nodeid)


def _import_engine() -> list[ModuleType]:
    """Import all modules of the engine, because lines outside of functions run only then."""
    engine = importlib.import_module("assent.engine")
    found = pkgutil.walk_packages(engine.__path__, "assent.engine.")
    return [importlib.import_module(one.name) for one in found]


def _find_caches(modules: Iterable[ModuleType]) -> Iterator["_lru_cache_wrapper[Any]"]:
    """The functions of modules that remember their results."""
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, _lru_cache_wrapper) and value.__module__ == module.__name__:
                yield value
