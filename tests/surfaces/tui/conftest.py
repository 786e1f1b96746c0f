"""What the tests of the dashboard share: a running server, its agents, and a clock that tests own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assent.errors import AssentError
from tests.serving import RunningServer, server
from tests.surfaces.tui.dashboard_setup import DashboardSetup


@pytest.fixture(scope="package")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with server(tmp_path_factory.mktemp("dashboard")) as running:
        yield running


@pytest.fixture
def setup(shared_server: RunningServer) -> Iterator[DashboardSetup]:
    """A setup at the shared server, which has no questions and no rules."""
    found = DashboardSetup(shared_server)
    _clear_questions_and_rules(found)
    yield found
    _clear_questions_and_rules(found)


@pytest.fixture
def own_setup(tmp_path: Path) -> Iterator[DashboardSetup]:
    """A setup with a separate server, which a test may stop."""
    with server(tmp_path) as running:
        yield DashboardSetup(running)


def _clear_questions_and_rules(setup: DashboardSetup) -> None:
    for one in list(setup.client.excerpts()):
        try:
            setup.client.withdraw(one.approval.id)
        except AssentError:  # It ended by itself.
            continue
    for rule in [*setup.client.rules(), *setup.client.grants()]:
        setup.client.revoke(rule.id)
