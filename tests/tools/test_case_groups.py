"""A parallel run groups the cases of large tests, and loses none of them."""

import subprocess
import sys
from pathlib import Path

from tests.contracts.tree import ROOT

GROUPING = """
from tests.case_groups import group_cases

def pytest_collection_modifyitems(items):
    items[:] = group_cases(items, kind=lambda item: "even" if "even" in item.name else "odd")
"""
TABLES = """
import asyncio
import pytest

@pytest.mark.parametrize("number", range(30))
def test_numbers(number):
    if number == 5:
        pytest.skip("not today")
    assert number != 7

@pytest.mark.parametrize("parity", [*(f"even{n}" for n in range(12)), *(f"odd{n}" for n in range(12))])
def test_kinds(parity):
    assert parity

@pytest.mark.parametrize("number", range(12))
def test_fixtures(number, tmp_path):
    assert tmp_path.is_dir()

@pytest.mark.parametrize("number", range(2))
def test_small(number):
    pass
"""


def test_groups_run_every_case_and_name_those_that_fail(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(GROUPING, "utf-8")
    (tmp_path / "test_tables.py").write_text(TABLES, "utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--rootdir",
        str(tmp_path),
        "-c",
        "none.ini",
        "-p",
        "no:cacheprovider",
    ]
    (tmp_path / "none.ini").write_text("[pytest]\npythonpath = " + str(ROOT), "utf-8")
    run = subprocess.run([*command, str(tmp_path)], cwd=tmp_path, capture_output=True, text=True, check=False)

    # One group of numbers, two kinds, twelve tests with a fixture, and two tests that are too few.
    assert "1 failed, 16 passed" in run.stdout, run.stdout + run.stderr
    assert "2 of 30 cases failed" in run.stdout
    assert "test_tables.py::test_numbers[7]" in run.stdout
    assert "test_tables.py::test_numbers[5]" in run.stdout
    assert "not today" in run.stdout
    assert "assert 7 != 7" in run.stdout
