"""A moment as a person writes it: a date, a time, or how long ago."""

import re
from datetime import UTC, datetime, timedelta

from assent.cli.terminal import visible
from assent.errors import InputError

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def moment_of(text: str, option: str) -> datetime:
    """The moment; where no zone is written, the person's own is meant."""
    try:
        if found := re.fullmatch(r"([0-9]{1,6})([mhd])", text):
            return datetime.now(UTC) - timedelta(**{_UNITS[found[2]]: int(found[1])})
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InputError(
            f"{option} `{visible(text)}` must be a date, a time such as 2026-03-01T12:00, or 30m, 2h, 7d ago"
        ) from None


def shown(moment: datetime) -> str:
    """A moment in the person's own zone."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"
