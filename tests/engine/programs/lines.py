"""Command lines of the tables below, as the reader would hand them over."""

import shlex

from assent.engine.lines.reading import ReadResult, find_reads
from assent.engine.programs import catalog
from assent.engine.programs.program import ReadEntry
from assent.engine.programs.word import UNKNOWN_MARK, Word

PROGRAMS: dict[str, ReadEntry] = {
    name: entry for name in catalog.TOPICS if (entry := catalog.find_program(name).reads) is not None
}
"""What is known of each program that may only read."""


def words(line: str) -> tuple[Word, ...]:
    """Its words; `$X` stands for a quoted piece nobody knows, `$*` for one that may become several words."""
    return tuple(_word(text) for text in shlex.split(line))


def read(line: str) -> ReadResult | None:
    return find_reads(words(line))


def files(line: str) -> list[str] | None:
    """The names of the files it would read, or None when it might do more than read."""
    found = read(line)
    return None if found is None else [word.text for word in found.files]


def lines(table: str) -> list[str]:
    """One command a line; a line that begins with `#` is a heading."""
    return [line.strip() for line in table.splitlines() if line.strip() and not line.strip().startswith("#")]


def _word(text: str) -> Word:
    if "$*" in text:
        return Word(text.replace("$*", UNKNOWN_MARK), splits=True)
    return Word(text.replace("$X", UNKNOWN_MARK))
