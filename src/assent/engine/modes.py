"""Modes: how far a conversation is trusted, as one table of effects."""

from enum import StrEnum

from assent.engine.model import Effect
from assent.engine.verdict import Verdict
from assent.errors import UnknownWordError


class Mode(StrEnum):
    """How far a conversation is trusted, from the narrowest to the widest."""

    __hash__ = str.__hash__  # an enum's own is slow, and every decision asks for many

    PLAN = "plan"
    DEFAULT = "default"
    ACCEPT_EDITS = "accept_edits"
    AUTO = "auto"


_RUN, _ASK, _DENY = Verdict.RUN, Verdict.ASK, Verdict.DENY

TABLE: dict[Mode, dict[Effect, Verdict]] = {
    mode: dict(zip(Effect, row, strict=True))
    for mode, row in {
        #                   read  edit   write  execute external destructive
        Mode.PLAN:         (_RUN, _DENY, _DENY, _DENY, _DENY, _DENY),
        Mode.DEFAULT:      (_RUN, _ASK,  _ASK,  _ASK,  _ASK,  _ASK),
        Mode.ACCEPT_EDITS: (_RUN, _RUN,  _ASK,  _ASK,  _ASK,  _ASK),
        Mode.AUTO:         (_RUN, _RUN,  _RUN,  _RUN,  _RUN,  _ASK),
    }.items()
}  # fmt: skip
"""The whole of what a mode means."""

ALIASES = {
    "approve": Mode.DEFAULT,
    "manual": Mode.DEFAULT,
    "acceptEdits": Mode.ACCEPT_EDITS,
    "autonomous": Mode.AUTO,
    "bypassPermissions": Mode.AUTO,
}
"""Other spellings that are accepted everywhere; what a person wrote is kept when read back."""

_ORDER = {mode: position for position, mode in enumerate(Mode)}


def mode_named(word: str) -> Mode:
    """The mode that a file or a flag names; an unknown word is an error."""
    mode = _find(word)
    if mode is None:
        raise UnknownWordError("mode", word, (*Mode, *ALIASES))
    return mode


def mode_over_the_wire(word: object) -> Mode:
    """The mode that a message names; an unknown word means `default`, never more."""
    return (_find(word) if isinstance(word, str) else None) or Mode.DEFAULT


def narrower(mode: Mode | None, other: Mode | None) -> Mode | None:
    """The narrower of two modes; having no mode at all is the widest."""
    if mode is None or other is None:
        return mode or other
    return min(mode, other, key=_ORDER.__getitem__)


def _find(word: str) -> Mode | None:
    try:
        return Mode(word)
    except ValueError:
        return ALIASES.get(word)
