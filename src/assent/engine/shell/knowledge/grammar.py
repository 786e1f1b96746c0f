"""How the tables of wrappers and writers spell the options of a program.

Options are written as in a manual, separated by blanks:

    -l --long        takes no value
    -n= --lines=     takes a value, attached or as the next word; `==` takes two words
    -I? --color?     takes an optional value, attached only
    -NUM             a dash and digits, as in `nice -5`
    -* --*           any other short or long word, which takes no word as its value
    +?               a word that begins with a plus

What follows the name tells more:

    <  the value is a file that is read
    >  the value is a file that is written
    !  the value is shell text, or a program
    &  the value is a text of words for the same program, and the words after it are more of them
    ^  the value is a program, and the words after it are its arguments
    ,  the value is a program and its arguments, with commas between them
    #  the value is a file with a program, which may be the input
    @  the value is KEY=VALUE, and the right side may be shell text
    %  the value is a command of an editor or debugger, which can lead to the shell
    $  what follows as operands is shell text
    *  what follows is a command, up to its end
    ;  nothing that follows is run
    ~  not harmless by itself
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

MARKS = "=?<>!&^,#@%$*;~"


class Option(NamedTuple):
    """How one option takes its value, and what that is."""

    values: int = 0
    """How many words it takes."""
    optional: bool = False
    """It may have a value, but an attached one only."""
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
    """Read a list of options as written in the tables."""
    tokens = text.split()
    special = {"-NUM", "-*", "--*"}
    known = dict(_option(token) for token in tokens if token not in special)
    return Grammar(known, "-NUM" in tokens, "-*" in tokens, "--*" in tokens)


def _option(token: str) -> tuple[str, Option]:
    name = token.rstrip(MARKS)
    marks = token[len(name) :]
    return name, Option(marks.count("="), "?" in marks, marks.strip("=?"))
