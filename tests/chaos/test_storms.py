"""Processes are killed and race each other: nothing is lost, nothing runs twice or without approval.

The short forms of `./dev chaos`; each is the long one with smaller numbers.
"""

from pathlib import Path

import pytest

from chaos import boundaries, crowd, deploys, kills, races, replays
from chaos.report import Report
from chaos.site import Site
from tests.chaos.conftest import SEED


def no_progress(_: str) -> None:
    """Ignore progress messages."""


def is_clean(report: Report) -> bool:
    """Whether every invariant holds; timing limits are not checked, because the test machine may be busy."""
    assert report.breaches == []
    return True


@pytest.mark.proves("R-1", "R-2", "R-25")
def test_workers_killed_at_any_moment_lose_nothing_and_run_nothing_twice(site: Site, store: str) -> None:
    report = kills.run_scenario(site, kills.SHORT_SIZE, SEED, store, no_progress)

    assert is_clean(report)
    assert report.tally is not None
    assert report.tally.asked >= kills.SHORT_SIZE.pending
    assert report.tally.ran > 0


@pytest.mark.proves("R-25")
def test_a_call_whose_process_dies_between_two_acts_runs_once_or_is_reported_as_claimed(
    site: Site, store: str
) -> None:
    report = boundaries.run_scenario(site, boundaries.SHORT_SIZE, SEED, store, no_progress)

    assert is_clean(report)
    assert report.missed == []


@pytest.mark.proves("R-5", "R000-32")
def test_of_two_simultaneous_answers_one_wins_and_the_other_gets_a_conflict(site: Site, store: str) -> None:
    report = races.run_scenario(site, races.SHORT_SIZE, SEED, store, no_progress)

    assert is_clean(report)
    assert report.missed == []


@pytest.mark.proves("R-6")
def test_messages_sent_three_times_by_two_processes_run_each_call_once(site: Site, store: str) -> None:
    report = replays.run_scenario(site, replays.SHORT_SIZE, SEED, store, no_progress)

    assert is_clean(report)
    assert report.missed == []


@pytest.mark.proves("R-23")
def test_a_rolling_deploy_fails_no_submit_and_keeps_open_questions(site: Site, store: str) -> None:
    report = deploys.run_scenario(site, deploys.SHORT_SIZE, SEED, store, no_progress)

    assert is_clean(report)
    assert report.missed == []


@pytest.mark.proves("R-11", "R-15")
def test_many_calls_wait_in_one_process_without_a_thread_each(site: Site, store: str) -> None:
    report = crowd.run_scenario(site, crowd.SHORT_SIZE, SEED, store, no_progress)

    assert [text for text in report.missed if "takes" not in text] == []
    assert int(report.figures["threads"]) < 10


def test_a_report_contains_the_seed_and_the_size(sqlite_site: Site, tmp_path: Path) -> None:
    report = replays.run_scenario(sqlite_site, replays.ReplaySize(calls=2), SEED, "sqlite", no_progress)

    assert report.cells()[3:7] == ("2 calls", "0", "0", "0")
    assert report.cells()[-1] == str(SEED)
