"""Create words and commands from text as written in a terminal, for the tests of the shell."""

import shlex

from assent.engine.lines.command import Command
from assent.engine.programs.word import UNKNOWN_MARK, Word


def to_word(text: str) -> Word:
    """A word in which `$X` is an unquoted unknown piece and `${X}` a quoted one."""
    plain = text.replace("${X}", UNKNOWN_MARK).replace("$X", UNKNOWN_MARK)
    return Word(plain, splits="$X" in text, tilde=text.startswith("~"))


def to_words(line: str) -> tuple[Word, ...]:
    """The words of a line."""
    return tuple(to_word(text) for text in shlex.split(line))


def to_command(line: str) -> Command:
    """A command; after `| `, a command that reads from a pipe."""
    return Command(to_words(line.removeprefix("| ")), piped=line.startswith("| "))


def join_word_texts(found: tuple[Word, ...]) -> str:
    """Words as written in a terminal, with `□` for an unknown piece."""
    return " ".join(_quote(word.text) for word in found)


def _quote(text: str) -> str:
    return (
        text.replace(UNKNOWN_MARK, "□")
        if UNKNOWN_MARK in text and " " not in text
        else shlex.quote(text.replace(UNKNOWN_MARK, "□"))
    )
