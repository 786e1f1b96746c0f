"""The read-only table: every program we know to only read, with the flags it may do so with."""

from assent.engine.shell.command import base_name
from assent.engine.shell.knowledge import builds, builtins, cloud, code, files, git, system, text, versions
from assent.engine.shell.knowledge.entry import Commands, Entry
from assent.engine.shell.knowledge.wrapper import Subcommands
from assent.engine.shell.knowledge.wrappers import WRAPPERS

PROGRAMS: dict[str, Entry] = {
    **versions.PROGRAMS,
    **builtins.PROGRAMS,
    **files.PROGRAMS,
    **text.PROGRAMS,
    **system.PROGRAMS,
    **git.PROGRAMS,
    **code.PROGRAMS,
    **builds.PROGRAMS,
    **cloud.PROGRAMS,
}

WITH_COMMANDS: frozenset[str] = frozenset(
    name for name, entry in (*PROGRAMS.items(), *WRAPPERS.items()) if isinstance(entry, Commands | Subcommands)
)
"""Programs that take a sub-command, before which options may stand."""

_SYSTEM_DIRECTORIES = ("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/")


def find(program: str) -> Entry | None:
    """The entry of a program called by name, or by a path only the system's owner can write."""
    name = called(program)
    return None if name is None else PROGRAMS.get(name)


def called(program: str) -> str | None:
    """The name of a program called by it, or by a path only the system's owner can write."""
    name = base_name(program)
    return name if program == name or program.removesuffix(name) in _SYSTEM_DIRECTORIES else None
