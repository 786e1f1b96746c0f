"""Orders the tests of a parallel run, so that the longest tests start first.

A long test that starts last keeps one processor busy while the others have nothing to do.
"""

from collections.abc import Sequence
from typing import TypeVar

LONG_TESTS = (
    "tests/test_install.py",
    "tests/chaos/test_served.py",
    "tests/surfaces/http/test_contract.py",
    "tests/surfaces/http/test_overload.py",
    "tests/claude/test_fleet.py",
    "tests/hosts/chat/test_takeover.py",
    "tests/contracts/test_typing.py",
    "tests/tools/test_quick.py",
)
"""The files with the tests that take longest."""

Item = TypeVar("Item")


def start_long_tests_first(items: Sequence[Item], is_long: Sequence[bool], workers: int) -> list[Item]:
    """Order tests so that the share of each worker begins with its part of the long tests.

    `--dist worksteal` gives each worker an equal share of consecutive tests, and later moves tests from the
    end of a share to workers that have finished theirs.
    """
    long = [item for item, found in zip(items, is_long, strict=True) if found]
    short = [item for item, found in zip(items, is_long, strict=True) if not found]
    ordered: list[Item] = []
    for worker in range(workers):
        size = (len(items) - len(ordered)) // (workers - worker)
        begin = long[worker::workers]
        rest = max(0, size - len(begin))
        ordered += [*begin, *short[:rest]]
        del short[:rest]
    return [*ordered, *short]
