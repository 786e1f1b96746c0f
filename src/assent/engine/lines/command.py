"""A simple command as we read it: words, assignments, redirections, and where it stands."""

from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from assent.engine.programs.catalog import lookup
from assent.engine.programs.word import HOLE, Word, base_name
from assent.engine.regex import regex

_SETS_PARAMETERS = regex(r"\b(?:set|shift|function|eval|source|getopts|trap)\b|\(\s*\)|(?:^|[;&|({\s])\.\s")


class Access(StrEnum):
    """What a redirection does to its target."""

    __hash__ = str.__hash__  # an enum's own is slow, and every decision asks for many

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
    both: bool = False
    """`<>`: it is read from, too."""
    exact: bool = True
    """Its text is the very text that is fed: the shell takes no backslash out of it."""

    @property
    def feeds(self) -> bool:
        """Whether a command can read from it."""
        return self.access in (Access.READ, Access.TEXT) or self.both


class Assignment(NamedTuple):
    """`NAME=value` before a command or on its own."""

    name: str
    value: Word


class Content(NamedTuple):
    """What stands in a file or comes in a pipe, as far as the line itself says so."""

    text: str = ""
    unknown: bool = False
    """It may hold more, or something else."""
    guessed: str = ""
    """Lines that some script of the line may have put there."""


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
    input: Content | None = None
    """What the commands before it in a pipe print for it."""
    span: tuple[int, int] = (0, 0)
    """Where it stands in the line, in bytes."""
    taken: bool = False
    """What it prints goes on to other commands of the line: it stands in a pipe or a substitution."""
    function: bool = False
    """It calls a function that this line defined before, so its body is among the commands."""
    swept: tuple[Word, ...] = ()
    """All that it is fed the names of, where nothing of it was left out, as globs."""
    drafts: tuple[tuple[str, Content], ...] = ()
    """The files that it speaks of and this line itself wrote before, and what stands in them."""
    inherited: tuple[Redirect, ...] = ()
    """Files that are the input of the command that runs this one, and so its own."""

    @property
    def program(self) -> str:
        """The program as written, or nothing."""
        return self.words[0].text if self.words else ""

    @property
    def has_input(self) -> bool:
        """Whether a redirection feeds it, so that it gets nothing from what stands before or around it."""
        return any(redirect.feeds for redirect in self.redirects)

    def fed_like(self, carrier: "Command") -> "Command":
        """What is carried reads the same input as its carrier, unless it has one of its own."""
        own = self.filled(carrier.arguments)
        own = own._replace(drafts=(*own.drafts, *carrier.drafts)) if carrier.drafts else own
        if self.piped or self.has_input:
            return own
        here = tuple(redirect for redirect in carrier.redirects if redirect.access is Access.TEXT)
        files = tuple(one for one in carrier.redirects if one.feeds and one.access is not Access.TEXT)
        return own._replace(
            redirects=(*self.redirects, *here),
            inherited=(*carrier.inherited, *files),
            piped=carrier.piped,
            fed=carrier.fed,
            given=carrier.given,
            input=carrier.input,
            swept=carrier.swept,
        )

    def filled(self, arguments: "tuple[Word, ...]") -> "Command":
        """The command with its positional parameters, as far as they are given: the first one is `$0`."""
        if not arguments:
            return self
        given = {str(at): word for at, word in enumerate(arguments)}

        def filled(word: Word) -> Word:
            return word.meaning(given[word.parameter]) if word.parameter in given else word

        redirects = [one._replace(target=filled(one.target)) for one in self.redirects]
        return self._replace(words=tuple(map(filled, self.words)), redirects=tuple(redirects))

    @property
    def arguments(self) -> tuple[Word, ...]:
        """What `sh -c text name argument …` hands to its text, unless that sets or shifts them itself."""
        flag, text = [word.text for word in self.words[1:3]] if len(self.words) > 3 else ("", "")
        shell = lookup(base_name(self.program)).passes_arguments
        if not shell or flag != "-c" or text.startswith(("-", "+")) or sets_parameters(text):
            return ()
        given = self.words[3:]
        # Behind a word that may become several nobody knows which is which.
        several = next((at for at, word in enumerate(given) if word.splits or word.glob), len(given))
        return given[: several + 1]

    def seen_from(self, directories: tuple[str, ...]) -> "Command":
        """A command of a carried text, seen from where its carrier runs."""
        if directories == ("",):
            return self
        places = tuple(
            place if place.startswith(("/", "~", HOLE)) or not base else f"{base}/{place}" if place else base
            for base in directories
            for place in self.directories
        )
        return self._replace(directories=tuple(dict.fromkeys(places)))


class Unreadable(Exception):
    """Why a text cannot be read as a whole; the readers of lines catch it."""


class Line(NamedTuple):
    """All that a line would run, or why it cannot be read."""

    commands: tuple[Command, ...]
    unreadable: str | None = None
    bombs: tuple[str, ...] = ()
    """Functions that start themselves in a pipe or in the background."""
    secrets: tuple[str, ...] = ()
    """Variables it expands whose names look like those of secrets."""
    kept: tuple[Word, ...] = ()
    """Words that it keeps in arrays, for whatever expands these."""
    source: str = ""
    """The text that the spans of its commands mean, where it was respelled to be read."""


@lru_cache(maxsize=4096)
def sets_parameters(text: str) -> bool:
    """Whether a shell text may change its positional parameters, or have more than one set of them."""
    return _SETS_PARAMETERS.search(text) is not None
