"""Bash as a language: read a text into the simple commands that it would run."""

import re
from collections.abc import Callable
from typing import cast

from assent.engine.base.characters import hidden_character
from assent.engine.base.lazy import load_attribute, regex
from assent.engine.lines.command import Command, ParsedLine, Unreadable
from assent.engine.lines.dangers import find_dangers
from assent.engine.lines.line import Language
from assent.engine.lines.nested import find_nested
from assent.engine.lines.output import (
    find_complete_listing,
    find_listing_roots,
    find_output,
    find_printed_words,
)
from assent.engine.lines.reading import find_reads
from assent.engine.lines.spellings import find_bash_forms
from assent.engine.lines.writes import find_changes
from assent.engine.programs.catalog import lookup
from assent.engine.programs.runs import InputUse
from assent.engine.programs.word import Word

LONGEST_TEXT = 32 * 1024
RESERVED = frozenset(
    "! { } [[ ]] if then elif else fi for while until do done case esac select function in".split()
)
LONGEST_PLAIN = 1024
MOST_PLAIN = 64
_PLAIN_LINE = regex(r"[\w./:=@%+,-]+(?: [\w./:=@%+,-]+)*", re.ASCII)
_WORDS = r"[\w./][\w./:@%+,-]*(?: [\w./:@%+,-][\w./:=@%+,-]*)*"
_PLAIN_CHAIN = regex(rf"{_WORDS}(?:(?: && | \|\| |; |\n){_WORDS})+|{_WORDS}(?: \| {_WORDS})+", re.ASCII)
_JOINT = regex(r"( (?:&&|\|\||\|) |; |\n)")
_KEYWORDS = RESERVED | {"time", "coproc"}
_NOT_PLAIN = frozenset(
    """cd pushd popd builtin command read declare typeset export readonly local unset unsetenv""".split()
)
"""Commands that change the meaning of later commands, or that the grammar treats specially."""


def read_bash(text: str) -> ParsedLine:
    """Every command that a bash text would run, or the reason why the text cannot be read."""
    if len(text) > LONGEST_TEXT:
        return ParsedLine((), f"is longer than {LONGEST_TEXT} characters")
    if (plain := read_plain(text)) is not None:
        return plain
    if (what := hidden_character(text)) is not None:
        return ParsedLine((), f"holds {what}")
    try:
        return _read_by_tree(text)
    except Unreadable as reason:
        return ParsedLine((), str(reason))
    except RecursionError:
        return ParsedLine((), "is nested too deeply")


def read_plain(text: str) -> ParsedLine | None:
    """Read a line of plain words, or a plain chain of them, without a parser; None for other lines."""
    if len(text) > LONGEST_PLAIN:
        return None
    if _PLAIN_LINE.fullmatch(text):
        words = text.split(" ")
        if "=" in words[0] or words[0] in _KEYWORDS:
            return None
        return ParsedLine((Command(tuple(map(Word, words)), span=(0, len(text))),))
    return _read_plain_chain(text) if _PLAIN_CHAIN.fullmatch(text) else None


def _read_by_tree(text: str) -> ParsedLine:
    """Read a text by its syntax tree; that module is loaded with the first line that is not plain."""
    return cast("Callable[[str], ParsedLine]", load_attribute("bash.walk", "read_by_tree"))(text)


def _find_input_use(command: Command) -> InputUse:
    """What a command uses its input for; that module is loaded with the first command that has an input."""
    return cast(
        "Callable[[Command], InputUse]", load_attribute("lines.standard_input", "find_bash_input_use")
    )(command)


def _read_plain_chain(text: str) -> ParsedLine | None:
    """Read plain commands that are chained or piped."""
    first, *rest = _JOINT.split(text)
    if len(rest) > MOST_PLAIN * 2:
        return None
    commands: list[Command] = []
    joints = set(rest[::2]) - {" | "}
    start = 0
    for joint, piece in zip(["", *rest[::2]], [first, *rest[1::2]], strict=True):
        start += len(joint)
        words = piece.split(" ")
        if words[0] in _KEYWORDS or words[0] in _NOT_PLAIN or (joints and lookup(words[0]).downloads):
            return None
        command = Command(tuple(map(Word, words)), span=(start, start + len(piece)))
        if joint == " | ":
            commands[-1] = commands[-1]._replace(output_is_read=True)
            whole = find_complete_listing(commands[0], command) if len(commands) == 1 else ()
            said = find_output(commands[-1])
            command = command._replace(
                piped=True,
                listing_roots=find_listing_roots(commands),
                input_words=find_printed_words(commands),
                input=said,
                complete_listing=whole,
            )
        commands.append(command)
        start += len(piece)
    return ParsedLine(tuple(commands))


BASH = Language(
    read_bash, find_reads, find_nested, find_changes, find_dangers, find_bash_forms, _find_input_use
)
