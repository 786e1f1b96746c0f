"""A simple command: its words, assignments and redirections, and the other commands that it would run."""

from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from assent.engine.base.lazy import regex
from assent.engine.programs.catalog import lookup
from assent.engine.programs.word import HOLE, Word, base_name

_SETS_PARAMETERS = regex(r"\b(?:set|shift|function|eval|source|getopts|trap)\b|\(\s*\)|(?:^|[;&|({\s])\.\s")


class Access(StrEnum):
    """What a redirection does to its target."""

    __hash__ = str.__hash__  # the hash of an enum is slow, and every decision needs many

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
    reads_and_writes: bool = False
    """`<>`: the file is also read."""
    exact: bool = True
    """The command reads this text unchanged: the shell removes no backslash from it."""

    @property
    def is_input(self) -> bool:
        """Whether a command can read from it."""
        return self.access in (Access.READ, Access.TEXT) or self.reads_and_writes


class Assignment(NamedTuple):
    """`NAME=value` before a command, or alone."""

    name: str
    value: Word


class Content(NamedTuple):
    """The content of a file or a pipe, as far as the line itself spells it out."""

    text: str = ""
    unknown: bool = False
    """The real content may differ from `text`."""
    possible_lines: str = ""
    """Lines that a script in the line may have written."""


class Command(NamedTuple):
    """One simple command; a command without words only assigns or redirects."""

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    directories: tuple[str, ...] = ("",)
    """Directories that it may run in, relative to where the line starts; a hole means any directory."""
    piped: bool = False
    """It reads the output of another command."""
    listing_roots: tuple[Word, ...] | None = None
    """The paths whose files its standard input lists; None when the input is no such list."""
    input_words: tuple[Word, ...] | None = None
    """The exact words of its standard input, when another command of the line prints them."""
    input: Content | None = None
    """What the commands before it in the pipe print."""
    span: tuple[int, int] = (0, 0)
    """Its start and end in the line, in bytes."""
    output_is_read: bool = False
    """Other commands of the line read its output, through a pipe or a substitution."""
    is_function_call: bool = False
    """It calls a function that this line defines; the body of the function is among the commands."""
    complete_listing: tuple[Word, ...] = ()
    """Globs of the files that its input lists, when the list omits none of them."""
    written_files: tuple[tuple[str, Content], ...] = ()
    """The files in its words that this line wrote before, each with its content."""
    inherited_redirects: tuple[Redirect, ...] = ()
    """Input files of the command that runs this one, which this one reads as well."""

    @property
    def program(self) -> str:
        """The program as written, or nothing."""
        return self.words[0].text if self.words else ""

    @property
    def has_input(self) -> bool:
        """Whether a redirection replaces the input from a pipe or from the command around it."""
        return any(redirect.is_input for redirect in self.redirects)

    def with_input_of(self, outer: "Command") -> "Command":
        """The command with the input of the command that runs it, unless it has its own."""
        own = self.with_arguments(outer.script_arguments)
        own = (
            own._replace(written_files=(*own.written_files, *outer.written_files))
            if outer.written_files
            else own
        )
        if self.piped or self.has_input:
            return own
        here = tuple(redirect for redirect in outer.redirects if redirect.access is Access.TEXT)
        files = tuple(one for one in outer.redirects if one.is_input and one.access is not Access.TEXT)
        return own._replace(
            redirects=(*self.redirects, *here),
            inherited_redirects=(*outer.inherited_redirects, *files),
            piped=outer.piped,
            listing_roots=outer.listing_roots,
            input_words=outer.input_words,
            input=outer.input,
            complete_listing=outer.complete_listing,
        )

    def with_arguments(self, arguments: "tuple[Word, ...]") -> "Command":
        """The command with positional parameters replaced by these arguments, of which the first is `$0`."""
        if not arguments:
            return self
        given = {str(at): word for at, word in enumerate(arguments)}

        def fill(word: Word) -> Word:
            return word.fill_parameter(given[word.parameter]) if word.parameter in given else word

        redirects = [one._replace(target=fill(one.target)) for one in self.redirects]
        return self._replace(words=tuple(map(fill, self.words)), redirects=tuple(redirects))

    @property
    def script_arguments(self) -> tuple[Word, ...]:
        """The arguments of `sh -c text name argument …`, unless the text itself sets or shifts them."""
        flag, text = [word.text for word in self.words[1:3]] if len(self.words) > 3 else ("", "")
        shell = lookup(base_name(self.program)).passes_arguments
        if not shell or flag != "-c" or text.startswith(("-", "+")) or sets_parameters(text):
            return ()
        given = self.words[3:]
        # After a word that may become several words, the positions are unknown.
        several = next((at for at, word in enumerate(given) if word.splits or word.glob), len(given))
        return given[: several + 1]

    def relative_to(self, directories: tuple[str, ...]) -> "Command":
        """A command of a nested text, with directories relative to those of the command that runs it."""
        if directories == ("",):
            return self
        places = tuple(
            place if place.startswith(("/", "~", HOLE)) or not base else f"{base}/{place}" if place else base
            for base in directories
            for place in self.directories
        )
        return self._replace(directories=tuple(dict.fromkeys(places)))


class Unreadable(Exception):
    """Raised with the reason why a text cannot be read; the readers of lines catch it."""


class ParsedLine(NamedTuple):
    """Every command that a line would run, or the reason why the line cannot be read."""

    commands: tuple[Command, ...]
    unreadable: str | None = None
    fork_bombs: tuple[str, ...] = ()
    """Functions that start themselves in a pipe or in the background."""
    secret_variables: tuple[str, ...] = ()
    """Variables that it expands and whose names look like names of secrets."""
    array_words: tuple[Word, ...] = ()
    """Words that it assigns to arrays, which any command of the line may expand."""
    source: str = ""
    """The text that the spans refer to, if the line was respelled before it was read."""


@lru_cache(maxsize=4096)
def sets_parameters(text: str) -> bool:
    """Whether a shell text may change its positional parameters, or may have several sets of them."""
    return _SETS_PARAMETERS.search(text) is not None


MOST_GUESSES = 64


class Nested(NamedTuple):
    """The commands and texts that a command would run in addition to itself, one level deep.

    They have the same standard input and here-documents as the command that runs them.
    """

    commands: tuple[tuple[Word, ...], ...] = ()
    """The words of each command that it would run."""
    texts: tuple[Word, ...] = ()
    """Shell texts that it would run; a hole in a text may contain any code."""
    at: int = 0
    """The position of the first nested word; -1 when the nested code is not among its words."""
    transparent: bool = False
    """The command itself is harmless: it only reads if everything nested only reads."""
    covers: bool = False
    """An allow rule for the nested command covers this command as well."""
    privilege: bool = False
    """It runs the nested command as another user."""
    certain: bool = True
    """False when an option is unknown: then these are guesses, for deny and ask rules and breakers only."""
    files: tuple[Word, ...] = ()
    """Files that the command itself reads."""
    computed: bool = False
    """The code that it would run is unknown, or comes from a pipe."""


def guess_nested(words: tuple[Word, ...], at: int, *, own: int = 0, texts: bool = False) -> Nested:
    """Every possible nested command from a position on, because it is unclear where the command starts.

    The first `own` operands belong to the wrapper, so they may be unknown.
    """
    plain = [place for place in range(at, len(words)) if words[place].text[:1] not in ("", "-")]
    starts = [place for place in plain if not words[place].opaque]
    taken = _until_runner(words, starts[:MOST_GUESSES])
    # An unknown option may take the name of a runner as its value; an unknown word does not.
    left = starts[MOST_GUESSES:] or (starts[len(taken) :] and not words[at].opaque)
    return Nested(
        commands=tuple(words[place:] for place in taken),
        texts=tuple(words[place] for place in plain if texts and " " in words[place].text),
        at=starts[0] if starts else at,
        certain=False,
        computed=bool(left) or any(words[place].opaque for place in plain[own : own + 1]),
    )


def _until_runner(words: tuple[Word, ...], starts: list[int]) -> list[int]:
    """Stop at a program that runs its arguments: it is unwrapped later, so that guesses do not multiply."""
    for count, place in enumerate(starts, 1):
        if lookup(base_name(words[place].text)).runs_others:
            return starts[:count]
    return starts


def restrict_uncertain(found: Nested, *, trusted: bool) -> Nested:
    """Mark unknown code as computed; only known code of a trusted program is transparent."""
    unknown = any(map(_starts_with_hole, found.texts)) or any(words[0].opaque for words in found.commands)
    computed = found.computed or unknown
    known = trusted and found.certain and not computed and not any(HOLE in text.text for text in found.texts)
    return found._replace(
        computed=computed,
        transparent=found.transparent and known,
        covers=found.covers and known,
    )


def add_texts(found: Nested | None, texts: list[tuple[int, Word]]) -> Nested | None:
    """Add shell texts that are at other positions of the words."""
    if not texts:
        return found
    found = found or Nested(at=texts[0][0])
    at = min(found.at or texts[0][0], *(place for place, _ in texts))
    # The same text may have been found as an option and as a word.
    both = dict.fromkeys((*(text for _, text in texts), *found.texts))
    return found._replace(texts=tuple(both), at=at)


def add_embedded(
    found: Nested | None,
    *,
    commands: tuple[tuple[Word, ...], ...] = (),
    texts: tuple[Word, ...] = (),
) -> Nested | None:
    """Add code from values and scripts, which begins at none of the words."""
    if not commands and not texts:
        return found
    found = found or Nested(at=-1)
    return found._replace(
        commands=(*found.commands, *commands),
        texts=(*found.texts, *texts),
        transparent=False,
        covers=False,
    )


def _starts_with_hole(text: Word) -> bool:
    """Whether a text begins with a hole, so that its program is unknown."""
    return text.text.lstrip().startswith(HOLE)
