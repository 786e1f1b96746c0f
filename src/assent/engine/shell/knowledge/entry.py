"""An entry of the read-only table: the flags of a program that are known to be harmless.

Flags are written as in a manual, separated by blanks, exactly as they may be typed:

    -l --long        takes no value
    -n= --lines=     takes a value, attached or as the next word
    -I? --color?     takes an optional value, attached only
    --pager=never    takes exactly this value, attached
    -f=< --file=<    the value names a file that is read
    -e=^ --files^    with it the first operand is no longer the pattern
    -NUM             a dash and digits, as in `head -20`

A flag that is not listed, an abbreviated one too, is not harmless. That is the whole idea:
the table never says what is dangerous, because nobody knows all of it.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple


class Operands(StrEnum):
    """What the words after the flags are."""

    FILES = "files"
    """Files and directories that are read."""
    PATTERN_FILES = "pattern files"
    """A pattern first, unless a flag gave it, then files."""
    NAMES = "names"
    """Revisions, branches or paths: read as a path only when spelled like one that leads out."""
    TEXT = "text"
    """Anything; no file is read because of it."""
    SINGLE = "single"
    """One file or name at most: a second one would be written, or change something."""
    BINARIES = "binaries"
    """Files; one spelled `@list` would be a list of more flags."""
    NONE = "none"
    """None at all."""


class Reads(NamedTuple):
    """A program, or a sub-command, that only reads when used with these flags alone."""

    flags: str = ""
    operands: Operands = Operands.FILES
    every_flag: bool = False
    """No flag at all, listed or not, writes, runs or connects: unknown operands are fine."""
    trust: bool = False
    """It may run helpers that the repository's own files name: reads only in a trusted one."""
    follows: str = ""
    """With any of these flags it follows links of the repository, wherever they lead: the same holds."""
    check: str = ""
    """The name of a function in `checks` that reads the words, besides the flag list if there is one."""
    lists: bool = False
    """It prints names of files below the workspace, one a line."""
    lists_with: str = ""
    """With any of these flags it does so."""
    lists_without: str = ""
    """With any of these flags it prints something else."""
    needs: str = ""
    """Flags of which one must be given before any operand, like `-l` of `unzip`."""
    only: bool = False
    """One of its flags alone, with nothing else, as in `node --version`."""
    bare: bool = True
    """It only reads without any operand, too."""


class Commands(NamedTuple):
    """A program whose first operand is a sub-command with an entry of its own."""

    commands: "Mapping[str, Entry]"
    flags: str = ""
    """Flags that may stand before the sub-command."""
    trust: bool = False
    bare: bool = False
    """With flags only (`git --version`) it just reads."""
    empty: bool = False
    """Without any word at all it just reads, too."""
    check: str = ""
    """The name of a function in `checks` that looks at the words before the sub-command."""
    alone: str = ""
    """Flags with which a sub-command means something else, like `git --help log`."""


Entry = Reads | Commands


class Flag(NamedTuple):
    """How one flag takes its value."""

    value: bool = False
    optional: bool = False
    file: bool = False
    pattern: bool = False


class Flags(NamedTuple):
    """A parsed flag list."""

    known: Mapping[str, Flag]
    number: bool
    """`-20` is accepted."""
    single_dash_words: bool
    """Some flag is a word after one dash, so short flags are never bundled."""


@lru_cache(maxsize=1024)
def parse_flags(text: str) -> Flags:
    """Read a flag list as written in the table."""
    known: dict[str, Flag] = {}
    number = words = False
    for token in text.split():
        if token == "-NUM":
            number = True
            continue
        name = token.rstrip("=?<^")
        kind = token[len(name) :]
        known[name] = Flag("=" in kind, "?" in kind, "<" in kind, "^" in kind)
        words = words or (len(name) > 2 and name[1] != "-")
    return Flags(known, number, words)
