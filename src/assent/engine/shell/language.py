"""Bash as a language whose lines can be decided."""

from assent.engine.program import Language
from assent.engine.shell.carriers import carried
from assent.engine.shell.dangers import dangers
from assent.engine.shell.reader import read_bash
from assent.engine.shell.readonly import reading
from assent.engine.shell.writes import written
from assent.engine.spellings import bash_spellings

BASH = Language(read_bash, reading, carried, written, dangers, bash_spellings)
