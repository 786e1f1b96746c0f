"""Where a regular expression between delimiters ends, for every program that could read it.

Programs differ: some end it at the first bare delimiter, others look past one inside brackets.
What they could read differently has no end here.
"""

from assent.engine.programs.word import HOLE
from assent.engine.regex import regex

# A `[:` that opens no class, and an escaped bracket inside brackets, are read in more ways than one.
_CLOSED = regex(
    r"(?:[^\\\[]|\\."
    r"|\[\^?+\]?+(?:\[:[a-z]+:\]|(?!\[[:.=])[^\]\\]|\\[^\]\[])*+\])*+"
)


def end_of_expression(text: str, start: int, delimiter: str) -> int | None:
    """Where the delimiter that ends the expression stands, or None when that is not certain."""
    end = end_of_part(text, start, delimiter)
    return end if end is not None and _CLOSED.fullmatch(text, start, end) else None


def end_of_part(text: str, start: int, delimiter: str) -> int | None:
    """Where the next bare delimiter stands, or None when a line ends or a hole comes before it."""
    at = start
    while at < len(text) and text[at] != delimiter:
        at += 2 if text[at] == "\\" else 1
        if text[at - 1 : at] in ("\n", HOLE):
            return None
    return at if at < len(text) else None
