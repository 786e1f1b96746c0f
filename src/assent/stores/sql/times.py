"""A clock that cannot be set back: the host's time when it starts, then the time that passed."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]
"""Says what time it is, in UTC."""

MAX_SKEW = timedelta(days=60)
"""A stamp farther ahead than this was written by a clock that was wrong, and is not believed."""


class HostClock:
    """Starts no earlier than the newest stamp that was ever written, so that nothing expired revives."""

    def __init__(self, newest: datetime | None = None) -> None:
        now = datetime.now(UTC)
        is_believed = newest is not None and newest <= now + MAX_SKEW
        self._start = max(now, newest) if newest is not None and is_believed else now
        self._started = time.monotonic()

    def __call__(self) -> datetime:
        """The time, whatever anybody does to the host's clock meanwhile."""
        return self._start + timedelta(seconds=time.monotonic() - self._started)


class MonotonicClock:
    """Any clock, without its steps back."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._latest = clock()

    def __call__(self) -> datetime:
        """The clock's time, or the latest that it ever told."""
        self._latest = max(self._latest, self._clock())
        return self._latest


_START = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_micros(moment: datetime) -> int:
    """A moment as a number."""
    return (moment - _START) // _MICROSECOND


def from_micros(number: int) -> datetime:
    """The moment that a number stands for."""
    return _START + timedelta(microseconds=number)


def to_micros_or_none(moment: datetime | None) -> int | None:
    """A moment as a number, or nothing."""
    return None if moment is None else to_micros(moment)


def from_micros_or_none(number: int | None) -> datetime | None:
    """The moment that a number stands for, or nothing."""
    return None if number is None else from_micros(number)


def span_to_micros(span: timedelta) -> int:
    """A length of time as a number."""
    return span // _MICROSECOND


def span_from_micros(number: int) -> timedelta:
    """The length of time that a number stands for."""
    return timedelta(microseconds=number)
