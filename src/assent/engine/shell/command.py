"""A simple command as we read it: words, assignments, redirections, and where it stands."""

from enum import StrEnum
from typing import NamedTuple

from assent.engine import glob

HOLE = glob.HOLE
"""Stands in a word's text for a piece whose value we cannot know; source text never holds it."""


class Word(NamedTuple):
    """A word after quoting: its text, with a hole for each piece that cannot be resolved."""

    text: str
    glob: bool = False
    """It holds an unquoted `*`, `?` or `[`, so the shell may replace it by file names."""
    tilde: bool = False
    """It begins with an unquoted `~` (or `$HOME`), so it means a home directory."""
    quoted: bool = False
    """Some of it was quoted or escaped, so it is no reserved word and no alias."""
    listed: bool = False
    """It stands for names that a command of this very line lists, found below the workspace."""
    splits: bool = False
    """It holds an unquoted hole, so it may become several words, or none."""
    otherwise: str = ""
    """What it is if the variables in it are not set, where `${name:-…}` says that."""

    @property
    def opaque(self) -> bool:
        """Whether its value is unknown: a hole, or a glob that could even become a flag."""
        return HOLE in self.text or self.splits or (self.glob and self.text[:1] in "*?[")


class Access(StrEnum):
    """What a redirection does to its target."""

    READ = "read"
    WRITE = "write"
    TEXT = "text"
    """A here-document or here-string: the target is the text itself."""
    DUPLICATE = "duplicate"
    """`2>&1`, `>&-`: no file is touched."""


class Redirect(NamedTuple):
    """One redirection and what it points at."""

    access: Access
    target: Word
    appends: bool = False


class Assignment(NamedTuple):
    """`NAME=value` before a command or on its own."""

    name: str
    value: Word


class Command(NamedTuple):
    """One simple command; without words it only assigns or redirects."""

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    directories: tuple[str, ...] = ("",)
    """Where it may run, relative to where the line starts; a hole means anywhere."""
    piped: bool = False
    """Its standard input comes from another command."""
    fed: tuple[Word, ...] | None = None
    """Where the names that its standard input lists were found; None when it lists no names."""
    given: tuple[Word, ...] | None = None
    """The very words of its standard input, when another command of the line prints them."""
    span: tuple[int, int] = (0, 0)
    """Where it stands in the line, in bytes."""
    function: bool = False
    """It calls a function that this line defined before, so its body is among the commands."""

    @property
    def program(self) -> str:
        """The program as written, or nothing."""
        return self.words[0].text if self.words else ""


class Line(NamedTuple):
    """All that a line would run, or why it cannot be read."""

    commands: tuple[Command, ...]
    unreadable: str | None = None
    bombs: tuple[str, ...] = ()
    """Functions that start themselves in a pipe or in the background."""
    secrets: tuple[str, ...] = ()
    """Variables it expands whose names look like those of secrets."""
    source: str = ""
    """The text that the spans of its commands mean, where it was respelled to be read."""


def base_name(program: str) -> str:
    """Name a program without its directory: `/usr/bin/rm` is `rm`."""
    return program.replace("\\", "/").rsplit("/", 1)[-1]
