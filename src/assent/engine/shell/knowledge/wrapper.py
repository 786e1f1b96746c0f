"""How a program that runs what it is given takes it from its words."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Rest(StrEnum):
    """What the words after a wrapper's own options and operands are."""

    COMMAND = "command"
    """A program and its arguments."""
    TEXT = "text"
    """Words that are joined to one shell text."""
    TEXTS = "texts"
    """Shell texts, one a word."""
    SCRIPT = "script"
    """A file with a program and its arguments; without one the program is read from the input."""
    FIRST = "first"
    """Shell text, then names: `trap`."""
    VALUES = "values"
    """`NAME=text` words: `alias`."""
    SETTING = "setting"
    """A key and its value, which may be shell text."""
    FLAGS = "flags"
    """Nothing that is run: only some options name a program."""


class Input(StrEnum):
    """What a wrapper without anything to run takes its standard input for."""

    DATA = "data"
    SHELL = "shell"
    """Shell text."""
    CODE = "code"
    """A program in another language."""


class Wrapper(NamedTuple):
    """How a program takes what it runs."""

    options: str = ""
    operands: int = 0
    """Operands of its own before the command: a duration, a host, a directory."""
    optional: bool = False
    """Those operands may be left out, so that the first of them may be the program."""
    again: bool = False
    """Options may stand after those operands, too."""
    assignments: bool = False
    """`NAME=value` words may stand before the command."""
    marker: str = ""
    """The word after which the command begins, whatever stood before."""
    rest: Rest = Rest.COMMAND
    before: tuple[str, ...] = ()
    """Words that stand before what is given, as `sh` for the arguments of `su`."""
    input: Input = Input.DATA
    transparent: bool = False
    """By itself harmless: with a command that only reads, it only reads."""
    covers: bool = False
    """What allows the command allows it here, too."""
    privilege: bool = False


class Subcommands(NamedTuple):
    """A program of which some sub-commands run what they are given."""

    commands: "Mapping[str, Carrier]"
    options: str = ""
    """Options that may stand before the sub-command."""
    default: Wrapper | None = None
    """How it takes its words when no sub-command is named."""


Carrier = Wrapper | Subcommands
