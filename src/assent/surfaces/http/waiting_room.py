"""The waiting room: how many long polls and streams a server holds, so that short requests find room."""

from collections.abc import Generator
from contextlib import contextmanager

FULL = "the server has as many requests as it can take: try again in a moment"
LEAVING = {"retry-after": "1", "connection": "close"}
"""The headers of whoever is refused: the connection makes room for others, too."""


class WaitingRoom:
    """Counts who waits for long; nobody waits where others could then not be answered."""

    def __init__(self, most: int = 10_000) -> None:
        self._most = most
        self._inside = 0

    @property
    def has_room(self) -> bool:
        """Whether one more may wait."""
        return self._inside < self._most

    @contextmanager
    def entered(self) -> Generator[None]:
        """Wait inside."""
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1
