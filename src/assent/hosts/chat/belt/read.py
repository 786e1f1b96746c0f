"""`read_file`: the lines of a text file, a page of them at a time."""

from typing import BinaryIO, NamedTuple

from assent.hosts.chat.belt import schema
from assent.hosts.chat.belt.arguments import Arguments
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.fault import FaultError
from assent.hosts.chat.belt.reach import opened, reach, shown
from assent.hosts.chat.belt.threads import FILES
from assent.hosts.chat.belt.tool import BeltTool, Result, belt_tool

LINES = 2_000
_PROBE = 8_192
_CONTROLS = frozenset(map(chr, range(32))) - frozenset("\t\n\r\f\v\b\x1b")

_PARAMETERS = schema.record(
    {"path": schema.text("The file, from the current directory.", minLength=1)},
    {
        "offset": schema.number("The first line to read; 1 by default.", least=1, most=10**9),
        "limit": schema.number(f"How many lines to read; {LINES} by default.", least=1, most=LINES),
    },
)


class Page(NamedTuple):
    """Some lines of a file, and how much there is behind them."""

    text: str
    lines: int
    more_bytes: int


def read_file() -> BeltTool:
    """The tool that reads a file of the workspace."""
    description = "Read a text file of the workspace. Long files come in pages: go on with `offset`."
    return BeltTool(tool=belt_tool("read_file", description, _PARAMETERS), work=_read)


def is_binary(beginning: bytes) -> bool:
    """Whether a file that begins so is anything but text; a few odd bytes do not make it one."""
    text = beginning.decode("utf-8", errors="replace")
    odd = sum(character == "\N{REPLACEMENT CHARACTER}" or character in _CONTROLS for character in text)
    return "\0" in text or odd > max(1, len(text) // 10)


async def _read(args: Arguments, context: Context) -> Result:
    path = reach(args.text("path"), context)
    name = shown(path, context)
    offset = args.number("offset", 1)
    page = await FILES.run(_page, path, name, offset, args.number("limit", LINES), context.limits.characters)
    data = {"path": name, "offset": offset, "lines": page.lines}
    if page.more_bytes:
        more = f"… {page.more_bytes:,} more bytes; go on with offset {offset + page.lines}"
        return Result(text=f"{page.text}\n{more}", data=data)
    return Result(text=page.text or "(the file is empty)", data=data)


def _page(path: str, name: str, offset: int, limit: int, most: int) -> Page:
    with opened(path, name) as (file, size):
        beginning = file.read(_PROBE)
        file.seek(0)
        if is_binary(beginning):
            raise FaultError(f"`{name}` is a binary file of {size:,} bytes, which is not shown")
        if not _skipped(file, offset - 1, size):
            raise FaultError(f"`{name}` has fewer than {offset} lines")
        return _taken(file, limit, most - 200, size)


def _skipped(file: BinaryIO, lines: int, size: int) -> bool:
    """Go past so many lines; False when the file ends before."""
    for _ in range(lines):
        while (piece := file.readline(1_000_000)) and not piece.endswith(b"\n"):
            pass
        if not piece:
            return False
    return lines == 0 or file.tell() < size


def _taken(file: BinaryIO, limit: int, most: int, size: int) -> Page:
    taken: list[bytes] = []
    room = most
    while len(taken) < limit and room > 0 and (line := file.readline(room)):
        taken.append(line)
        room -= len(line)
    text = b"".join(taken).decode("utf-8", errors="replace")
    return Page(text.removesuffix("\n"), len(taken), max(0, size - file.tell()))
