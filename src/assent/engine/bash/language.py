"""Bash as a language: from its text to the simple commands that it would run."""

from collections.abc import Callable
from typing import cast

from assent.engine.bash.plain import read_plain
from assent.engine.characters import hidden_character
from assent.engine.late import late
from assent.engine.lines.command import Command, Line, Unreadable
from assent.engine.lines.dangers import dangers
from assent.engine.lines.nesting import carried
from assent.engine.lines.program_part import Language
from assent.engine.lines.reading import reading
from assent.engine.lines.spellings import bash_spellings
from assent.engine.lines.writes import written
from assent.engine.programs.program import InputUse

LONGEST_TEXT = 32 * 1024


def read_bash(text: str) -> Line:
    """All that a bash text would run, or why the text cannot be read."""
    if len(text) > LONGEST_TEXT:
        return Line((), f"is longer than {LONGEST_TEXT} characters")
    if (plain := read_plain(text)) is not None:
        return plain
    if (what := hidden_character(text)) is not None:
        return Line((), f"holds {what}")
    try:
        return _walk(text)
    except Unreadable as reason:
        return Line((), str(reason))
    except RecursionError:
        return Line((), "is nested too deeply")


def _walk(text: str) -> Line:
    """Read a text by its syntax tree, whose reader is loaded with the first line that is not plain."""
    return cast("Callable[[str], Line]", late("bash.walk", "read"))(text)


def _takes(command: Command) -> InputUse:
    """What a command takes its input for; the code is loaded with the first command that has an input."""
    return cast("Callable[[Command], InputUse]", late("lines.standard_input", "takes"))(command)


BASH = Language(read_bash, reading, carried, written, dangers, bash_spellings, _takes)
