"""Fixtures for the tests with the real Claude Code client."""

import os
from pathlib import Path

import pytest

from tests.claude.gated import make_sandbox
from tests.cli.running import CommandSandbox

HOSTS = bool(os.environ.get("ASSENT_TEST_HOSTS"))


@pytest.fixture
def sandbox(tmp_path: Path) -> CommandSandbox:
    return make_sandbox(tmp_path)


@pytest.fixture
def require_hosts_option() -> None:
    """Only for `./dev test --hosts`: the test starts the client many times, or for long."""
    if not HOSTS:
        pytest.skip("runs with ./dev test --hosts")
