"""Text for a terminal: hidden characters become visible, and colours are used if they are supported."""

import os
import sys
from enum import Enum
from io import TextIOWrapper
from typing import TextIO

from assent.engine.base import characters
from assent.engine.base.lazy import regex
from assent.engine.policy.verdict import Verdict

_RIGHT_TO_LEFT = regex("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]+")
_ISOLATED_WORD = "\u2067\\g<0>\u2069"


def visible_text(text: str) -> str:
    """Replace hidden characters by escapes, and keep the words in their order on the screen.

    Right-to-left words are wrapped in isolation marks, so that a terminal does not reorder other words.
    """
    return _RIGHT_TO_LEFT.sub(_ISOLATED_WORD, characters.to_visible(text))


class Style(Enum):
    """Terminal styles; the text must be understandable without them."""

    GOOD = "32"
    CAUTION = "33"
    BAD = "31"
    FAINT = "2"
    STRONG = "1"


_VERDICT_STYLES = {
    Verdict.RUN: Style.GOOD,
    Verdict.ASK: Style.CAUTION,
    Verdict.DENY: Style.BAD,
    Verdict.ABSENT: Style.BAD,
}


def configure_streams() -> None:
    """Make standard output and error print unsupported characters as escapes instead of raising."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def with_style(text: str, style: Style, stream: TextIO | None = None) -> str:
    """Add terminal codes for a style to the text, if the stream supports colours."""
    return f"\x1b[{style.value}m{text}\x1b[0m" if supports_colour(stream or sys.stdout) else text


def styled_verdict(verdict: Verdict) -> str:
    """The word of a verdict, in the colour of that verdict."""
    return with_style(verdict.word, _VERDICT_STYLES[verdict])


def supports_colour(stream: TextIO) -> bool:
    """Whether to use colours: NO_COLOR and FORCE_COLOR decide first, then if the stream is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"
