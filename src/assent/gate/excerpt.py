"""An excerpt: what lists and live frames carry of a question, in a bounded size."""

from typing import NamedTuple

from assent.gate.approval import Approval

SMALL = 8_000
"""Bytes up to which a question is shown whole wherever it is listed."""
LARGEST = 64_000
"""Bytes that no excerpt exceeds, whatever was asked."""


class Excerpt(NamedTuple):
    """A question as a list shows it. A person allows a call only after seeing all of it.

    INVARIANT: the arguments of a clipped one are for reading. They are never matched, decided or run.
    """

    approval: Approval
    size: int
    """Bytes of all that was asked."""
    clipped: bool = False
    """Only the beginning, the end and the parts are here; `approval` of its id has the rest."""


class Excerpts(NamedTuple):
    """Some excerpts in their order, and where the next page begins (empty at the end)."""

    excerpts: tuple[Excerpt, ...]
    after: str = ""
