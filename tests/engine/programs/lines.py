"""Command lines for the tests of programs, and what the catalog knows about them."""

import shlex

from assent.engine.lines.reading import ReadResult, find_reads
from assent.engine.programs import catalog
from assent.engine.programs.program import ReadEntry
from assent.engine.programs.word import UNKNOWN_MARK, Word

PROGRAMS: dict[str, ReadEntry] = {
    name: entry for name in catalog.TOPICS if (entry := catalog.find_program(name).reads) is not None
}
"""The read entries of all programs that may only read."""


def to_words(line: str) -> tuple[Word, ...]:
    """The words of a line.

    `$X` means a quoted unknown piece, and `$*` an unknown piece that may become several words.
    """
    return tuple(_to_word(text) for text in shlex.split(line))


def find_line_reads(line: str) -> ReadResult | None:
    return find_reads(to_words(line))


def files_read_by(line: str) -> list[str] | None:
    """The names of the files that a line reads; None if it may do more than read."""
    found = find_line_reads(line)
    return None if found is None else [word.text for word in found.files]


def split_lines(table: str) -> list[str]:
    """The commands of a table, one per line; a line that begins with `#` is a heading."""
    return [line.strip() for line in table.splitlines() if line.strip() and not line.strip().startswith("#")]


def _to_word(text: str) -> Word:
    if "$*" in text:
        return Word(text.replace("$*", UNKNOWN_MARK), splits=True)
    return Word(text.replace("$X", UNKNOWN_MARK))
