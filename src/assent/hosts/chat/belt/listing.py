"""`list_files`: what there is in a directory, or below it."""

import os
import stat
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from assent.config.opening import open_path
from assent.hosts.chat.belt import schema
from assent.hosts.chat.belt.arguments import Arguments
from assent.hosts.chat.belt.clip import listed
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.reach import faults, reach, shown
from assent.hosts.chat.belt.threads import FILES
from assent.hosts.chat.belt.tool import BeltTool, Result, belt_tool

SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".cache"})
"""Directories that nobody means when they say "below here"; named, they are listed like any other."""
MOST_SEEN = 100_000

_PARAMETERS = schema.record(
    {},
    {
        "path": schema.text("The directory; the current one by default.", minLength=1),
        "recursive": schema.flag("List what is below its directories, too."),
        "pattern": schema.text("Only names that match, such as `*.py`.", minLength=1, maxLength=200),
    },
)


class Found(NamedTuple):
    """A file below a directory, with that directory open so that it can be reached through no link."""

    directory: int
    below: str
    name: str

    @property
    def path(self) -> str:
        """The path from where the walk began."""
        return f"{self.below}{self.name}"


def list_files() -> BeltTool:
    """The tool that lists a directory of the workspace."""
    description = "List a directory of the workspace: directories end in `/`, links in `@`."
    return BeltTool(tool=belt_tool("list_files", description, _PARAMETERS), work=_list)


def walk(descriptor: int, *, recursive: bool) -> Iterator[Found]:
    """Every entry below an open directory, in order of names; links are not followed."""
    for below, directories, files, here in os.fwalk(".", dir_fd=descriptor, follow_symlinks=False):
        prefix = "" if below == "." else below[2:] + "/"
        for name in sorted([*directories, *files]):
            yield Found(here, prefix, name)
        if not recursive:
            return
        directories[:] = sorted(set(directories) - SKIPPED)


async def _list(args: Arguments, context: Context) -> Result:
    path = reach(args.text("path", "."), context)
    name = shown(path, context)
    lines = await FILES.run(_lines, path, name, args.text("pattern", "*"), recursive=args.flag("recursive"))
    data = {"path": name, "entries": lines[: context.limits.entries], "count": len(lines)}
    return Result(text=listed(lines, context.limits.entries) or "(nothing)", data=data)


def _lines(path: str, name: str, pattern: str, *, recursive: bool) -> list[str]:
    with faults(name):
        descriptor = open_path(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        found = walk(descriptor, recursive=recursive)
        seen = (one for one, _ in zip(found, range(MOST_SEEN), strict=False))
        return [_line(one) for one in seen if fnmatchcase(one.name, pattern)]
    finally:
        os.close(descriptor)


def _line(found: Found) -> str:
    try:
        status = os.stat(found.name, dir_fd=found.directory, follow_symlinks=False)
    except OSError:
        return found.path
    if stat.S_ISDIR(status.st_mode):
        return found.path + "/"
    return found.path + "@" if stat.S_ISLNK(status.st_mode) else f"{found.path}  {status.st_size:,} bytes"
