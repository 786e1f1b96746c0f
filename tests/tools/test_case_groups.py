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
PROOFS = """
from tests.conftest import proving_tests_by_id

def pytest_collection_finish(session):
    print(proving_tests_by_id(session.items))
"""
PROVING_TABLE = """
import pytest

@pytest.mark.proves("T-1")
@pytest.mark.parametrize("number", range(30))
def test_numbers(number):
    pass
"""


def test_groups_run_every_case_and_name_those_that_fail(tmp_path: Path) -> None:
    run = run_pytest(tmp_path, GROUPING, TABLES)

    # One group of numbers, two kinds, twelve tests with a fixture, and two tests that are too few.
    assert "1 failed, 16 passed" in run.stdout, run.stdout + run.stderr
    assert "2 of 30 cases failed" in run.stdout
    assert "test_tables.py::test_numbers[7]" in run.stdout
    assert "test_tables.py::test_numbers[5]" in run.stdout
    assert "not today" in run.stdout
    assert "assert 7 != 7" in run.stdout


def test_the_cases_of_a_group_prove_what_they_claim(tmp_path: Path) -> None:
    run = run_pytest(tmp_path, GROUPING + PROOFS, PROVING_TABLE)

    assert "1 passed" in run.stdout, run.stdout + run.stderr
    assert "{'T-1': ['test_tables.py::test_numbers']}" in run.stdout


def run_pytest(directory: Path, conftest: str, tests: str) -> subprocess.CompletedProcess[str]:
    """Run tests in a directory of their own."""
    (directory / "conftest.py").write_text(conftest, "utf-8")
    (directory / "test_tables.py").write_text(tests, "utf-8")
    (directory / "none.ini").write_text("[pytest]\npythonpath = " + str(ROOT), "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "--rootdir", str(directory), "-c", "none.ini"]
    return subprocess.run(
        [*command, "-p", "no:cacheprovider", str(directory)],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )
