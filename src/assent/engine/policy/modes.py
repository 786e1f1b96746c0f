"""Modes: how much a conversation may do without asking, as one table of effects."""

from enum import StrEnum

from assent.engine.base.tool import Effect
from assent.engine.policy.verdict import Verdict
from assent.errors import UnknownWordError


class Mode(StrEnum):
    """How much a conversation may do without asking, from the narrowest mode to the widest."""

    __hash__ = str.__hash__  # The hash of an enum is slow, and each decision needs many hashes.

    PLAN = "plan"
    DEFAULT = "default"
    ACCEPT_EDITS = "accept_edits"
    AUTO = "auto"


_RUN, _ASK, _DENY = Verdict.RUN, Verdict.ASK, Verdict.DENY

MODE_VERDICTS: dict[Mode, dict[Effect, Verdict]] = {
    mode: dict(zip(Effect, row, strict=True))
    for mode, row in {
        #                   read  edit   write  execute external destructive
        Mode.PLAN:         (_RUN, _DENY, _DENY, _DENY, _DENY, _DENY),
        Mode.DEFAULT:      (_RUN, _ASK,  _ASK,  _ASK,  _ASK,  _ASK),
        Mode.ACCEPT_EDITS: (_RUN, _RUN,  _ASK,  _ASK,  _ASK,  _ASK),
        Mode.AUTO:         (_RUN, _RUN,  _RUN,  _RUN,  _RUN,  _ASK),
    }.items()
}  # fmt: skip
"""The verdict of each mode for each effect."""

MODE_ALIASES = {
    "approve": Mode.DEFAULT,
    "manual": Mode.DEFAULT,
    "acceptEdits": Mode.ACCEPT_EDITS,
    "autonomous": Mode.AUTO,
    "bypassPermissions": Mode.AUTO,
}
"""Other accepted names of modes; people see the name that they wrote."""

_MODE_ORDER = {mode: position for position, mode in enumerate(Mode)}
"""The position of each mode, from the narrowest to the widest."""


def parse_mode(word: str) -> Mode:
    """Parse the name of a mode in a file or an option; an unknown name is an error."""
    mode = _find_mode(word)
    if mode is None:
        raise UnknownWordError("mode", word, (*Mode, *MODE_ALIASES))
    return mode


def mode_from_wire(word: object) -> Mode:
    """Parse the mode in a message; an unknown name means `default`, never a wider mode."""
    return (_find_mode(word) if isinstance(word, str) else None) or Mode.DEFAULT


def narrower_mode(mode: Mode | None, other: Mode | None) -> Mode | None:
    """The narrower of two modes; None is the widest."""
    if mode is None or other is None:
        return mode or other
    return min(mode, other, key=_MODE_ORDER.__getitem__)


def _find_mode(word: str) -> Mode | None:
    """The mode with this name or alias; None if it is unknown."""
    try:
        return Mode(word)
    except ValueError:
        return MODE_ALIASES.get(word)
