"""Fixtures for the tests with the real Claude Code client."""

import os
from pathlib import Path

import pytest

from tests.claude.gated import make_place
from tests.cli.running import CommandPlace

HOSTS = bool(os.environ.get("ASSENT_TEST_HOSTS"))


@pytest.fixture
def place(tmp_path: Path) -> CommandPlace:
    return make_place(tmp_path)


@pytest.fixture
def hosts() -> None:
    """Only for `./dev test --hosts`: the test starts the client many times, or for long."""
    if not HOSTS:
        pytest.skip("runs with ./dev test --hosts")
