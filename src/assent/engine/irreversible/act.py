"""An irreversible act: a kind of loss and its values.

The terminal and the web app have texts of their own for each kind.
"""

from typing import NamedTuple

from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.programs.losses import Loss

MAX_NAME_LENGTH = 120
"""The maximal length of a name; longer names are cut, and the call shows the whole text."""


class IrreversibleAct(NamedTuple):
    """One act of a call that cannot be undone."""

    loss: Loss
    kind: str = ""
    """The kind of thing that is lost, such as `namespace` or `table`."""
    name: str = ""
    """The name of the thing that is lost, if the call shows it."""


def join_names(texts: list[str]) -> str:
    """Join names to one text of limited length; an ellipsis marks an unknown piece."""
    name = " ".join(text.replace(UNKNOWN_MARK, "…") for text in texts if text)
    return name if len(name) <= MAX_NAME_LENGTH else f"{name[: MAX_NAME_LENGTH - 1]}…"
