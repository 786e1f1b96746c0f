"""`read_file`, `list_files` and `search_files`: the tools that read files of the workspace."""

import os
import stat
import threading
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice
from typing import BinaryIO, NamedTuple

from assent.config.files import open_without_links
from assent.engine.base.sensitive_paths import is_secret
from assent.hosts.chat.tools import schema
from assent.hosts.chat.tools.files import (
    SKIPPED_DIRECTORIES,
    check_regular_file,
    display_path,
    is_binary,
    open_file,
    report_os_errors,
    resolve_path,
)
from assent.hosts.chat.tools.text import clip_lines
from assent.hosts.chat.tools.tool import (
    FILE_THREADS,
    Arguments,
    ChatTool,
    ReadRequest,
    ToolContext,
    ToolError,
    ToolResult,
    define_tool,
)

MAX_LINES = 2_000
MAX_ENTRIES = 100_000
MAX_MATCHES = 200
_MAX_LINE_CHARACTERS = 300
_PROBE_BYTES = 8_192
"""Number of bytes that are checked to detect binary files."""

_READ_PARAMETERS = schema.object_schema(
    {"path": schema.string_schema("The file, from the current directory.", minLength=1)},
    {
        "offset": schema.integer_schema("The first line to read; 1 by default.", least=1, most=10**9),
        "limit": schema.integer_schema(
            f"How many lines to read; {MAX_LINES} by default.", least=1, most=MAX_LINES
        ),
    },
)
_LIST_PARAMETERS = schema.object_schema(
    {},
    {
        "path": schema.string_schema("The directory; the current one by default.", minLength=1),
        "recursive": schema.boolean_schema("List what is below its directories, too."),
        "pattern": schema.string_schema("Only names that match, such as `*.py`.", minLength=1, maxLength=200),
    },
)
_SEARCH_PARAMETERS = schema.object_schema(
    {"text": schema.string_schema("The text to find, exactly as in the file.", minLength=1, maxLength=1_000)},
    {
        "path": schema.string_schema("The directory or file; the current directory by default.", minLength=1),
        "pattern": schema.string_schema(
            "Only files whose names match, such as `*.py`.", minLength=1, maxLength=200
        ),
        "ignore_case": schema.boolean_schema("Small and capital letters are the same."),
    },
)


# ---- read_file ----------------------------------------------------------------------------------


class FilePage(NamedTuple):
    """A range of lines of a file, and the number of bytes after it."""

    text: str
    lines: int
    remaining_bytes: int


def read_file_tool() -> ChatTool:
    """The tool that reads a file."""
    description = "Read a text file of the workspace. Long files come in pages: go on with `offset`."
    return ChatTool(tool=define_tool("read_file", description, _READ_PARAMETERS), work=_read_file)


async def _read_file(args: Arguments, context: ToolContext) -> ToolResult:
    path = resolve_path(args.get_text("path"), context)
    name = display_path(path, context)
    offset, limit = args.get_number("offset", 1), args.get_number("limit", MAX_LINES)
    page = await FILE_THREADS.run_in_thread(_read_page, path, name, offset, limit, context.limits.characters)
    data = {"path": name, "offset": offset, "lines": page.lines}
    if page.remaining_bytes:
        more = f"… {page.remaining_bytes:,} more bytes; go on with offset {offset + page.lines}"
        return ToolResult(text=f"{page.text}\n{more}", data=data)
    return ToolResult(text=page.text or "(the file is empty)", data=data)


def _read_page(path: str, name: str, offset: int, limit: int, max_characters: int) -> FilePage:
    with open_file(path, name) as (file, size):
        beginning = file.read(_PROBE_BYTES)
        file.seek(0)
        if is_binary(beginning):
            raise ToolError(f"`{name}` is a binary file of {size:,} bytes, which is not shown")
        if not _skip_lines(file, offset - 1, size):
            raise ToolError(f"`{name}` has fewer than {offset} lines")
        return _read_lines(file, limit, max_characters - 200, size)


def _skip_lines(file: BinaryIO, lines: int, size: int) -> bool:
    """Skip lines; returns False if the end of the file is reached."""
    for _ in range(lines):
        while (piece := file.readline(1_000_000)) and not piece.endswith(b"\n"):
            pass
        if not piece:
            return False
    return lines == 0 or file.tell() < size


def _read_lines(file: BinaryIO, limit: int, max_bytes: int, size: int) -> FilePage:
    taken: list[bytes] = []
    room = max_bytes
    while len(taken) < limit and room > 0 and (line := file.readline(room)):
        taken.append(line)
        room -= len(line)
    text = b"".join(taken).decode("utf-8", errors="replace")
    return FilePage(text.removesuffix("\n"), len(taken), max(0, size - file.tell()))


# ---- list_files ---------------------------------------------------------------------------------


class DirectoryEntry(NamedTuple):
    """A directory entry with the descriptor of its directory, so that opening it follows no link."""

    directory: int
    prefix: str
    name: str

    @property
    def path(self) -> str:
        """The path relative to the directory where the walk started."""
        return f"{self.prefix}{self.name}"


def list_files_tool() -> ChatTool:
    """The tool that lists a directory."""
    description = "List a directory of the workspace: directories end in `/`, links in `@`."
    return ChatTool(tool=define_tool("list_files", description, _LIST_PARAMETERS), work=_list_directory)


def walk_directory(descriptor: int, *, recursive: bool) -> Iterator[DirectoryEntry]:
    """The entries of an open directory, sorted by name; links are not followed."""
    for below, directories, files, here in os.fwalk(".", dir_fd=descriptor, follow_symlinks=False):
        prefix = "" if below == "." else below[2:] + "/"
        for name in sorted([*directories, *files]):
            yield DirectoryEntry(here, prefix, name)
        if not recursive:
            return
        directories[:] = sorted(set(directories) - SKIPPED_DIRECTORIES)


async def _list_directory(args: Arguments, context: ToolContext) -> ToolResult:
    path = resolve_path(args.get_text("path", "."), context)
    name, pattern = display_path(path, context), args.get_text("pattern", "*")
    lines = await FILE_THREADS.run_in_thread(
        _directory_lines, path, name, pattern, recursive=args.get_flag("recursive")
    )
    data = {"path": name, "entries": lines[: context.limits.entries], "count": len(lines)}
    return ToolResult(text=clip_lines(lines, context.limits.entries) or "(nothing)", data=data)


def _directory_lines(path: str, name: str, pattern: str, *, recursive: bool) -> list[str]:
    with report_os_errors(name):
        descriptor = open_without_links(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        entries = islice(walk_directory(descriptor, recursive=recursive), MAX_ENTRIES)
        return [_entry_line(one) for one in entries if fnmatchcase(one.name, pattern)]
    finally:
        os.close(descriptor)


def _entry_line(entry: DirectoryEntry) -> str:
    try:
        status = os.stat(entry.name, dir_fd=entry.directory, follow_symlinks=False)
    except OSError:
        return entry.path
    if stat.S_ISDIR(status.st_mode):
        return entry.path + "/"
    return entry.path + "@" if stat.S_ISLNK(status.st_mode) else f"{entry.path}  {status.st_size:,} bytes"


# ---- search_files -------------------------------------------------------------------------------


class SearchQuery(NamedTuple):
    """The text to search for, the file filter, and an event that stops the search."""

    text: str
    pattern: str
    ignore_case: bool
    max_bytes: int
    stop: threading.Event

    def matches_line(self, line: str) -> bool:
        """Whether a line contains the searched text."""
        return self.text in (line.casefold() if self.ignore_case else line)


class LineMatch(NamedTuple):
    """A line that contains the searched text, with its file and number."""

    path: str
    name: str
    number: int
    line: str

    def __str__(self) -> str:
        return f"{self.name}:{self.number}: {self.line[:_MAX_LINE_CHARACTERS].strip()}"


class SearchResult:
    """The matches of a search, and the number of skipped files."""

    def __init__(self) -> None:
        self.matches: list[LineMatch] = []
        self.files = 0
        self.secret_files = 0
        self.large_files = 0

    @property
    def omission_notes(self) -> list[str]:
        """Reasons why the matches may be incomplete."""
        left_out = (
            (self.secret_files, "hold secrets by their name: ask for one with read_file"),
            (self.large_files, "are too large"),
        )
        return [f"({count} files are left out: they {why})" for count, why in left_out if count]


def search_files_tool() -> ChatTool:
    """The tool that searches files for a text."""
    description = "Find the lines of text files that hold a text. Gives `path:line: text`."
    return ChatTool(tool=define_tool("search_files", description, _SEARCH_PARAMETERS), work=_search_files)


async def _search_files(args: Arguments, context: ToolContext) -> ToolResult:
    path = resolve_path(args.get_text("path", "."), context)
    text = args.get_text("text")
    query = SearchQuery(
        text=text.casefold() if args.get_flag("ignore_case") else text,
        pattern=args.get_text("pattern", "*"),
        ignore_case=args.get_flag("ignore_case"),
        max_bytes=context.limits.file_bytes,
        stop=threading.Event(),
    )
    try:
        result = await FILE_THREADS.run_in_thread(_search_tree, path, display_path(path, context), query)
    finally:
        query.stop.set()  # A thread cannot be cancelled, so the search checks this event between files.
    matches = await _readable_matches(result.matches, path, context)
    shown = [str(match) for match in matches[:MAX_MATCHES]]
    more = [f"… more than {MAX_MATCHES} lines match"] if len(matches) > MAX_MATCHES else []
    lines = [*(shown or ["no line matches"]), *more, *result.omission_notes]
    return ToolResult(text="\n".join(lines), data={"hits": shown, "files": result.files})


async def _readable_matches(
    matches: list[LineMatch], named_path: str, context: ToolContext
) -> list[LineMatch]:
    """Keep only matches in the file that the call names, and in files that may be read without asking.

    The result does not mention other files: the fact that a file matches would reveal its content.
    """
    paths = {match.path for match in matches}
    readable = {
        path for path in paths if path == named_path or await context.may_read(ReadRequest("read_file", path))
    }
    return [match for match in matches if match.path in readable]


def _search_tree(path: str, name: str, query: SearchQuery) -> SearchResult:
    result = SearchResult()
    with report_os_errors(name):
        descriptor = open_without_links(path, os.O_RDONLY)
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            check_regular_file(descriptor, name)
            _search_file(descriptor, path, name, query, result)
            return result
        prefix = "" if name == path else f"{name}/"
        for entry in walk_directory(descriptor, recursive=True):
            if query.stop.is_set() or len(result.matches) > MAX_MATCHES:
                break
            if fnmatchcase(entry.name, query.pattern):
                _search_entry(entry, f"{path}/{entry.path}", prefix, query, result)
    finally:
        os.close(descriptor)
    return result


def _search_entry(
    entry: DirectoryEntry, path: str, prefix: str, query: SearchQuery, result: SearchResult
) -> None:
    if is_secret(path):
        # Reading such a file needs approval; a search must not circumvent it.
        result.secret_files += 1
        return
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        descriptor = os.open(entry.name, flags, dir_fd=entry.directory)
    except OSError:
        return
    try:
        check_regular_file(descriptor, entry.name)
        _search_file(descriptor, path, prefix + entry.path, query, result)
    except (ToolError, OSError):
        return
    finally:
        os.close(descriptor)


def _search_file(descriptor: int, path: str, name: str, query: SearchQuery, result: SearchResult) -> None:
    if os.fstat(descriptor).st_size > query.max_bytes:
        result.large_files += 1
        return
    with os.fdopen(os.dup(descriptor), "rb") as file:
        content = file.read(query.max_bytes)
    if is_binary(content[:_PROBE_BYTES]):
        return
    result.files += 1
    lines = enumerate(content.decode("utf-8", errors="replace").splitlines(), start=1)
    matching = (LineMatch(path, name, number, line) for number, line in lines if query.matches_line(line))
    result.matches.extend(islice(matching, MAX_MATCHES + 1 - len(result.matches)))
