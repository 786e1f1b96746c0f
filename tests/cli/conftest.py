"""Fixtures for the tests of the command line."""

import threading
from pathlib import Path

import pytest

from assent.cli import main
from tests.cli.running import Command, CommandResult, CommandSandbox


@pytest.fixture
def sandbox(tmp_path: Path) -> CommandSandbox:
    return CommandSandbox(tmp_path)


@pytest.fixture
def command(
    sandbox: CommandSandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """A function that runs a command in this process, which is faster than a new process."""
    environment = sandbox.environment()
    for name in ("ASSENT_DATABASE", "ASSENT_MODE", "ASSENT_PRESET", "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "COLUMNS", "LANG"):
        monkeypatch.setenv(name, environment[name])
    monkeypatch.chdir(sandbox.root)

    def run(*words: str) -> CommandResult:
        statuses: list[int] = []
        capsys.readouterr()
        # In a new thread, because a test that asks already runs an event loop.
        thread = threading.Thread(target=lambda: statuses.append(main(list(words))))
        thread.start()
        thread.join()
        said = capsys.readouterr()
        return CommandResult(statuses[0], said.out, said.err)

    return run
