"""PostgreSQL is restarted or its notifications are lost: waiting callers are still woken."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from chaos import cuts, notices, restarts
from chaos.postgres import LocalPostgres
from chaos.site import Site
from tests.chaos.conftest import SEED
from tests.chaos.test_storms import is_clean, no_progress


@pytest.fixture(scope="module")
def server() -> Iterator[LocalPostgres]:
    """A server of this test, because it is restarted."""
    with TemporaryDirectory(prefix="assent-chaos-") as directory:
        os.chmod(directory, 0o755)  # The server runs as a user of its own.
        server = LocalPostgres(Path(directory, "server"))
        yield server
        server.stop()


@pytest.mark.proves("R-3")
def test_a_database_restart_delays_answers_and_loses_none(server: LocalPostgres, tmp_path: Path) -> None:
    site = Site(address=server.address, directory=tmp_path)

    report = restarts.run_scenario(site, server, restarts.SHORT_SIZE, SEED, no_progress)

    assert is_clean(report)
    assert [text for text in report.missed if "woken" not in text] == []


@pytest.mark.proves("R-4")
def test_answers_arrive_with_the_next_poll_if_notifications_are_lost(
    server: LocalPostgres, tmp_path: Path
) -> None:
    site = Site(address=server.address, directory=tmp_path)

    report = notices.run_scenario(site, server, notices.SHORT_SIZE, SEED, no_progress)

    assert is_clean(report)
    assert [text for text in report.missed if "woken" not in text] == []


@pytest.mark.proves("R-3", "R-12")
def test_a_connection_that_breaks_at_any_message_of_the_server_changes_no_outcome(
    server: LocalPostgres, tmp_path: Path
) -> None:
    site = Site(address=server.address, directory=tmp_path)

    report = cuts.run_scenario(site, server, cuts.SHORT_SIZE, SEED, no_progress)

    assert is_clean(report)
    assert report.missed == []
    assert report.tally is not None
    assert report.tally.ran + report.tally.unknown == report.tally.calls
