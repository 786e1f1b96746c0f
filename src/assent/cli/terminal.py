"""What reaches a terminal: text with nothing hidden in it, and colour where it is wanted."""

import os
import sys
from enum import Enum
from io import TextIOWrapper
from typing import TextIO

from assent.engine.characters import hidden
from assent.engine.verdict import Verdict


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


def visible(text: str) -> str:
    """Text from elsewhere on one line, with every hidden or control character spelled out."""
    if hidden(text) is None and "\n" not in text and "\t" not in text:
        return text
    return "".join(_spelled(character) for character in text)


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


def _spelled(character: str) -> str:
    if character in "\n\t":
        return "\\n" if character == "\n" else "\\t"
    if hidden(character) is None:
        return character
    return f"\\u{ord(character):04x}" if ord(character) <= 0xFFFF else f"\\U{ord(character):08x}"
