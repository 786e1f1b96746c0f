"""Modes: how far a conversation is trusted, as one table of effects."""

from enum import StrEnum

from assent.engine.base.tool import Effect
from assent.engine.policy.verdict import Verdict
from assent.errors import UnknownWordError


class Mode(StrEnum):
    """How far a conversation is trusted, from the narrowest to the widest."""

    __hash__ = str.__hash__  # the hash of an enum is slow, and every decision needs many

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
"""Other names that are accepted everywhere; the name that a person wrote is the one shown."""

_ORDER = {mode: position for position, mode in enumerate(Mode)}


def parse_mode(word: str) -> Mode:
    """Parse the mode in a file or a flag; an unknown name is an error."""
    mode = _find_mode(word)
    if mode is None:
        raise UnknownWordError("mode", word, (*Mode, *MODE_ALIASES))
    return mode


def mode_from_wire(word: object) -> Mode:
    """The mode in a message; an unknown name means `default`, never a wider mode."""
    return (_find_mode(word) if isinstance(word, str) else None) or Mode.DEFAULT


def narrower_mode(mode: Mode | None, other: Mode | None) -> Mode | None:
    """The narrower of two modes; no mode is the widest."""
    if mode is None or other is None:
        return mode or other
    return min(mode, other, key=_ORDER.__getitem__)


def _find_mode(word: str) -> Mode | None:
    try:
        return Mode(word)
    except ValueError:
        return MODE_ALIASES.get(word)
