"""Long work shows its progress in a terminal only; times are parsed and printed."""

import io
import re
import sys
from datetime import UTC, datetime, timedelta, timezone

import pytest

from assent.cli.base import output
from assent.cli.base.output import ProgressLine, format_time, parse_time
from assent.errors import InputError
from tests.waiting import advance_loop_time, run_ready_tasks, wait_until_async


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


async def run_and_add_rows(line: ProgressLine, seconds: float = 0) -> str:
    line.add_rows(1200)
    await run_ready_tasks()
    advance_loop_time(seconds)
    await run_ready_tasks()
    return "done"


@pytest.fixture
def immediate_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "PROGRESS_DELAY", 0.02)


@pytest.mark.usefixtures("immediate_progress")
async def test_progress_is_shown_in_a_terminal_and_cleared_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = FakeTerminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    line = ProgressLine("counting")

    async def work_until_progress_is_shown() -> str:
        done = await run_and_add_rows(line)
        await wait_until_async(terminal.getvalue)
        return done

    assert await line.run_with_progress(work_until_progress_is_shown()) == "done"

    said = terminal.getvalue()
    assert re.match(r"\r\x1b\[Kcounting: 1,200 rows, \d+ s", said)
    assert said.endswith("\r\x1b[K")


async def test_quick_work_shows_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = FakeTerminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    line = ProgressLine("counting")

    assert await line.run_with_progress(run_and_add_rows(line)) == "done"
    assert terminal.getvalue() == ""


async def test_progress_is_not_written_to_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    line = ProgressLine("counting")

    assert await line.run_with_progress(run_and_add_rows(line, output.PROGRESS_DELAY + 1)) == "done"
    assert file.getvalue() == ""


@pytest.mark.usefixtures("immediate_progress")
async def test_the_progress_line_is_cleared_before_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = FakeTerminal()
    monkeypatch.setattr(sys, "stderr", terminal)

    async def raise_error() -> None:
        await wait_until_async(terminal.getvalue)
        raise ValueError("it broke")

    with pytest.raises(ValueError, match="it broke"):
        await ProgressLine("counting").run_with_progress(raise_error())

    assert terminal.getvalue().endswith("\r\x1b[K")


@pytest.mark.parametrize(
    ("text", "span"), [("30m", timedelta(minutes=30)), ("2h", timedelta(hours=2)), ("7d", timedelta(days=7))]
)
def test_a_duration_is_parsed_as_a_time_before_now(text: str, span: timedelta) -> None:
    moment = parse_time(text, "--since")
    passed = datetime.now(UTC) - moment

    assert span <= passed < span + timedelta(minutes=1)


def test_a_time_without_a_zone_is_local_time() -> None:
    assert parse_time("2026-03-01", "--since") == datetime(2026, 3, 1).astimezone(UTC)
    assert parse_time("2026-03-01T12:30", "--since") == datetime(2026, 3, 1, 12, 30).astimezone(UTC)


def test_a_written_time_zone_is_used() -> None:
    east = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=2)))

    assert parse_time("2026-03-01T12:00+02:00", "--since") == east


@pytest.mark.parametrize(
    "text", ["", "yesterday", "5", "5 d", "2026-13-01", "9999999d", "999999d", "-3d", "\x1b[2J"]
)
def test_another_text_is_refused_with_examples(text: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_time(text, "--since")

    assert "must be a date, a time such as" in str(raised.value)
    assert "\x1b" not in str(raised.value)


def test_a_time_is_shown_in_the_local_zone() -> None:
    moment = datetime(2026, 3, 1, 12, tzinfo=UTC)

    assert format_time(moment) == f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"
