"""Bash as a language whose lines can be decided."""

from collections.abc import Callable
from typing import cast

from assent.engine.bash.reader import read_bash
from assent.engine.late import late
from assent.engine.lines.command import Command
from assent.engine.lines.dangers import dangers
from assent.engine.lines.nesting import carried
from assent.engine.lines.program_part import Language
from assent.engine.lines.reading import reading
from assent.engine.lines.writes import written
from assent.engine.programs.program import InputUse
from assent.engine.spellings import bash_spellings


def _takes(command: Command) -> InputUse:
    """By a table that is loaded with the first command that is fed something."""
    return cast("Callable[[Command], InputUse]", late("lines.standard_input", "takes"))(command)


BASH = Language(read_bash, reading, carried, written, dangers, bash_spellings, _takes)
