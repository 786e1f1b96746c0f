"""A word of a command after quotes are removed, and the program name in a word."""

from functools import lru_cache
from typing import NamedTuple

from assent.engine.base import globs
from assent.engine.base.lazy import regex

UNKNOWN_MARK = globs.UNKNOWN_MARK
"""Marks a piece of a word whose value is unknown.

The text of a command line never contains this character.
"""

_PLAIN_TEXT = regex(r"[\w./:=@%+,-]+")


class Word(NamedTuple):
    """A word after quotes are removed; each piece with an unknown value is replaced by `UNKNOWN_MARK`."""

    text: str
    glob: bool = False
    """True if the word contains an unquoted `*`, `?` or `[`.

    The shell may replace such a word by file names.
    """
    tilde: bool = False
    """True if the word begins with an unquoted `~` or `$HOME`, and so means a home directory."""
    quoted: bool = False
    """True if some of the word was quoted or escaped, so that it is no reserved word and no alias."""
    listed: bool = False
    """True if the word is a name that another command of the line lists, below the workspace."""
    certain: bool = False
    """True if the listed names certainly exist, none is a link, and none contains a blank."""
    splits: bool = False
    """True if the word contains an unquoted unknown piece, so that it may become several words, or none."""
    plain: bool = False
    """True if the unknown piece is a number or a hash: no flag, no path, and nothing to evaluate or split."""
    parameter: str = ""
    """The number of the positional parameter, if the word is only this parameter: `1` for `"$1"`."""
    if_unset: str = ""
    """The text of the word if the variables in it are not set, from `${name:-…}`."""
    operand: bool = False
    """True if the word is certainly no flag.

    For example, `find` begins each name with its start directory.
    """

    def fill_parameter(self, argument: "Word") -> "Word":
        """The value of this parameter, unless the shell would split it into several words."""
        if self.splits and UNKNOWN_MARK not in argument.text and not _PLAIN_TEXT.fullmatch(argument.text):
            return self
        return argument._replace(parameter="", splits=self.splits and UNKNOWN_MARK in argument.text)

    @property
    def is_known(self) -> bool:
        """Whether the whole text is known."""
        return not (self.glob or self.splits or UNKNOWN_MARK in self.text)

    @property
    def is_opaque(self) -> bool:
        """Whether the value is unknown until the line runs.

        The word has an unknown piece, or is a glob that may become a flag.
        """
        return UNKNOWN_MARK in self.text or self.splits or (self.glob and self.text[:1] in "*?[")


@lru_cache(maxsize=4096)
def base_name(program: str) -> str:
    """The name of a program without its directory: `/usr/bin/rm` is `rm`.

    Some shells also accept `=rm` for `rm`.
    """
    return program.replace("\\", "/").rsplit("/", 1)[-1].removeprefix("=")


def without_version(name: str) -> str:
    """The name of a program without its version: `python` for `python3.12`."""
    return name.rstrip("0123456789.-")
