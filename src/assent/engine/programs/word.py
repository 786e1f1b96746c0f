"""A word of a command after quoting, and the name that a word gives to a program."""

from functools import lru_cache
from typing import NamedTuple

from assent.engine import globs
from assent.engine.regex import regex

HOLE = globs.HOLE
"""Marks a piece of a word whose value is unknown; source text never contains it."""

_WHOLE = regex(r"[\w./:=@%+,-]+")


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
    surely: bool = False
    """They are sure to be there: none is a link, and no blank in a name makes it another."""
    splits: bool = False
    """It holds an unquoted hole, so it may become several words, or none."""
    plain: bool = False
    """What is unknown of it is a number or a hash: no flag, no path, and nothing to evaluate or to split."""
    parameter: str = ""
    """It is this positional parameter of the shell, and nothing else: `1` for `"$1"`."""
    otherwise: str = ""
    """What it is if the variables in it are not set, where `${name:-…}` says that."""
    operand: bool = False
    """It is sure to be no flag: `find` begins each name with the place where it looked."""

    def meaning(self, argument: "Word") -> "Word":
        """The argument that this parameter stands for, unless it would be cut into more than one word."""
        if self.splits and HOLE not in argument.text and not _WHOLE.fullmatch(argument.text):
            return self
        return argument._replace(parameter="", splits=self.splits and HOLE in argument.text)

    @property
    def known(self) -> bool:
        """Whether it is this very text, whatever the shell does."""
        return not (self.glob or self.splits or HOLE in self.text)

    @property
    def opaque(self) -> bool:
        """Whether its value is unknown: a hole, or a glob that could even become a flag."""
        return HOLE in self.text or self.splits or (self.glob and self.text[:1] in "*?[")


@lru_cache(maxsize=4096)
def base_name(program: str) -> str:
    """Name a program without its directory: `/usr/bin/rm` is `rm`, and so is `=rm` to some shells."""
    return program.replace("\\", "/").rsplit("/", 1)[-1].removeprefix("=")


def versionless(name: str) -> str:
    """Name a program without its version: `python3.12` is `python`."""
    return name.rstrip("0123456789.-")
