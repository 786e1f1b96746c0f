"""An irreversible act: a code and its values; each surface has its own text for it."""

from typing import NamedTuple

from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.programs.losses import Loss

LONGEST_NAME = 120
"""Longer names are cut; the call shows the whole text."""


class IrreversibleAct(NamedTuple):
    """One thing that a call would do and that cannot be undone."""

    loss: Loss
    kind: str = ""
    """The kind of thing that is lost: `namespace`, `table`."""
    name: str = ""
    """The name of the thing that is lost, if the call shows it."""


def join_names(texts: list[str]) -> str:
    """The names of things as one text of bounded length; an ellipsis marks an unknown piece."""
    name = " ".join(text.replace(UNKNOWN_MARK, "…") for text in texts if text)
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
