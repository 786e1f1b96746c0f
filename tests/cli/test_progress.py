"""What takes long says how far it is, to a person and nobody else."""

import asyncio
import io
import re
import sys

import pytest

from assent.cli import progress
from assent.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


async def work(shown: Progress, seconds: float = 0) -> str:
    shown.tell(1200)
    await asyncio.sleep(seconds)
    return "done"


async def noticed(terminal: Terminal) -> None:
    """Take as long as it takes to be shown."""
    while not terminal.getvalue():
        await asyncio.sleep(0.01)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.02)


@pytest.mark.usefixtures("impatient")
async def test_a_person_is_shown_how_far_it_is_and_then_nothing_is_left_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    shown = Progress("counting")

    async def long() -> str:
        done = await work(shown)
        await noticed(terminal)
        return done

    assert await shown.over(long()) == "done"

    said = terminal.getvalue()
    assert re.match(r"\r\x1b\[Kcounting: 1,200 rows, \d+ s", said)
    assert said.endswith("\r\x1b[K")


async def test_what_is_quick_needs_no_word(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    shown = Progress("counting")

    assert await shown.over(work(shown)) == "done"
    assert terminal.getvalue() == ""


@pytest.mark.usefixtures("impatient")
async def test_a_file_gets_none_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    shown = Progress("counting")

    assert await shown.over(work(shown, 0.1)) == "done"
    assert file.getvalue() == ""


@pytest.mark.usefixtures("impatient")
async def test_an_error_is_shown_on_a_line_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)

    async def fail() -> None:
        await noticed(terminal)
        raise ValueError("it broke")

    with pytest.raises(ValueError, match="it broke"):
        await Progress("counting").over(fail())

    assert terminal.getvalue().endswith("\r\x1b[K")
