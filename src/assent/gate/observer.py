"""An observer: is told what the gate decides and what becomes of questions, and can change none of it."""

from typing import Protocol

from assent.gate.approval import Approval
from assent.gate.judge import Judged, Seat


class Observer(Protocol):
    """Looks on; what it does must be quick, for calls wait meanwhile."""

    def decided(self, seat: Seat, judged: Judged, seconds: float) -> None:
        """A call that was submitted was decided in so many seconds."""
        ...

    def asked(self, approval: Approval) -> None:
        """A question stands; the same one may be told again."""
        ...

    def answered(self, approval: Approval) -> None:
        """A person's answer was taken."""
        ...

    def ended(self, approval: Approval) -> None:
        """A question ended otherwise, or a call that was taken has run."""
        ...


class Nobody:
    """Looks at nothing."""

    def decided(self, seat: Seat, judged: Judged, seconds: float) -> None:
        """Nothing."""

    def asked(self, approval: Approval) -> None:
        """Nothing."""

    def answered(self, approval: Approval) -> None:
        """Nothing."""

    def ended(self, approval: Approval) -> None:
        """Nothing."""


NOBODY = Nobody()
