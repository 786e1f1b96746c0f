"""A word of a command after quoting, and the name that a word gives to a program."""

from functools import lru_cache
from typing import NamedTuple

from assent.engine.base import globs
from assent.engine.base.lazy import regex

UNKNOWN_MARK = globs.UNKNOWN_MARK
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
    """It is a name that another command of the line lists, below the workspace."""
    certain: bool = False
    """The listed names certainly exist, none is a link, and none contains a blank."""
    splits: bool = False
    """It holds an unquoted hole, so it may become several words, or none."""
    plain: bool = False
    """Its unknown piece is a number or a hash: no flag, no path, nothing to evaluate or split."""
    parameter: str = ""
    """It is only this positional parameter: `1` for `"$1"`."""
    if_unset: str = ""
    """Its text if the variables in it are not set, from `${name:-…}`."""
    operand: bool = False
    """It is certainly no flag: `find` begins each name with the start directory."""

    def fill_parameter(self, argument: "Word") -> "Word":
        """The value of this parameter, unless the shell would split it into several words."""
        if self.splits and UNKNOWN_MARK not in argument.text and not _WHOLE.fullmatch(argument.text):
            return self
        return argument._replace(parameter="", splits=self.splits and UNKNOWN_MARK in argument.text)

    @property
    def known(self) -> bool:
        """Whether its text is fully known."""
        return not (self.glob or self.splits or UNKNOWN_MARK in self.text)

    @property
    def opaque(self) -> bool:
        """Whether its value is unknown: a hole, or a glob that could even become a flag."""
        return UNKNOWN_MARK in self.text or self.splits or (self.glob and self.text[:1] in "*?[")


@lru_cache(maxsize=4096)
def base_name(program: str) -> str:
    """Name a program without its directory: `/usr/bin/rm` is `rm`, and so is `=rm` to some shells."""
    return program.replace("\\", "/").rsplit("/", 1)[-1].removeprefix("=")


def without_version(name: str) -> str:
    """Name a program without its version: `python3.12` is `python`."""
    return name.rstrip("0123456789.-")
