"""Find what commands print for other commands of the line: texts, words and file names."""

import posixpath
import re
from collections.abc import Iterable
from itertools import pairwise

from assent.engine.base.lazy import regex
from assent.engine.base.sensitive_paths import could_be_secret, mentions_secret
from assent.engine.lines.command import Command, KnownContent, Redirect, RedirectAccess
from assent.engine.lines.reading import ReadResult, find_reads
from assent.engine.programs.catalog import find_program
from assent.engine.programs.checks.files import finds_only_files, has_filter, searched_names
from assent.engine.programs.losses import LossesBy
from assent.engine.programs.program import PrintedOutput, Program
from assent.engine.programs.runs import RunsBy
from assent.engine.programs.word import UNKNOWN_MARK, Word, base_name

MAX_CONTENT_LENGTH = 16_384
"""The maximal length of a known content. A longer content is treated as unknown."""
MAX_WRITTEN_FILES = 64
"""The maximal number of files that a line may write; a line that writes more files is unreadable."""
EMPTY = KnownContent()
"""A content that is known to be empty."""
UNKNOWN = KnownContent(unknown=True)
"""A content about which nothing is known."""
_ESCAPE_SEQUENCE = regex(
    r"\\(?:x(?P<hex>[0-9a-fA-F]{1,2})|u(?P<wide>[0-9a-fA-F]{1,4})|U(?P<long>[0-9a-fA-F]{1,8})"
    r"|0?(?P<octal>[0-7]{1,3})|(?P<sign>[ntr\\c]))"
)
"""An escape sequence of `echo -e` or `printf`."""
_ESCAPE_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "c": ""}
_FORMAT_CONVERSION = regex(r"%[-\d.]*[a-zA-Z]")
"""A conversion in a format of `printf`, such as `%s`."""
_LAST_CHARACTER = 0x10FFFF
_ECHO_FLAG = regex(r"-[neE]+")
_SINGLE_CHARACTER_SET = regex(r"\[(.)\]")
"""A character set with one character, such as `[.]`."""
_GLOB_PATTERN = regex(r".*[*?\[].*", re.DOTALL)
_TYPE_OPTIONS = frozenset({"-type", "-t", "--type"})
_LINK_TYPES = frozenset({"l", "symlink"})
_LINK_OPTIONS = frozenset({"-lname", "-ilname", "-xtype", "-tl", "-tsymlink", "--type=l", "--type=symlink"})
"""Options of `find` and `fd` that select links."""
_REPEATERS = (RunsBy.INPUT_NAMES, RunsBy.ARGUMENTS)
"""How programs run a command for each name in their input."""
_VARIABLE_READERS = frozenset({"", "read", "mapfile", "readarray"})
"""Builtins that read the words of a here-document into variables."""


def find_output(command: Command) -> KnownContent:
    """The text that a command prints, as far as it is known."""
    if not command.words:
        return find_input_content(command) or EMPTY
    match prints := find_program(base_name(command.program)).prints:
        case PrintedOutput.WORDS:
            return limit_content(_echo_output([word.text for word in command.words[1:]]))
        case PrintedOutput.FORMAT:
            return limit_content(
                _printf_output([word.text for word in command.words[1:] if word.text != "--"])
            )
        case PrintedOutput.NOTHING:
            return EMPTY
        case None:
            return UNKNOWN
        case PrintedOutput.PASSES | PrintedOutput.CHANGES:
            found = [
                *([own] if (own := find_input_content(command)) is not None else []),
                *_operand_contents(command),
            ]
            whole = join_contents(found) if found else UNKNOWN
            return whole._replace(unknown=whole.unknown or prints is PrintedOutput.CHANGES)


def find_copied_text(commands: list[Command]) -> str | None:
    """The text that a substitution has as its value, if its only command copies a here-document."""
    if len(commands) != 1 or len(commands[0].words) != 1 or commands[0].assignments:
        return None
    command = commands[0]
    if not find_program(command.program).copies_input or len(command.redirects) != 1:
        return None
    redirect = command.redirects[0]
    text = redirect.target
    known = redirect.access is RedirectAccess.TEXT and redirect.exact and UNKNOWN_MARK not in text.text
    return text.text.rstrip("\n") if known and not text.if_unset else None


def find_input_content(command: Command) -> KnownContent | None:
    """The content of the standard input of a command; None if nothing is known about the input."""
    found = [
        one
        for one in (_redirect_content(command, redirect) for redirect in command.redirects)
        if one is not None
    ]
    return join_contents(found) if found else command.input


def join_contents(contents: Iterable[KnownContent]) -> KnownContent:
    """Concatenate known contents, in order."""
    every = tuple(contents)
    text = "".join(one.text for one in every)
    guessed = "\n".join(dict.fromkeys(one.possible_lines for one in every if one.possible_lines))
    return limit_content(KnownContent(text, any(one.unknown for one in every), guessed))


def limit_content(content: KnownContent) -> KnownContent:
    """Return the content, or an unknown content if it is too long."""
    return content if len(content.text) + len(content.possible_lines) <= MAX_CONTENT_LENGTH else UNKNOWN


def find_listing_roots(pipeline: list[Command]) -> tuple[Word, ...] | None:
    """The directories whose files a pipeline lists; None if its output is no list of files.

    The directories themselves are checked as paths that the listing command reads.
    """
    if not pipeline or not pipeline[0].words:
        return None
    listing_command, *filters = pipeline
    found = find_reads(listing_command.words) if not listing_command.assignments else None
    if found is None or not found.lists:
        return None
    if not all(_is_filter(command) for command in filters):
        return None
    if looks_for_secrets(listing_command.words) or any(
        looks_for_secrets(command.words) for command in filters
    ):
        return None
    is_certain = (
        _is_like_find(find_program(base_name(listing_command.program)))
        and finds_only_files(listing_command.words)
        and not filters
    )
    return tuple(word._replace(certain=is_certain) for word in found.files)


def find_complete_listing(listing_command: Command, reading_command: Command) -> tuple[Word, ...]:
    """Globs of the files that one command lists for the next: `*` in a directory or `**` below it.

    Empty if the list omits files, or if the next command does not run a command for each file.
    """
    known = find_program(base_name(listing_command.program))
    if not any(find_program(word.text).runs_by in _REPEATERS for word in reading_command.words) or has_filter(
        listing_command.words
    ):
        return ()
    found = find_reads(listing_command.words) if _is_like_find(known) or known.lists_whole_directory else None
    if found is None:
        return ()
    star = "*" if known.lists_whole_directory else "**"
    roots = [word for word in found.files if not word.glob] if found.files else [Word(".")]
    return tuple(word._replace(text=posixpath.join(word.text, star), glob=True) for word in roots)


def looks_for_secrets(words: tuple[Word, ...]) -> bool:
    """Whether a listing command or a filter searches for links, or for files that usually contain secrets."""
    texts = [_SINGLE_CHARACTER_SET.sub(r"\1", word.text) for word in words[1:]]
    types = [text for before, text in pairwise(texts) if before in _TYPE_OPTIONS]
    if any(not _LINK_TYPES.isdisjoint(text.split(",")) for text in types) or not _LINK_OPTIONS.isdisjoint(
        texts
    ):
        return True
    return any(
        mentions_secret(text) or (_GLOB_PATTERN.fullmatch(text) and could_be_secret(text)) for text in texts
    )


def find_listed_paths(command: Command, reads: ReadResult | None = None) -> tuple[Word, ...]:
    """The paths that a command prints for other commands of the line.

    `reads` is given if the command only reads.
    """
    program = base_name(command.program)
    if program in _VARIABLE_READERS:
        texts = [one.target.text for one in command.redirects if one.access is RedirectAccess.TEXT]
        return tuple(Word(text) for one in texts for text in one.split())
    if not command.output_is_read:
        return ()
    known = find_program(program)
    if known.prints_names:
        return command.words[1:]
    if reads is not None and known.losses_by is LossesBy.REPOSITORY:
        return _paths_listed_by_git(command.words)
    if reads is None or not reads.lists:
        return ()
    return (*reads.files, *searched_names(command.words[1:])) if _is_like_find(known) else reads.files


def find_printed_words(pipeline: list[Command]) -> tuple[Word, ...] | None:
    """The words that `echo` or `printf` prints for the next command; None for other pipelines."""
    if len(pipeline) != 1 or find_program(pipeline[0].program).prints not in (
        PrintedOutput.WORDS,
        PrintedOutput.FORMAT,
    ):
        return None
    words = [word for word in pipeline[0].words[1:] if not word.text.startswith("-") and "%" not in word.text]
    return tuple(
        word._replace(text=piece, quoted=True)
        for word in words
        for piece in word.text.replace("\\n", " ").split()
    )


def _redirect_content(command: Command, redirect: Redirect) -> KnownContent | None:
    """The content that a redirection passes to a command; None for an output redirection."""
    if redirect.access is RedirectAccess.TEXT:
        return KnownContent(f"{redirect.target.if_unset or redirect.target.text}\n")
    if redirect.access is not RedirectAccess.READ:
        return None
    named = base_name(redirect.target.text)
    return next((content for name, content in command.written_files if name == named), UNKNOWN)


def _operand_contents(command: Command) -> list[KnownContent]:
    """The contents of the operands that are files which the line wrote before."""
    named = {base_name(word.text) for word in command.words[1:]}
    return [content for name, content in command.written_files if name in named]


def _echo_output(words: list[str]) -> KnownContent:
    """The output of `echo`. Escape sequences are always decoded, although not every shell does so."""
    flags = next((at for at, word in enumerate(words) if not _ECHO_FLAG.fullmatch(word)), len(words))
    end = "" if any("n" in word for word in words[:flags]) else "\n"
    return KnownContent(_unescape(" ".join(words[flags:])) + end)


def _printf_output(words: list[str]) -> KnownContent:
    """The approximate output of `printf`."""
    form, *values = words or [""]
    whole: list[str] = []
    left = values
    while True:
        conversions = len(_FORMAT_CONVERSION.findall(form))
        taken, left = left[:conversions], left[conversions:]
        whole.append(_fill_format(form, taken))
        if not conversions or not left or len(whole) > len(values):
            return KnownContent(_unescape("".join(whole)))


def _fill_format(form: str, values: list[str]) -> str:
    """Insert values into a format of `printf`."""
    rest = iter(values)
    return _FORMAT_CONVERSION.sub(lambda _: next(rest, UNKNOWN_MARK), form)


def _unescape(text: str) -> str:
    """Decode the escape sequences of a text."""
    return _ESCAPE_SEQUENCE.sub(
        lambda found: _decode_escape(
            found["hex"] or found["wide"] or found["long"], found["octal"], found["sign"]
        ),
        text,
    )


def _decode_escape(hexadecimal: str | None, octal: str | None, sign: str | None) -> str:
    """The character that an escape sequence means; empty for a character that no text may contain."""
    if sign:
        return _ESCAPE_LETTERS[sign]
    code = int(octal, 8) if octal else int(hexadecimal or "0", 16)
    # A character that no text may contain cannot be part of a command.
    return chr(code) if 0 < code <= _LAST_CHARACTER and not 0xD800 <= code < 0xE000 else ""


def _is_filter(command: Command) -> bool:
    """Whether a command only passes some of its input lines on, unchanged."""
    filters = find_program(command.program).filters
    if filters is None or command.assignments or command.has_input:
        return False
    given = [word.text for word in command.words[1:] if word.text.startswith("-")]
    flags = filters.split()
    if any(flag not in flags and not flag[1:].isdecimal() for flag in given):
        return False
    found = find_reads(command.words)
    return found is not None and not found.files


def _is_like_find(program: Program) -> bool:
    """Whether a program runs commands for the files that it finds, as `find` does."""
    return program.runs_by is RunsBy.FOUND_FILES


def _paths_listed_by_git(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The paths that `git rev-parse`, `git ls-files` or `git ls-tree` prints."""
    texts = [word.text for word in words]
    if "rev-parse" in texts:
        return (Word(".git"),) if any("git-" in text for text in texts) else ()
    return words[2:] if "ls-files" in texts or "ls-tree" in texts else ()
