"""Runs the many cases of one test together in a parallel run.

Most cases of a large table need less time than pytest and its worker processes need to manage one test. In a
parallel run, cases without fixtures therefore run in groups. A group runs all its cases, and reports each case
that fails. Otherwise, each case is a test of its own.
"""

import inspect
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

MIN_CASES = 10
"""A test with fewer cases is not grouped."""
MAX_CASES = 200
"""More cases than this make several groups, which different processes can run."""
MAX_REPORTED_FAILURES = 10


class CasesFailedError(Exception):
    """Some cases of a group failed."""

    def __init__(
        self, failures: Sequence[tuple[pytest.Function, pytest.ExceptionInfo[BaseException]]]
    ) -> None:
        super().__init__(f"{len(failures)} cases failed")
        self.failures = failures


class CaseGroup(pytest.Item):
    """Cases of one test that run as one item."""

    def __init__(self, *, cases: list[pytest.Function], **more: Any) -> None:
        super().__init__(**more)
        self.cases = cases
        self.user_properties.extend(cases[0].user_properties)

    def runtest(self) -> None:
        failures = list(self._failures())
        if failures:
            raise CasesFailedError(failures)

    def _failures(self) -> Iterator[tuple[pytest.Function, pytest.ExceptionInfo[BaseException]]]:
        for case in self.cases:
            try:
                case.obj(**case.callspec.params)
            except (Exception, pytest.fail.Exception, pytest.skip.Exception):  # noqa: BLE001
                # A skipped case fails: nobody would see that it did not run.
                yield case, pytest.ExceptionInfo.from_current()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: object) -> str:
        if not isinstance(excinfo.value, CasesFailedError):
            return str(super().repr_failure(excinfo))
        failures = excinfo.value.failures
        shown = [
            f"{case.nodeid}\n{case.repr_failure(error)}" for case, error in failures[:MAX_REPORTED_FAILURES]
        ]
        names = [case.nodeid for case, _ in failures[MAX_REPORTED_FAILURES:]]
        return "\n\n".join([f"{len(failures)} of {len(self.cases)} cases failed", *shown, *names])

    def reportinfo(self) -> tuple[Path, int | None, str]:
        path, line, _ = self.cases[0].reportinfo()
        return Path(path), line, self.name


def group_cases(items: Iterable[pytest.Item], kind: Callable[[pytest.Item], Any]) -> list[pytest.Item]:
    """Replace the cases of each test with many cases by groups, in the order of their kinds.

    The cases of a group are of the same kind.
    """
    found: dict[Hashable, list[pytest.Item]] = defaultdict(list)
    for item in items:
        found[(item.parent, item.originalname) if _can_be_grouped(item) else item].append(item)
    return [grouped for same in found.values() for grouped in _group_by_kind(same, kind)]


def _group_by_kind(same: list[pytest.Item], kind: Callable[[pytest.Item], Any]) -> Iterator[pytest.Item]:
    if len(same) < MIN_CASES:
        yield from same
        return
    kinds: dict[Any, list[pytest.Item]] = defaultdict(list)
    for item in same:
        kinds[kind(item)].append(item)
    for _, cases in sorted(kinds.items()):
        for begin in range(0, len(cases), MAX_CASES):
            yield _make_group(cases[begin : begin + MAX_CASES])


def _make_group(items: list[pytest.Item]) -> pytest.Item:
    cases = [item for item in items if isinstance(item, pytest.Function)]
    name = f"{cases[0].originalname}[{len(cases)} cases from {cases[0].callspec.id}]"
    return CaseGroup.from_parent(cases[0].parent, name=name, cases=cases)


def _can_be_grouped(item: pytest.Item) -> bool:
    """Whether this is a case of a plain function that gets nothing but the values of its case."""
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return False
    if inspect.iscoroutinefunction(item.obj) or hasattr(item.obj, "hypothesis"):
        return False
    if set(item.fixturenames) != set(item.callspec.params) or isinstance(item.parent, pytest.Class):
        return False
    if any(item.get_closest_marker(name) for name in ("skip", "skipif", "xfail", "usefixtures")):
        return False
    manager = item.session._fixturemanager
    return not any(manager.getfixturedefs(name, item) for name in item.callspec.params)
