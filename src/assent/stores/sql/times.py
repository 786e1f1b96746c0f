"""Time in the stores: clocks that never go back, and moments as whole microseconds."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]
"""Returns the current time in UTC."""

MAX_SKEW = timedelta(days=60)
"""A timestamp further in the future than this came from a wrong clock and is ignored."""


class HostClock:
    """The host's time at the start plus the time since then; never before the newest stored timestamp."""

    def __init__(self, newest: datetime | None = None) -> None:
        now = datetime.now(UTC)
        is_believed = newest is not None and newest <= now + MAX_SKEW
        self._start = max(now, newest) if newest is not None and is_believed else now
        self._started = time.monotonic()

    def __call__(self) -> datetime:
        """The current time; setting the host's clock has no effect."""
        return self._start + timedelta(seconds=time.monotonic() - self._started)


class MonotonicClock:
    """A clock that never goes back, whatever the clock below it does."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._latest = clock()

    def __call__(self) -> datetime:
        """The clock's time, or the latest time it returned before."""
        self._latest = max(self._latest, self._clock())
        return self._latest


_START = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_micros(moment: datetime) -> int:
    """A moment as microseconds since 1970."""
    return (moment - _START) // _MICROSECOND


def from_micros(number: int) -> datetime:
    """The moment of a number of microseconds since 1970."""
    return _START + timedelta(microseconds=number)


def to_micros_or_none(moment: datetime | None) -> int | None:
    """A moment as microseconds, or None."""
    return None if moment is None else to_micros(moment)


def from_micros_or_none(number: int | None) -> datetime | None:
    """The moment of a number of microseconds, or None."""
    return None if number is None else from_micros(number)


def span_to_micros(span: timedelta) -> int:
    """A duration in microseconds."""
    return span // _MICROSECOND


def span_from_micros(number: int) -> timedelta:
    """The duration of a number of microseconds."""
    return timedelta(microseconds=number)
