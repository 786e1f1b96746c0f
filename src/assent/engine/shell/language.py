"""Bash as a language whose lines can be decided."""

from collections.abc import Callable
from typing import cast

from assent.engine.fed import Takes
from assent.engine.late import late
from assent.engine.lines.spellings import bash_spellings
from assent.engine.program import Language
from assent.engine.shell.carriers import carried
from assent.engine.shell.command import Command
from assent.engine.shell.dangers import dangers
from assent.engine.shell.reader import read_bash
from assent.engine.shell.readonly import reading
from assent.engine.shell.writes import written


def _takes(command: Command) -> Takes:
    """By a table that is loaded with the first command that is fed something."""
    return cast("Callable[[Command], Takes]", late("shell.feeding", "takes"))(command)


BASH = Language(read_bash, reading, carried, written, dangers, bash_spellings, _takes)
