"""A simple command: its words, assignments and redirections, and the other commands that it runs."""

from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from assent.engine.base.lazy import regex
from assent.engine.programs.catalog import find_program
from assent.engine.programs.word import UNKNOWN_MARK, Word, base_name

_PARAMETER_CHANGE = regex(r"\b(?:set|shift|function|eval|source|getopts|trap)\b|\(\s*\)|(?:^|[;&|({\s])\.\s")
"""Matches shell text that may change its positional parameters (`$1`, `$@`)."""


class RedirectAccess(StrEnum):
    """What a redirection does to its target."""

    __hash__ = str.__hash__  # The hash of an enum is slow, and each decision needs many hashes.

    READ = "read"
    WRITE = "write"
    TEXT = "text"
    """A here-document or a here-string: the target is the input text itself."""
    DUPLICATE = "duplicate"
    """A copied or closed file descriptor, such as `2>&1` or `>&-`: no file is read or written."""


class Redirect(NamedTuple):
    """One redirection of a command, and its target."""

    access: RedirectAccess
    """Whether the redirection reads, writes, passes a text, or copies a descriptor."""
    target: Word
    appends: bool = False
    """True for `>>`: the file keeps its content."""
    reads_and_writes: bool = False
    """True for `<>`: the file is also read."""
    exact: bool = True
    """True if the command gets this text unchanged, because the shell removes no backslash from it."""

    @property
    def is_input(self) -> bool:
        """Whether the command can read its standard input from this redirection."""
        return self.access in (RedirectAccess.READ, RedirectAccess.TEXT) or self.reads_and_writes


class Assignment(NamedTuple):
    """An assignment `NAME=value`, before a command or alone."""

    name: str
    value: Word


class KnownContent(NamedTuple):
    """The content of a file or a pipe, as far as the command line itself contains it."""

    text: str = ""
    unknown: bool = False
    """True if the real content may differ from `text`."""
    possible_lines: str = ""
    """Lines that a script in the command line may have written to the file."""


class Command(NamedTuple):
    """One simple command; a command without words only assigns or redirects."""

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    directories: tuple[str, ...] = ("",)
    """The directories that the command may run in, relative to the directory in which the line starts."""
    piped: bool = False
    """True if the command reads the output of another command."""
    listing_roots: tuple[Word, ...] | None = None
    """The directories whose files are listed in the standard input; None if the input is no list of files."""
    input_words: tuple[Word, ...] | None = None
    """The exact words of the standard input, if another command of the line prints them."""
    input: KnownContent | None = None
    """The output of the commands before this command in the pipeline."""
    span: tuple[int, int] = (0, 0)
    """Start and end of the command in the line, in bytes."""
    output_is_read: bool = False
    """True if other commands of the line read the output, through a pipe or a substitution."""
    is_function_call: bool = False
    """True if the command calls a function that the same line defines.

    The commands of the function's body are listed separately.
    """
    complete_listing: tuple[Word, ...] = ()
    """Globs of the files that the standard input lists, if the list is complete."""
    written_files: tuple[tuple[str, KnownContent], ...] = ()
    """Files among the words that the same line wrote before, as pairs of name and content."""
    inherited_redirects: tuple[Redirect, ...] = ()
    """Input files of the outer command, which this nested command also reads."""

    @property
    def program(self) -> str:
        """The name of the program as written; empty for a command without words."""
        return self.words[0].text if self.words else ""

    @property
    def has_input(self) -> bool:
        """Whether a redirection replaces the input from the pipe or from the outer command."""
        return any(redirect.is_input for redirect in self.redirects)

    def with_input_of(self, outer: "Command") -> "Command":
        """Add the standard input of the outer command, unless this command has its own input."""
        own = self.with_arguments(outer.script_arguments)
        own = (
            own._replace(written_files=(*own.written_files, *outer.written_files))
            if outer.written_files
            else own
        )
        if self.piped or self.has_input:
            return own
        here = tuple(redirect for redirect in outer.redirects if redirect.access is RedirectAccess.TEXT)
        files = tuple(
            one for one in outer.redirects if one.is_input and one.access is not RedirectAccess.TEXT
        )
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
        """Replace the positional parameters by the arguments; the first argument is `$0`."""
        if not arguments:
            return self
        given = {str(at): word for at, word in enumerate(arguments)}

        def fill_parameters(word: Word) -> Word:
            return word.fill_parameter(given[word.parameter]) if word.parameter in given else word

        redirects = [one._replace(target=fill_parameters(one.target)) for one in self.redirects]
        return self._replace(words=tuple(map(fill_parameters, self.words)), redirects=tuple(redirects))

    @property
    def script_arguments(self) -> tuple[Word, ...]:
        """The arguments after the text of `sh -c`; empty if the text itself changes its arguments."""
        flag, text = [word.text for word in self.words[1:3]] if len(self.words) > 3 else ("", "")
        shell = find_program(base_name(self.program)).passes_arguments
        if not shell or flag != "-c" or text.startswith(("-", "+")) or may_set_parameters(text):
            return ()
        given = self.words[3:]
        # After a word that may become several words, the positions are unknown.
        several = next((at for at, word in enumerate(given) if word.splits or word.glob), len(given))
        return given[: several + 1]

    def relative_to(self, directories: tuple[str, ...]) -> "Command":
        """Return the nested command with its directories relative to those of the outer command."""
        if directories == ("",):
            return self
        joined = tuple(
            directory
            if directory.startswith(("/", "~", UNKNOWN_MARK)) or not base
            else f"{base}/{directory}"
            if directory
            else base
            for base in directories
            for directory in self.directories
        )
        return self._replace(directories=tuple(dict.fromkeys(joined)))


class Unreadable(Exception):
    """Raised with the reason why a command line cannot be parsed; callers turn it into an unreadable call."""


class ParsedLine(NamedTuple):
    """All commands that a line would run, or the reason why the line cannot be parsed."""

    commands: tuple[Command, ...]
    unreadable: str | None = None
    fork_bombs: tuple[str, ...] = ()
    """Functions that start themselves in a pipe or in the background."""
    secret_variables: tuple[str, ...] = ()
    """Variables that the line expands and whose names look like names of secrets."""
    array_words: tuple[Word, ...] = ()
    """Words that the line assigns to arrays; any command of the line may expand them."""
    source: str = ""
    """The text that the spans refer to, if the line was rewritten before it was parsed; otherwise empty."""


@lru_cache(maxsize=4096)
def may_set_parameters(text: str) -> bool:
    """Whether a shell text may change its positional parameters, or has functions with their own."""
    return _PARAMETER_CHANGE.search(text) is not None


MAX_GUESSES = 64
"""The maximal number of positions at which a nested command is assumed to start."""


class NestedCode(NamedTuple):
    """The commands and shell texts that a command runs in addition to itself, one level deep.

    The nested commands have the same standard input and here-documents as the command that runs them.
    """

    commands: tuple[tuple[Word, ...], ...] = ()
    """The words of each nested command."""
    texts: tuple[Word, ...] = ()
    """Shell texts that the command runs; an unknown part of a text may contain any code."""
    at: int = 0
    """The index of the first nested word; -1 if the nested code is not among the words."""
    transparent: bool = False
    """True if the command itself is harmless: it only reads if all nested commands only read."""
    covers: bool = False
    """True if an allow rule for the nested command also covers the outer command."""
    privilege: bool = False
    """True if the nested command runs as another user."""
    certain: bool = True
    """False if an option is unknown.

    Then the nested commands are guesses, which only deny rules, ask rules and breakers use.
    """
    files: tuple[Word, ...] = ()
    """Files that the outer command itself reads."""
    computed: bool = False
    """True if the nested code is unknown, or comes from a pipe."""


def guess_nested_commands(
    words: tuple[Word, ...], at: int, *, own: int = 0, texts: bool = False
) -> NestedCode:
    """Return a nested command for every position at which it may start, because the real position is unknown.

    The first `own` operands belong to the wrapper, so they may have unknown values.
    """
    plain = [index for index in range(at, len(words)) if words[index].text[:1] not in ("", "-")]
    starts = [index for index in plain if not words[index].is_opaque]
    taken = _stop_at_first_runner(words, starts[:MAX_GUESSES])
    # The name of a runner may be the value of an unknown option, but not of an unknown word.
    left = starts[MAX_GUESSES:] or (starts[len(taken) :] and not words[at].is_opaque)
    return NestedCode(
        commands=tuple(words[index:] for index in taken),
        texts=tuple(words[index] for index in plain if texts and " " in words[index].text),
        at=starts[0] if starts else at,
        certain=False,
        computed=bool(left) or any(words[index].is_opaque for index in plain[own : own + 1]),
    )


def _stop_at_first_runner(words: tuple[Word, ...], starts: list[int]) -> list[int]:
    """Drop the positions after the first program that runs its arguments, so that guesses do not multiply."""
    for count, index in enumerate(starts, 1):
        if find_program(base_name(words[index].text)).runs_others:
            return starts[:count]
    return starts


def restrict_uncertain_code(found: NestedCode, *, trusted: bool) -> NestedCode:
    """Mark unknown nested code as computed, and treat only known code of a trusted program as transparent."""
    unknown = any(map(_starts_with_unknown_text, found.texts)) or any(
        words[0].is_opaque for words in found.commands
    )
    computed = found.computed or unknown
    known = (
        trusted
        and found.certain
        and not computed
        and not any(UNKNOWN_MARK in text.text for text in found.texts)
    )
    return found._replace(
        computed=computed,
        transparent=found.transparent and known,
        covers=found.covers and known,
    )


def add_shell_texts(found: NestedCode | None, texts: list[tuple[int, Word]]) -> NestedCode | None:
    """Add shell texts, each with its position among the words."""
    if not texts:
        return found
    found = found or NestedCode(at=texts[0][0])
    at = min(found.at or texts[0][0], *(index for index, _ in texts))
    # The same text may occur as the value of an option and as a word.
    both = dict.fromkeys((*(text for _, text in texts), *found.texts))
    return found._replace(texts=tuple(both), at=at)


def add_embedded_code(
    found: NestedCode | None,
    *,
    commands: tuple[tuple[Word, ...], ...] = (),
    texts: tuple[Word, ...] = (),
) -> NestedCode | None:
    """Add nested code that comes from variable values or scripts, and so has no position among the words."""
    if not commands and not texts:
        return found
    found = found or NestedCode(at=-1)
    return found._replace(
        commands=(*found.commands, *commands),
        texts=(*found.texts, *texts),
        transparent=False,
        covers=False,
    )


def _starts_with_unknown_text(text: Word) -> bool:
    """Whether the first characters of a shell text, and so its program, are unknown."""
    return text.text.lstrip().startswith(UNKNOWN_MARK)
