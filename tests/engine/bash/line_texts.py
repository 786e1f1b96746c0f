"""The commands of a line as short texts for tables: words joined by blanks, `?` for an unknown piece."""

from assent.engine.bash.language import parse_bash
from assent.engine.lines.command import Command, ParsedLine, RedirectAccess
from assent.engine.programs.word import UNKNOWN_MARK, Word

ACCESS_SIGNS = {
    RedirectAccess.READ: "<",
    RedirectAccess.WRITE: ">",
    RedirectAccess.TEXT: "<<",
    RedirectAccess.DUPLICATE: ">&",
}


def parse_readable_line(text: str) -> ParsedLine:
    """Parse a text that is readable."""
    line = parse_bash(text)
    assert line.unreadable is None, line.unreadable
    return line


def describe_commands(text: str) -> list[str]:
    """Each command of a text as one line: assignments, words, redirections."""
    return [describe_command(command) for command in parse_readable_line(text).commands]


def describe_command(command: Command) -> str:
    """A command as one line."""
    assigned = [f"{one.name}={one.value.text}" for one in command.assignments]
    redirected = [ACCESS_SIGNS[one.access] + _quote_word(one.target) for one in command.redirects]
    pieces = [*assigned, *map(_quote_word, command.words), *redirected]
    return " ".join(pieces).replace(UNKNOWN_MARK, "?").replace("\n", "\\n")


def unreadable_reason(text: str) -> str:
    """Why a text is unreadable."""
    line = parse_bash(text)
    assert line.unreadable is not None, [describe_command(command) for command in line.commands]
    return line.unreadable


def _quote_word(word: Word) -> str:
    return f"'{word.text}'" if " " in word.text or not word.text else word.text
