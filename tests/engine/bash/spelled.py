"""Commands for the tests of the shell, spelled as one would type them."""

import shlex

from assent.engine.lines.command import Command
from assent.engine.programs.word import HOLE, Word


def word(text: str) -> Word:
    """A word in which `$X` is a hole without quotes and `${X}` one inside quotes."""
    plain = text.replace("${X}", HOLE).replace("$X", HOLE)
    return Word(plain, splits="$X" in text, tilde=text.startswith("~"))


def words(line: str) -> tuple[Word, ...]:
    """The words of a line."""
    return tuple(word(text) for text in shlex.split(line))


def command(line: str) -> Command:
    """A command of its own or, after `| `, one that is fed by another."""
    return Command(words(line.removeprefix("| ")), piped=line.startswith("| "))


def texts(found: tuple[Word, ...]) -> str:
    """Words as one would type them, with `□` for a hole."""
    return " ".join(_typed(word.text) for word in found)


def _typed(text: str) -> str:
    return (
        text.replace(HOLE, "□") if HOLE in text and " " not in text else shlex.quote(text.replace(HOLE, "□"))
    )
