"""From bash text to the simple commands it would run, wherever they stand in it."""

from collections.abc import Callable
from typing import cast

from assent.engine.characters import hidden_character
from assent.engine.late import late
from assent.engine.shell.command import Line
from assent.engine.shell.plain import read_plain
from assent.engine.shell.refusal import Unreadable

LONGEST_TEXT = 32 * 1024


def read_bash(text: str) -> Line:
    """All that a bash text would run; a text that cannot be read says why."""
    if len(text) > LONGEST_TEXT:
        return Line((), f"is longer than {LONGEST_TEXT} characters")
    if (plain := read_plain(text)) is not None:
        return plain
    if (what := hidden_character(text)) is not None:
        return Line((), f"holds {what}")
    try:
        return _walked(text)
    except Unreadable as reason:
        return Line((), str(reason))
    except RecursionError:
        return Line((), "is nested too deeply")


def _walked(text: str) -> Line:
    """By its syntax tree: what reads that is loaded when the first line comes that is not plain."""
    return cast("Callable[[str], Line]", late("shell.walk", "read"))(text)
