"""Processes are killed and two of them race: nothing is lost, nothing happens twice, nothing runs unasked.

The short forms of `./dev chaos`; each is the long one with smaller numbers.
"""

from pathlib import Path

import pytest

from chaos import boundaries, crowd, deploys, kills, races, replays
from chaos.report import Report
from chaos.site import Site
from tests.chaos.conftest import SEED


def silent(_: str) -> None:
    """Nobody watches a test."""


def well(report: Report) -> bool:
    """Whether every invariant holds; figures are for a calm machine, which a test cannot count on."""
    assert report.breaches == []
    return True


@pytest.mark.proves("R-1", "R-2", "R-25")
def test_workers_that_are_killed_at_any_moment_lose_nothing_and_run_nothing_twice(
    site: Site, store: str
) -> None:
    report = kills.tried(site, kills.SHORT, SEED, store, silent)

    assert well(report)
    assert report.tally is not None
    assert report.tally.asked >= kills.SHORT.pending
    assert report.tally.ran > 0


@pytest.mark.proves("R-25")
def test_a_call_whose_process_dies_between_two_acts_runs_once_or_is_known_to_be_taken(
    site: Site, store: str
) -> None:
    report = boundaries.tried(site, boundaries.SHORT, SEED, store, silent)

    assert well(report)
    assert report.missed == []


@pytest.mark.proves("R-5", "R000-32")
def test_of_two_who_answer_at_once_one_wins_and_the_other_is_told_so(site: Site, store: str) -> None:
    report = races.tried(site, races.SHORT, SEED, store, silent)

    assert well(report)
    assert report.missed == []


@pytest.mark.proves("R-6")
def test_messages_that_come_three_times_in_two_processes_run_each_call_once(site: Site, store: str) -> None:
    report = replays.tried(site, replays.SHORT, SEED, store, silent)

    assert well(report)
    assert report.missed == []


@pytest.mark.proves("R-23")
def test_a_rolling_deploy_fails_no_ask_and_keeps_what_is_open(site: Site, store: str) -> None:
    report = deploys.tried(site, deploys.SHORT, SEED, store, silent)

    assert well(report)
    assert report.missed == []


@pytest.mark.proves("R-11", "R-15")
def test_many_can_wait_in_one_process_without_a_thread_or_much_memory_for_each(
    site: Site, store: str
) -> None:
    report = crowd.tried(site, crowd.SHORT, SEED, store, silent)

    assert [text for text in report.missed if "takes" not in text] == []
    assert int(report.figures["threads"]) < 10


def test_the_seed_and_the_size_are_told(file: Site, tmp_path: Path) -> None:
    report = replays.tried(file, replays.Size(calls=2), SEED, "sqlite", silent)

    assert report.cells()[3:7] == ("2 calls", "0", "0", "0")
    assert report.cells()[-1] == str(SEED)
