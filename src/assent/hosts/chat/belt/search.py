"""`search_files`: the lines that hold a text, in the files below a directory."""

import os
import stat
import threading
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice
from typing import NamedTuple

from assent.config.opening import open_path
from assent.engine.secret_paths import is_secret
from assent.hosts.chat.belt import schema
from assent.hosts.chat.belt.arguments import Arguments
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.fault import FaultError
from assent.hosts.chat.belt.listing import Found, walk
from assent.hosts.chat.belt.reach import faults, reach, regular, shown
from assent.hosts.chat.belt.read import is_binary
from assent.hosts.chat.belt.threads import FILES
from assent.hosts.chat.belt.tool import BeltTool, Result, belt_tool

MOST_HITS = 200
_LONGEST_LINE = 300

_PARAMETERS = schema.record(
    {"text": schema.text("What to look for, as it stands in the file.", minLength=1, maxLength=1_000)},
    {
        "path": schema.text("The directory or file; the current directory by default.", minLength=1),
        "pattern": schema.text("Only files whose names match, such as `*.py`.", minLength=1, maxLength=200),
        "ignore_case": schema.flag("Small and capital letters are the same."),
    },
)


class Wanted(NamedTuple):
    """What is looked for, and when to stop looking."""

    text: str
    pattern: str
    ignore_case: bool
    largest: int
    stop: threading.Event

    def matches(self, line: str) -> bool:
        """Whether a line holds the text."""
        return self.text in (line.casefold() if self.ignore_case else line)


class Hit(NamedTuple):
    """A line that matches."""

    path: str
    name: str
    number: int
    line: str

    def __str__(self) -> str:
        return f"{self.name}:{self.number}: {self.line[:_LONGEST_LINE].strip()}"


class Tally:
    """What was found, and what was passed over."""

    def __init__(self) -> None:
        self.hits: list[Hit] = []
        self.files = 0
        self.secret = 0
        self.large = 0

    @property
    def notes(self) -> list[str]:
        """What somebody who relies on the hits must know."""
        told = (
            (self.secret, "hold secrets by their name: ask for one with read_file"),
            (self.large, "are too large"),
        )
        return [f"({count} files are left out: they {why})" for count, why in told if count]


def search_files() -> BeltTool:
    """The tool that searches the files of the workspace."""
    description = "Find the lines of text files that hold a text. Gives `path:line: text`."
    return BeltTool(tool=belt_tool("search_files", description, _PARAMETERS), work=_search)


async def _search(args: Arguments, context: Context) -> Result:
    path = reach(args.text("path", "."), context)
    text = args.text("text")
    wanted = Wanted(
        text=text.casefold() if args.flag("ignore_case") else text,
        pattern=args.text("pattern", "*"),
        ignore_case=args.flag("ignore_case"),
        largest=context.limits.file_bytes,
        stop=threading.Event(),
    )
    try:
        tally = await FILES.run(_tally, path, shown(path, context), wanted)
    finally:
        wanted.stop.set()  # A thread cannot be cancelled; it looks at this between files.
    hits = await _allowed(tally.hits, path, context)
    shown_hits = [str(hit) for hit in hits[:MOST_HITS]]
    more = [f"… more than {MOST_HITS} lines match"] if len(hits) > MOST_HITS else []
    lines = [*(shown_hits or ["no line matches"]), *more, *tally.notes]
    return Result(text="\n".join(lines), data={"hits": shown_hits, "files": tally.files})


async def _allowed(hits: list[Hit], named: str, context: Context) -> list[Hit]:
    """The hits in files that may be read, or that the call named: a search is no way around a rule.

    Nothing is said of the others: that they hold the text would be telling what is in them.
    """
    found = {hit.path for hit in hits}
    allowed = {path for path in found if path == named or await context.may_read(path)}
    return [hit for hit in hits if hit.path in allowed]


def _tally(path: str, name: str, wanted: Wanted) -> Tally:
    tally = Tally()
    with faults(name):
        descriptor = open_path(path, os.O_RDONLY)
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            regular(descriptor, name)
            _look(descriptor, path, name, wanted, tally)
            return tally
        for found in walk(descriptor, recursive=True):
            if wanted.stop.is_set() or len(tally.hits) > MOST_HITS:
                break
            if fnmatchcase(found.name, wanted.pattern):
                _visit(found, f"{path}/{found.path}", "" if name == path else f"{name}/", wanted, tally)
    finally:
        os.close(descriptor)
    return tally


def _visit(found: Found, path: str, prefix: str, wanted: Wanted, tally: Tally) -> None:
    if is_secret(path):
        # Reading such a file asks; finding lines in it would be a way around the question.
        tally.secret += 1
        return
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        descriptor = os.open(found.name, flags, dir_fd=found.directory)
    except OSError:
        return
    try:
        regular(descriptor, found.name)
        _look(descriptor, path, prefix + found.path, wanted, tally)
    except (FaultError, OSError):
        return
    finally:
        os.close(descriptor)


def _look(descriptor: int, path: str, name: str, wanted: Wanted, tally: Tally) -> None:
    if os.fstat(descriptor).st_size > wanted.largest:
        tally.large += 1
        return
    with os.fdopen(os.dup(descriptor), "rb") as file:
        content = file.read(wanted.largest)
    if is_binary(content[:8_192]):
        return
    tally.files += 1
    found = _matching(content, wanted, MOST_HITS + 1 - len(tally.hits))
    tally.hits.extend(Hit(path, name, number, line) for number, line in found)


def _matching(content: bytes, wanted: Wanted, room: int) -> Iterator[tuple[int, str]]:
    lines = enumerate(content.decode("utf-8", errors="replace").splitlines(), start=1)
    found = ((number, line) for number, line in lines if wanted.matches(line))
    return islice(found, room)
