"""Parse a bash text into the simple commands that it runs."""

import re
from collections.abc import Callable
from typing import cast

from assent.engine.base.characters import describe_hidden_character
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
from assent.engine.programs.catalog import find_program
from assent.engine.programs.runs import InputUse
from assent.engine.programs.word import Word

MAX_TEXT_LENGTH = 32 * 1024
"""The maximal length of a bash text; a longer text is unreadable."""
RESERVED_WORDS = frozenset(
    "! { } [[ ]] if then elif else fi for while until do done case esac select function in".split()
)
"""The reserved words of bash."""
MAX_PLAIN_LENGTH = 1024
"""The maximal length of a line that is parsed without the grammar."""
MAX_PLAIN_COMMANDS = 64
"""The maximal number of commands of a plain chain."""
_PLAIN_LINE = regex(r"[\w./:=@%+,-]+(?: [\w./:=@%+,-]+)*", re.ASCII)
"""One command of plain words, without quotes, expansions and operators."""
_PLAIN_WORDS = r"[\w./][\w./:@%+,-]*(?: [\w./:@%+,-][\w./:=@%+,-]*)*"
_PLAIN_CHAIN = regex(
    rf"{_PLAIN_WORDS}(?:(?: && | \|\| |; |\n){_PLAIN_WORDS})+|{_PLAIN_WORDS}(?: \| {_PLAIN_WORDS})+", re.ASCII
)
"""Plain commands joined by `&&`, `||`, `;`, newlines or pipes."""
_CHAIN_OPERATOR = regex(r"( (?:&&|\|\||\|) |; |\n)")
_KEYWORDS = RESERVED_WORDS | {"time", "coproc"}
_SPECIAL_COMMANDS = frozenset(
    """cd pushd popd builtin command read declare typeset export readonly local unset unsetenv""".split()
)
"""Commands that change the meaning of later commands, or that the grammar treats specially."""


def parse_bash(text: str) -> ParsedLine:
    """Return all commands that a bash text runs, or the reason why the text is unreadable."""
    if len(text) > MAX_TEXT_LENGTH:
        return ParsedLine((), f"is longer than {MAX_TEXT_LENGTH} characters")
    if (plain := parse_plain_commands(text)) is not None:
        return plain
    if (what := describe_hidden_character(text)) is not None:
        return ParsedLine((), f"holds {what}")
    try:
        return _parse_by_tree(text)
    except Unreadable as reason:
        return ParsedLine((), str(reason))
    except RecursionError:
        return ParsedLine((), "is nested too deeply")


def parse_plain_commands(text: str) -> ParsedLine | None:
    """Parse plain commands without the grammar, which is faster; None for other lines."""
    if len(text) > MAX_PLAIN_LENGTH:
        return None
    if _PLAIN_LINE.fullmatch(text):
        words = text.split(" ")
        if "=" in words[0] or words[0] in _KEYWORDS:
            return None
        return ParsedLine((Command(tuple(map(Word, words)), span=(0, len(text))),))
    return _parse_plain_chain(text) if _PLAIN_CHAIN.fullmatch(text) else None


def _parse_by_tree(text: str) -> ParsedLine:
    """Parse a text by its syntax tree; the module for it is loaded on first use."""
    return cast("Callable[[str], ParsedLine]", load_attribute("bash.walk", "parse_by_tree"))(text)


def _find_input_use(command: Command) -> InputUse:
    """What a command uses its input for; the module for it is loaded on first use."""
    return cast(
        "Callable[[Command], InputUse]", load_attribute("lines.standard_input", "find_bash_input_use")
    )(command)


def _parse_plain_chain(text: str) -> ParsedLine | None:
    """Parse plain commands that are chained or piped; None if one of them needs the grammar."""
    first, *rest = _CHAIN_OPERATOR.split(text)
    if len(rest) > MAX_PLAIN_COMMANDS * 2:
        return None
    commands: list[Command] = []
    joints = set(rest[::2]) - {" | "}
    start = 0
    for joint, piece in zip(["", *rest[::2]], [first, *rest[1::2]], strict=True):
        start += len(joint)
        words = piece.split(" ")
        if (
            words[0] in _KEYWORDS
            or words[0] in _SPECIAL_COMMANDS
            or (joints and find_program(words[0]).downloads)
        ):
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
    parse_bash, find_reads, find_nested, find_changes, find_dangers, find_bash_forms, _find_input_use
)
"""The functions that parse and analyse bash."""
