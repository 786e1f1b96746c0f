"""An irreversible act: a code and its values, which each surface says in its own words."""

from typing import NamedTuple

from assent.engine.globs import HOLE
from assent.engine.programs.program import Loss

LONGEST_NAME = 120
"""A name that is longer is cut: the whole text stands in the call."""


class Irreversible(NamedTuple):
    """One thing that a call would do and nobody can undo."""

    loss: Loss
    kind: str = ""
    """What sort of thing is lost, in a word of its own field: `namespace`, `table`."""
    name: str = ""
    """Which one, as far as the call says."""


def to_name(texts: list[str]) -> str:
    """The names of things as one text of bounded length; what cannot be known is an ellipsis."""
    name = " ".join(text.replace(HOLE, "…") for text in texts if text)
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
