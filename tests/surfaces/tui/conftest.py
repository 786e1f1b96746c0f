"""What the tests of the dashboard share: a running server, its agents, and a clock that tests own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assent.errors import AssentError
from tests.serving import RunningServer, server
from tests.surfaces.tui.desk import Desk


@pytest.fixture(scope="package")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with server(tmp_path_factory.mktemp("dashboard")) as running:
        yield running


@pytest.fixture
def desk(serving: RunningServer) -> Iterator[Desk]:
    """A desk at the shared server, which has no questions and no rules."""
    found = Desk(serving)
    _clear(found)
    yield found
    _clear(found)


@pytest.fixture
def own_desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk at a server of its own, which a test may stop."""
    with server(tmp_path) as running:
        yield Desk(running)


def _clear(desk: Desk) -> None:
    for one in list(desk.client.excerpts()):
        try:
            desk.client.withdraw(one.approval.id)
        except AssentError:  # It ended by itself.
            continue
    for rule in [*desk.client.rules(), *desk.client.grants()]:
        desk.client.revoke(rule.id)
