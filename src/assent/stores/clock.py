"""A clock that cannot be set back: the host's time when it starts, then the time that passed."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]
"""Says what time it is, in UTC."""

FARTHEST = timedelta(days=60)
"""A stamp farther ahead than this was written by a clock that was wrong, and is not believed."""


class HostClock:
    """Starts no earlier than the newest stamp that was ever written, so that nothing expired revives."""

    def __init__(self, newest: datetime | None = None) -> None:
        now = datetime.now(UTC)
        is_believed = newest is not None and newest <= now + FARTHEST
        self._start = max(now, newest) if newest is not None and is_believed else now
        self._started = time.monotonic()

    def __call__(self) -> datetime:
        """The time, whatever anybody does to the host's clock meanwhile."""
        return self._start + timedelta(seconds=time.monotonic() - self._started)


class Forward:
    """Any clock, without its steps back."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._latest = clock()

    def __call__(self) -> datetime:
        """The clock's time, or the latest that it ever told."""
        self._latest = max(self._latest, self._clock())
        return self._latest
