"""A line's commands in a form that fits in a table: words joined by blanks, `?` for an unknown piece."""

from assent.engine.bash.language import parse_bash
from assent.engine.lines.command import Access, Command, ParsedLine
from assent.engine.programs.word import UNKNOWN_MARK, Word

SIGNS = {Access.READ: "<", Access.WRITE: ">", Access.TEXT: "<<", Access.DUPLICATE: ">&"}


def read(text: str) -> ParsedLine:
    """Read a text that can be read."""
    line = parse_bash(text)
    assert line.unreadable is None, line.unreadable
    return line


def describe(text: str) -> list[str]:
    """Each command of a text as one line: assignments, words, redirections."""
    return [describe_command(command) for command in read(text).commands]


def describe_command(command: Command) -> str:
    assigned = [f"{one.name}={one.value.text}" for one in command.assignments]
    redirected = [SIGNS[one.access] + _quoted(one.target) for one in command.redirects]
    pieces = [*assigned, *map(_quoted, command.words), *redirected]
    return " ".join(pieces).replace(UNKNOWN_MARK, "?").replace("\n", "\\n")


def unreadable_reason(text: str) -> str:
    """Why a text cannot be read."""
    line = parse_bash(text)
    assert line.unreadable is not None, [describe_command(command) for command in line.commands]
    return line.unreadable


def _quoted(word: Word) -> str:
    return f"'{word.text}'" if " " in word.text or not word.text else word.text
