"""What the tests of the command line share."""

import threading
from pathlib import Path

import pytest

from assent.cli import main
from tests.cli.running import Command, Place, Ran


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def command(place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command in the place, in this very process: for what needs no other one to be claimed."""
    environment = place.environment()
    for name in ("ASSENT_DATABASE", "ASSENT_MODE", "ASSENT_PRESET", "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "COLUMNS", "LANG"):
        monkeypatch.setenv(name, environment[name])
    monkeypatch.chdir(place.root)

    def run(*words: str) -> Ran:
        statuses: list[int] = []
        capsys.readouterr()
        # A thread of its own, because a test that asks has an event loop already.
        thread = threading.Thread(target=lambda: statuses.append(main(list(words))))
        thread.start()
        thread.join()
        said = capsys.readouterr()
        return Ran(statuses[0], said.out, said.err)

    return run
