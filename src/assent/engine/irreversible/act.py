"""An irreversible act: a code and its values, which each surface says in its own words."""

from enum import StrEnum
from typing import NamedTuple

from assent.engine.globs import HOLE

LONGEST_NAME = 120
"""A name that is longer is cut: the whole text stands in the call."""


class Loss(StrEnum):
    """What cannot be got back."""

    DELETES = "deletes"
    """The thing of this kind and name."""
    DELETES_ALL = "deletes-all"
    """Everything of this kind, or in what is named."""
    DESTROYS = "destroys"
    """All that the program of this kind manages, here or in what is named."""
    REMOVES_FILES = "removes-files"
    DISCARDS_CHANGES = "discards-changes"
    """Work that was not committed."""
    REMOVES_UNTRACKED = "removes-untracked"
    ERASES_HISTORY = "erases-history"
    OVERWRITES_REMOTE = "overwrites-remote"
    """What others pushed there."""
    PUBLISHES = "publishes"
    UNPUBLISHES = "unpublishes"
    EMPTIES = "empties"
    CHANGES_ALL = "changes-all"
    """Every row of the named table."""
    ERASES = "erases"
    """Overwrites a disk or a file so that nothing of it is left."""
    MOVES_MONEY = "moves-money"
    DECLARED = "declared-destructive"
    """Its owner or an administrator says so of the named tool."""


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
