"""Output of commands (JSON, times, progress), and parsing of times that people write."""

import asyncio
import json
import re
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import ParamSpec, TypeVar

import click

from assent.cli.base.terminal import visible_text
from assent.errors import InputError

Params = ParamSpec("Params")
Result = TypeVar("Result")

PROGRESS_DELAY = 1.0
"""Seconds of work before the progress line appears."""
_PROGRESS_INTERVAL = 0.5
_DURATION_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_DURATION_PATTERN = re.compile(r"([0-9]{1,6})([mhd])")


def json_option(function: Callable[Params, Result]) -> Callable[Params, Result]:
    """Add the option `--json` to a command."""
    return click.option("--json", "as_json", is_flag=True, help="print JSON")(function)


def print_json(value: object) -> None:
    """Print a value as one JSON document that contains only ASCII characters."""
    click.echo(json.dumps(value, indent=2).replace("\x7f", "\\u007f"))


def parse_duration(text: str) -> timedelta | None:
    """Parse a duration such as `30m`, `12h` or `7d`; None if the text is something else."""
    found = _DURATION_PATTERN.fullmatch(text)
    return None if found is None else timedelta(**{_DURATION_UNITS[found[2]]: int(found[1])})


def parse_time(text: str, option: str) -> datetime:
    """Parse a date, a time, or a duration before now; a time without a time zone is local time."""
    try:
        if (duration := parse_duration(text)) is not None:
            return datetime.now(UTC) - duration
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InputError(
            f"{option} `{visible_text(text)}` must be a date, a time such as 2026-03-01T12:00,"
            " or a duration ago such as 30m, 2h, 7d"
        ) from None


def format_time(moment: datetime) -> str:
    """A time as text in the local time zone."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"


def age_in_largest_unit(moment: datetime | None) -> str:
    """The time that has passed since a moment, in its largest unit, such as `3h`; empty for None."""
    if moment is None:
        return ""
    seconds = max(0, (datetime.now(UTC) - moment).total_seconds())
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size:.0f}{unit}"
    return f"{seconds:.0f}s"


class ProgressLine:
    """A progress line on standard error; shown only in a terminal, and cleared when the work ends."""

    def __init__(self, action: str) -> None:
        self._action = action
        self._rows = 0
        self._is_shown = False

    def add_rows(self, rows: int) -> None:
        """Add to the number of processed rows."""
        self._rows += rows

    async def run_with_progress(self, work: Awaitable[Result]) -> Result:
        """Await the work, show its progress until it ends, and return its result."""
        if not sys.stderr.isatty():
            return await work
        showing = asyncio.create_task(self._show_progress_until_cancelled())
        try:
            return await work
        finally:
            showing.cancel()
            with suppress(asyncio.CancelledError):
                await showing
            if self._is_shown:
                _write_to_stderr("\r\x1b[K")

    async def _show_progress_until_cancelled(self) -> None:
        started = time.monotonic()
        await asyncio.sleep(PROGRESS_DELAY)
        while True:
            self._is_shown = True
            rows = f"{self._rows:,} rows, " if self._rows else ""
            _write_to_stderr(f"\r\x1b[K{self._action}: {rows}{time.monotonic() - started:.0f} s")
            await asyncio.sleep(_PROGRESS_INTERVAL)


def _write_to_stderr(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
