"""What reaches a terminal: text with nothing hidden in it, and colour where it is wanted."""

import os
import sys
from enum import Enum
from io import TextIOWrapper
from typing import TextIO

from assent.engine import characters
from assent.engine.regex import regex
from assent.engine.verdict import Verdict

_RIGHT_TO_LEFT = regex("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]+")
_ISOLATED = "\u2067\\g<0>\u2069"


def visible(text: str) -> str:
    """Text with nothing hidden in it, whose words stand on the screen in their order.

    A word that is written from right to left is isolated, so that it moves none of its neighbours.
    """
    return _RIGHT_TO_LEFT.sub(_ISOLATED, characters.to_visible(text))


class Style(Enum):
    """Ways to set a word apart, each never the only sign of what it means."""

    GOOD = "32"
    CAREFUL = "33"
    BAD = "31"
    FAINT = "2"
    STRONG = "1"


_VERDICT_STYLES = {
    Verdict.RUN: Style.GOOD,
    Verdict.ASK: Style.CAREFUL,
    Verdict.DENY: Style.BAD,
    Verdict.ABSENT: Style.BAD,
}


def prepare() -> None:
    """Let no character that the terminal lacks end a command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def paint(text: str, style: Style, stream: TextIO | None = None) -> str:
    """Text of our own in a style, if this stream shows colours."""
    return f"\x1b[{style.value}m{text}\x1b[0m" if shows_colour(stream or sys.stdout) else text


def painted_verdict(verdict: Verdict) -> str:
    """A verdict as a word in its colour."""
    return paint(verdict.word, _VERDICT_STYLES[verdict])


def shows_colour(stream: TextIO) -> bool:
    """Whether to use colours: NO_COLOR forbids, FORCE_COLOR demands, and otherwise a terminal decides."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"
