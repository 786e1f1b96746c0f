"""The two small languages in which an entry spells the options of a program, and their parsers.

`Reads.flags` lists the flags with which a program only reads. Flags are written as in a manual, separated
by blanks, exactly as they may be typed:

    -l --long        takes no value
    -n= --lines=     takes a value, attached or as the next word
    -I? --color?     takes an optional value, attached only
    --pager=never    takes exactly this value, attached
    -f=< --file=<    the value names a file that is read
    -e=^ --files^    with this flag the first operand is no longer the pattern
    -NUM             a dash and digits, as in `head -20`

A flag that is not listed, an abbreviated flag too, is not harmless. The list never says what is dangerous,
because nobody knows all of it.

`options` of `Runs`, `Writes` and `InputRule` and `Program.text_options` describe options:

    -l --long        takes no value
    -n= --lines=     takes a value, attached or as the next word; `==` takes two words
    -I? --color?     takes an optional value, attached only
    -NUM             a dash and digits, as in `nice -5`
    -* --*           any other short or long option, which takes no word as its value
    +?               a word that begins with a plus

The characters after the name say more:

    <  the value is a file that is read
    >  the value is a file that is written
    !  the value is shell text, or a program
    &  the value is a text of words for the same program, and the words after it are more of them
    ^  the value is a program, and the words after it are its arguments
    ,  the value is a program and its arguments, with commas between them
    #  the value is a file with a program, which may be the input
    @  the value is KEY=VALUE, and the right side may be shell text
    %  the value is a command of an editor or debugger, which can lead to the shell
    $  the operands that follow are shell text
    *  a command follows, up to the end of the line
    ;  nothing that follows is run
    ~  the option is not harmless by itself
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

FLAG_MARKS = "=?<^"
OPTION_MARKS = "=?<>!&^,#@%$*;~"


class Flag(NamedTuple):
    """How a flag takes its value."""

    value: bool = False
    optional: bool = False
    file: bool = False
    pattern: bool = False


class Flags(NamedTuple):
    """A parsed list of flags."""

    known: Mapping[str, Flag]
    number: bool
    """`-20` is accepted."""
    single_dash_words: bool
    """Some flag is a word after one dash, so short flags are never bundled."""


@lru_cache(maxsize=1024)
def parse_flags(text: str) -> Flags:
    """Parse a list of harmless flags."""
    known: dict[str, Flag] = {}
    number = words = False
    for token in text.split():
        if token == "-NUM":
            number = True
            continue
        name = token.rstrip(FLAG_MARKS)
        kind = token[len(name) :]
        known[name] = Flag("=" in kind, "?" in kind, "<" in kind, "^" in kind)
        words = words or (len(name) > 2 and name[1] != "-")
    return Flags(known, number, words)


class Option(NamedTuple):
    """How an option takes its value, and what the value is."""

    values: int = 0
    """The number of words that the option takes."""
    optional: bool = False
    """The option may have a value, but only an attached one."""
    marks: str = ""

    @property
    def attaches(self) -> bool:
        """Whether a value may stand in the same word."""
        return self.values > 0 or self.optional


class Grammar(NamedTuple):
    """A parsed list of options."""

    known: Mapping[str, Option]
    number: bool
    any_short: bool
    any_long: bool


@lru_cache(maxsize=1024)
def parse_grammar(text: str) -> Grammar:
    """Parse a list of options."""
    tokens = text.split()
    special = {"-NUM", "-*", "--*"}
    known = dict(_option(token) for token in tokens if token not in special)
    return Grammar(known, "-NUM" in tokens, "-*" in tokens, "--*" in tokens)


def _option(token: str) -> tuple[str, Option]:
    name = token.rstrip(OPTION_MARKS)
    marks = token[len(name) :]
    return name, Option(marks.count("="), "?" in marks, marks.strip("=?"))
