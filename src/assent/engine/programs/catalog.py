"""Finds what is known about a program; a topic is loaded when the first of its programs is asked for."""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import cast

from assent.engine.late import late
from assent.engine.programs.index import NAMES
from assent.engine.programs.program import Program, ReadEntry, Rest, RunCommands
from assent.engine.programs.word import base_name, versionless

UNKNOWN = Program("")
"""The entry of a program that nobody described: no field is set."""

TOPICS: Mapping[str, str] = {name: topic for topic, names in NAMES.items() for name in names.split()}
"""The file of this folder that describes each program."""

_SYSTEM_DIRECTORIES = ("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/")
_LOADERS = ("ld-linux", "ld-musl", "ld64.so", "ld.so", "ld-2.")
"""How the names of dynamic loaders begin: they run the program that they are given."""
_FORMATTERS = ("mkfs", "newfs", "mke2fs", "mkswap", "mkntfs", "mkdosfs", "wipefs", "blkdiscard", "badblocks")


def lookup(name: str) -> Program:
    """Everything that is known about the program of this name."""
    topic = TOPICS.get(name)
    return UNKNOWN if topic is None else entries(topic)[name]


def reads(program: str) -> ReadEntry | None:
    """What a program only reads, if it is called by its name or by a path of a system directory."""
    name = trusted_name(program)
    return None if name is None else lookup(name).reads


def trusted_name(program: str) -> str | None:
    """The name of a program that is called by its name or by a path of a system directory."""
    name = base_name(program)
    return name if program == name or program.removesuffix(name) in _SYSTEM_DIRECTORIES else None


@lru_cache(maxsize=4096)
def runner_name(program: str) -> str | None:
    """The name of a program that runs others, without its directory, version and case; None for any other."""
    name = base_name(program)
    plain = name.lower().removesuffix(".exe").removesuffix(".cmd").removesuffix(".bat")
    for found in (name, plain, versionless(plain)):
        known = lookup(found)
        if known.runs is not None or known.runs_by is not None or known.text_options is not None:
            return found
    return "ld.so" if plain.startswith(_LOADERS) else None


def runs_arguments(command: str, *, any_case: bool = False) -> bool:
    """Whether a program, or a sub-command such as `npm exec`, runs what its words say.

    A rule `command *` is never suggested for it.
    """
    name, *words = command.split() or [""]
    known = lookup(_in_any_case().get(name, name) if any_case else name)
    if not words:
        return known.runs_others or known.text_options is not None or known.never_suggest
    if words[0] in known.never_suggest_commands.split():
        return True
    entry = known.runs
    for word in words:
        entry = entry.commands.get(word) if isinstance(entry, RunCommands) else None
    return isinstance(entry, RunCommands) or (
        entry is not None and entry.rest not in (Rest.FLAGS, Rest.SETTING)
    )


def formats_disks(name: str) -> bool:
    """Whether a program makes file systems, or wipes what was there."""
    return name.startswith(_FORMATTERS)


@cache
def _in_any_case() -> Mapping[str, str]:
    """The names that have capital letters, by their spelling without them."""
    return {name.casefold(): name for name in TOPICS if name != name.casefold()}


@cache
def entries(topic: str) -> Mapping[str, Program]:
    """The entries of one file of this folder, by the names of the programs."""
    programs = cast("tuple[Program, ...]", late(f"programs.{topic}", "PROGRAMS"))
    return {name: program for program in programs for name in program.names.split()}
