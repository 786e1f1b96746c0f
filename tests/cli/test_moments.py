"""A moment as a person writes it."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from assent.cli.moments import moment_of, shown
from assent.errors import InputError


@pytest.mark.parametrize(
    ("text", "span"), [("30m", timedelta(minutes=30)), ("2h", timedelta(hours=2)), ("7d", timedelta(days=7))]
)
def test_how_long_ago_is_a_moment(text: str, span: timedelta) -> None:
    moment = moment_of(text, "--since")
    passed = datetime.now(UTC) - moment

    assert span <= passed < span + timedelta(minutes=1)


def test_a_date_and_a_time_without_a_zone_are_the_persons_own() -> None:
    assert moment_of("2026-03-01", "--since") == datetime(2026, 3, 1).astimezone(UTC)
    assert moment_of("2026-03-01T12:30", "--since") == datetime(2026, 3, 1, 12, 30).astimezone(UTC)


def test_a_zone_that_is_written_counts() -> None:
    east = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=2)))

    assert moment_of("2026-03-01T12:00+02:00", "--since") == east


@pytest.mark.parametrize(
    "text", ["", "yesterday", "5", "5 d", "2026-13-01", "9999999d", "999999d", "-3d", "\x1b[2J"]
)
def test_anything_else_is_refused_with_what_would_do(text: str) -> None:
    with pytest.raises(InputError) as raised:
        moment_of(text, "--since")

    assert "must be a date, a time such as" in str(raised.value)
    assert "\x1b" not in str(raised.value)


def test_a_moment_is_shown_in_the_persons_own_zone() -> None:
    moment = datetime(2026, 3, 1, 12, tzinfo=UTC)

    assert shown(moment) == f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"
