"""The order of a parallel test run contains every test, and its list of long tests names existing files."""

import pytest

from tests.contracts.tree import ROOT
from tests.scheduling import LONG_TESTS, start_long_tests_first


def test_every_file_with_long_tests_exists() -> None:
    assert [name for name in LONG_TESTS if not (ROOT / name).is_file()] == []


def test_the_share_of_each_worker_begins_with_long_tests() -> None:
    ordered = start_long_tests_first("abcdefXYZ", [letter.isupper() for letter in "abcdefXYZ"], 3)

    assert "".join(ordered) == "XabYcdZef"


@pytest.mark.parametrize("workers", range(1, 6))
@pytest.mark.parametrize("items", ["", "a", "X", "XYZ", "aXbYcZd", "abcdefgh", "WXYZa"])
def test_every_test_runs_once(items: str, workers: int) -> None:
    ordered = start_long_tests_first(items, [letter.isupper() for letter in items], workers)

    assert sorted(ordered) == sorted(items)
