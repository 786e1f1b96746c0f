"""When a key may answer: only after the card was painted and no key was pressed for half a second."""

from collections.abc import Callable, Hashable

QUIET_SECONDS = 0.5
"""Seconds without a key that a painted card needs before it can be answered."""


class Arming:
    """Measures the time since the card appeared and since the last key press; the caller passes the clock."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._card: Hashable = None
        self._quiet_since: float | None = None

    def record_painted_card(self, card: Hashable) -> None:
        """Record that a card is on the screen; a different or changed card restarts the delay."""
        if card != self._card:
            self._card = card
            self._quiet_since = self._clock()

    def record_key_press(self) -> None:
        """Record a key press, which restarts the delay."""
        if self._quiet_since is not None:
            self._quiet_since = self._clock()

    def restart_arming(self) -> None:
        """Restart the delay: wait until the card is painted again."""
        self._card = self._quiet_since = None

    @property
    def arming_progress(self) -> float:
        """The part of the delay that has passed, from 0 to 1."""
        if self._quiet_since is None:
            return 0.0
        return min(1.0, (self._clock() - self._quiet_since) / QUIET_SECONDS)

    @property
    def is_armed(self) -> bool:
        """Whether a key may answer the card on the screen."""
        return self.arming_progress >= 1.0

    def is_armed_for(self, card: Hashable) -> bool:
        """Whether a key may answer this card: it is on the screen and the delay has passed."""
        return self.is_armed and card == self._card
