"""Lines of plain words, which are their own parse, and plain chains of them."""

import re

from assent.engine.lines import printing
from assent.engine.lines.command import Command, Line
from assent.engine.lines.listing import listed, printed, swept
from assent.engine.programs.catalog import lookup
from assent.engine.programs.word import Word
from assent.engine.regex import regex

RESERVED = frozenset(
    "! { } [[ ]] if then elif else fi for while until do done case esac select function in".split()
)
LONGEST_PLAIN = 1024
MOST_PLAIN = 64
_LINE = regex(r"[\w./:=@%+,-]+(?: [\w./:=@%+,-]+)*", re.ASCII)
_WORDS = r"[\w./][\w./:@%+,-]*(?: [\w./:@%+,-][\w./:=@%+,-]*)*"
_CHAIN = regex(rf"{_WORDS}(?:(?: && | \|\| |; |\n){_WORDS})+|{_WORDS}(?: \| {_WORDS})+", re.ASCII)
_CUT = regex(r"( (?:&&|\|\||\|) |; |\n)")
_KEYWORDS = RESERVED | {"time", "coproc"}
_LASTING = frozenset(
    """cd pushd popd builtin command read declare typeset export readonly local unset unsetenv""".split()
)
"""Commands that say something about those behind them, or that the grammar reads in its own way."""


def read_plain(text: str) -> Line | None:
    """A line of plain words with single blanks between them is its own parse; most lines are."""
    if len(text) > LONGEST_PLAIN:
        return None
    if _LINE.fullmatch(text):
        words = text.split(" ")
        if "=" in words[0] or words[0] in _KEYWORDS:
            return None
        return Line((Command(tuple(map(Word, words)), span=(0, len(text))),))
    return _read_chain(text) if _CHAIN.fullmatch(text) else None


def _read_chain(text: str) -> Line | None:
    """Plain commands one after the other, or each of them fed by those before."""
    first, *rest = _CUT.split(text)
    if len(rest) > MOST_PLAIN * 2:
        return None
    commands: list[Command] = []
    joints = set(rest[::2]) - {" | "}
    start = 0
    for joint, piece in zip(["", *rest[::2]], [first, *rest[1::2]], strict=True):
        start += len(joint)
        words = piece.split(" ")
        if words[0] in _KEYWORDS or words[0] in _LASTING or (joints and lookup(words[0]).downloads):
            return None
        command = Command(tuple(map(Word, words)), span=(start, start + len(piece)))
        if joint == " | ":
            commands[-1] = commands[-1]._replace(taken=True)
            whole = swept(commands[0], command) if len(commands) == 1 else ()
            said = printing.printed(commands[-1])
            command = command._replace(
                piped=True, fed=listed(commands), given=printed(commands), input=said, swept=whole
            )
        commands.append(command)
        start += len(piece)
    return Line(tuple(commands))
