"""A throttle on failed tries: by address and by the start of a secret, in the memory of one process."""

import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable

from assent.errors import ThrottledError

TRIES = 10
WINDOW = 60.0
"""Seconds in which so many tries may fail."""
_MOST = 10_000
"""Sources that are remembered; of more, those that failed longest ago are forgotten."""


class Throttle:
    """Counts what failed. Each process counts for itself, so that many pods allow as many times more."""

    def __init__(
        self, *, tries: int = TRIES, window: float = WINDOW, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._tries = tries
        self._window = window
        self._clock = clock
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()

    def check(self, *sources: str) -> None:
        """Refuse whoever failed too often of late."""
        wait = max((self._wait(source) for source in sources if source), default=0.0)
        if wait > 0:
            raise ThrottledError(math.ceil(wait))

    def failed(self, *sources: str) -> None:
        """Count a try that failed, for each of its sources."""
        for source in filter(None, sources):
            self._failures.setdefault(source, deque(maxlen=self._tries)).append(self._clock())
            self._failures.move_to_end(source)
        while len(self._failures) > _MOST:
            self._failures.popitem(last=False)

    def _wait(self, source: str) -> float:
        """Seconds until the oldest of the tries that count is forgotten."""
        failures = self._failures.get(source)
        if failures is None or len(failures) < self._tries:
            return 0.0
        return failures[0] + self._window - self._clock()
