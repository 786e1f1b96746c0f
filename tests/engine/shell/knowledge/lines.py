"""Command lines of the tables below, as the reader would hand them over."""

import shlex

from assent.engine.lines.reading import Reading, reading
from assent.engine.programs.word import HOLE, Word
from assent.engine.shell.knowledge import builds, cloud, code, git, table
from assent.engine.shell.knowledge.entry import Entry

LATE = {"builds": builds.PROGRAMS, "cloud": cloud.PROGRAMS, "code": code.PROGRAMS, "git": git.PROGRAMS}
"""Programs whose entries are loaded when the first line comes that starts one of them, by their module."""

PROGRAMS: dict[str, Entry] = {
    **table.COMMON,
    **{name: entry for late in LATE.values() for name, entry in late.items()},
}
"""The whole table."""


def words(line: str) -> tuple[Word, ...]:
    """Its words; `$X` stands for a quoted piece nobody knows, `$*` for one that may become several words."""
    return tuple(_word(text) for text in shlex.split(line))


def read(line: str) -> Reading | None:
    return reading(words(line))


def files(line: str) -> list[str] | None:
    """The names of the files it would read, or None when it might do more than read."""
    found = read(line)
    return None if found is None else [word.text for word in found.files]


def lines(table: str) -> list[str]:
    """One command a line; a line that begins with `#` is a heading."""
    return [line.strip() for line in table.splitlines() if line.strip() and not line.strip().startswith("#")]


def _word(text: str) -> Word:
    if "$*" in text:
        return Word(text.replace("$*", HOLE), splits=True)
    return Word(text.replace("$X", HOLE))
