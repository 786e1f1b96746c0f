"""Lines of plain words, which are their own parse."""

import re

from assent.engine.shell.command import Command, Line, Word
from assent.engine.shell.respell import RESERVED

LONGEST_PLAIN = 1024
_PLAIN_LINE = re.compile(r"[\w./:=@%+,-]+(?: [\w./:=@%+,-]+)*", re.ASCII).fullmatch


def read_plain(text: str) -> Line | None:
    """A line of plain words with single blanks between them is its own parse; most lines are."""
    if len(text) > LONGEST_PLAIN or not _PLAIN_LINE(text):
        return None
    first, *rest = text.split(" ")
    if "=" in first or first in RESERVED or first in ("time", "coproc"):
        return None
    return Line((Command((Word(first), *map(Word, rest)), span=(0, len(text))),))
