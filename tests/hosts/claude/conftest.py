"""Fixtures for the tests of the fleet."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.claude.running_fleet import make_repository
from tests.serving import RunningServer, server


@pytest.fixture(scope="session")
def fleet_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("fleet")
    make_repository(home / "project")
    return home


@pytest.fixture(scope="session")
def fleet_server(fleet_home: Path) -> Iterator[RunningServer]:
    """One server for all tests of the fleet; it denies one command."""
    policy = fleet_home / "config" / "assent" / "config.toml"
    policy.parent.mkdir(parents=True, mode=0o700)
    policy.parent.chmod(0o700)
    policy.write_text('deny = ["Bash(touch *)"]\n')
    policy.chmod(0o600)
    with server(fleet_home) as running:
        yield running


@pytest.fixture
def repository(fleet_home: Path) -> Path:
    return fleet_home / "project"
