"""A moment as the tables keep it: whole microseconds, which every database compares alike."""

from datetime import UTC, datetime, timedelta

_START = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def kept(moment: datetime) -> int:
    """A moment as a number."""
    return (moment - _START) // _MICROSECOND


def moment(number: int) -> datetime:
    """The moment that a number stands for."""
    return _START + timedelta(microseconds=number)


def maybe_kept(moment: datetime | None) -> int | None:
    """A moment as a number, or nothing."""
    return None if moment is None else kept(moment)


def maybe_moment(number: int | None) -> datetime | None:
    """The moment that a number stands for, or nothing."""
    return None if number is None else moment(number)


def kept_span(span: timedelta) -> int:
    """A length of time as a number."""
    return span // _MICROSECOND


def span(number: int) -> timedelta:
    """The length of time that a number stands for."""
    return timedelta(microseconds=number)
