"""Patience: several processes write to one SQLite file, and whoever has waited longest comes next."""

import random
import sqlite3
import time
from collections.abc import Callable

PATIENCE = 5.0
"""Seconds that a write waits for other processes to finish theirs."""
_PAUSE = 0.002
"""Seconds, about, after which somebody who has just come tries again."""
_SHORTEST = 0.0002
_AGE = 0.02
"""Seconds after which somebody tries twice as often as one who has just come; later, ever more often."""
_CROWDED = 1.0
"""Seconds for which others are taken to be about once one was met."""
_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")


class Patience:
    """Of one connection. SQLite's own tries come ever more seldom, and lose to whoever came later."""

    def __init__(self) -> None:
        self._crowded_until = 0.0

    def take(self, execute: Callable[[str], object], statement: str) -> None:
        """Run a statement that needs the file for itself, as soon as nobody else has it."""
        came = time.monotonic()
        if came < self._crowded_until:
            # Whoever has just written would be back before those who wait could see that the file is free.
            _rest(0.0)
        while not _done(execute, statement, until=came + PATIENCE):
            now = time.monotonic()
            self._crowded_until = now + _CROWDED
            _rest(now - came)


def _done(execute: Callable[[str], object], statement: str, *, until: float) -> bool:
    """Whether it worked; False while another process has the file, and there is time left."""
    try:
        execute(statement)
    except sqlite3.OperationalError as error:
        is_busy = getattr(error, "sqlite_errorname", "").startswith(_BUSY)
        if not is_busy or time.monotonic() > until:
            raise
        return False
    return True


def _rest(waited: float) -> None:
    """Let a moment pass, the shorter the longer somebody has waited, so that it is their turn."""
    # By chance, so that two do not keep meeting.
    pause = random.uniform(_PAUSE / 2, _PAUSE * 2)  # noqa: S311
    time.sleep(max(_SHORTEST, pause / (1 + waited / _AGE)))
