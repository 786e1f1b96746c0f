"""When a key may answer: only after the card was painted and no key was pressed for half a second."""

from collections.abc import Callable, Hashable

QUIET_SECONDS = 0.5
"""Seconds without a key that a painted card needs before it can be answered."""


class Arming:
    """The time since the card was painted and since the last key; the clock belongs to the caller."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._card: Hashable = None
        self._quiet_since: float | None = None

    def note_painted(self, card: Hashable) -> None:
        """Record that a card is on the screen; another card, or a changed one, starts the time anew."""
        if card != self._card:
            self._card = card
            self._quiet_since = self._clock()

    def note_key(self) -> None:
        """Record a key: the quiet time starts anew."""
        if self._quiet_since is not None:
            self._quiet_since = self._clock()

    def restart(self) -> None:
        """Wait until the card is painted again."""
        self._card = self._quiet_since = None

    @property
    def progress(self) -> float:
        """The part of the quiet time that has passed, from 0 to 1."""
        if self._quiet_since is None:
            return 0.0
        return min(1.0, (self._clock() - self._quiet_since) / QUIET_SECONDS)

    @property
    def is_armed(self) -> bool:
        """Whether the card on the screen may be answered."""
        return self.progress >= 1.0

    def is_armed_for(self, card: Hashable) -> bool:
        """Whether this card may be answered: it is the one on the screen."""
        return self.is_armed and card == self._card
