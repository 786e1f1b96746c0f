"""Text for a terminal: hidden characters made visible, and colours where they are supported."""

import os
import sys
from enum import Enum
from io import TextIOWrapper
from typing import TextIO

from assent.engine.base import characters
from assent.engine.base.lazy import regex
from assent.engine.policy.verdict import Verdict

_RIGHT_TO_LEFT = regex("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]+")
_ISOLATED = "\u2067\\g<0>\u2069"


def visible(text: str) -> str:
    """Text whose hidden characters are shown as escapes, and whose words stay in their order on the screen.

    Right-to-left words are isolated, so that they do not move the words beside them.
    """
    return _RIGHT_TO_LEFT.sub(_ISOLATED, characters.to_visible(text))


class Style(Enum):
    """Styles of a word; a style is never the only sign of a meaning."""

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
    """Print characters that the terminal cannot show as escapes instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def paint(text: str, style: Style, stream: TextIO | None = None) -> str:
    """Put our own text in a style, if the stream supports colours."""
    return f"\x1b[{style.value}m{text}\x1b[0m" if shows_colour(stream or sys.stdout) else text


def paint_verdict(verdict: Verdict) -> str:
    """The word of a verdict in its colour."""
    return paint(verdict.word, _VERDICT_STYLES[verdict])


def shows_colour(stream: TextIO) -> bool:
    """Whether to use colours: NO_COLOR and FORCE_COLOR first, then whether the stream is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"
