"""The `run_command` tool: runs a command line with a clean environment and a time limit."""

import asyncio
import os
import shutil
import signal
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from io import FileIO
from typing import NamedTuple

from assent.engine.base.facts import is_inside
from assent.hosts.chat.tools import schema
from assent.hosts.chat.tools.tool import (
    Arguments,
    ChatTool,
    Progress,
    ToolContext,
    ToolError,
    ToolResult,
    define_tool,
)
from assent.hosts.command_environment import FIXED_VARIABLES, INHERITED_VARIABLES

DEFAULT_SECONDS = 120
MAX_SECONDS = 1_800

_CHUNK_BYTES = 65_536
_DRAIN_SECONDS = 0.5
"""Seconds to read remaining output after a process has ended; then its child processes are killed."""
_TERMINATE_SECONDS = 2.0
"""Seconds between SIGTERM and SIGKILL."""

_PARAMETERS = schema.object_schema(
    {"command": schema.string_schema("The command line, as bash reads it.", minLength=1)},
    {
        "seconds": schema.integer_schema(
            f"How long it may take; {DEFAULT_SECONDS} by default, then it is ended.",
            least=1,
            most=MAX_SECONDS,
        )
    },
)


class ProcessOutput:
    """The beginning and the end of a process's output; the middle is dropped and only counted."""

    def __init__(self, max_bytes: int) -> None:
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._max_head = max_bytes * 3 // 4
        self._max_tail = max_bytes - self._max_head
        self._in_tail = 0
        self.total = 0

    def add_bytes(self, chunk: bytes) -> bytes:
        """Add a chunk of output; returns the bytes that were added to the beginning."""
        self.total += len(chunk)
        room = self._max_head - len(self._head)
        shown, rest = chunk[:room], chunk[room:]
        self._head += shown
        if rest:
            self._tail.append(rest)
            self._in_tail += len(rest)
        while self._tail and self._in_tail - len(self._tail[0]) >= self._max_tail:
            self._in_tail -= len(self._tail.popleft())
        return shown

    @property
    def to_text(self) -> str:
        """The output; if it is too long, its beginning and end with the number of omitted bytes."""
        tail = b"".join(self._tail)[-self._max_tail :]
        missing = self.total - len(self._head) - len(tail)
        between = f"\n… {missing:,} more bytes …\n" if missing else ""
        return _decode_output(bytes(self._head)) + between + _decode_output(tail)


class ProcessResult(NamedTuple):
    """The exit status of a process and its output; the status is None after a timeout."""

    status: int | None
    output: ProcessOutput


def command_tool(
    *, variables: Iterable[str] = (), environ: Mapping[str, str] = os.environ
) -> ChatTool | None:
    """The tool that runs a command line; None if bash is not installed."""
    bash = shutil.which("bash", path=environ.get("PATH"))
    if bash is None:
        return None
    environment = clean_environment(environ, variables)

    async def run_command(args: Arguments, context: ToolContext) -> ToolResult:
        seconds = args.get_number("seconds", DEFAULT_SECONDS)
        try:
            result = await run_process_group(
                # Start-up files are skipped: they could redefine the command that the gate decided about.
                [bash, "--norc", "--noprofile", "-c", args.get_text("command")],
                cwd=_working_directory(context),
                environment=environment,
                seconds=seconds,
                max_bytes=context.limits.characters * 9 // 10,
                progress=context.progress,
            )
        except (OSError, ValueError) as error:
            raise ToolError(f"the command could not be started: {error}") from None
        return _to_tool_result(result, seconds)

    description = (
        "Run a command line with bash in the current directory of the workspace. "
        "It gets no input; what it leaves running is ended."
    )
    # The time limit of the command is shorter; this one is for a process that cannot be killed.
    tool = define_tool("run_command", description, _PARAMETERS)
    return ChatTool(tool=tool, work=run_command, seconds=MAX_SECONDS + 30)


def clean_environment(environ: Mapping[str, str], variables: Iterable[str] = ()) -> dict[str, str]:
    """The environment of a command: harmless variables, the operator's variables, and fixed values."""
    kept = INHERITED_VARIABLES | frozenset(variables)
    return {
        **{name: value for name, value in environ.items() if name in kept},
        "TERM": "dumb",
        **FIXED_VARIABLES,
    }


def _working_directory(context: ToolContext) -> str:
    cwd = context.directories.cwd
    if os.path.realpath(cwd) != os.path.normpath(cwd) or not is_inside(cwd, context.directories):
        raise ToolError(f"the current directory `{cwd}` is not in the workspace any more")
    return cwd


def _to_tool_result(ended: ProcessResult, seconds: int) -> ToolResult:
    text = ended.output.to_text.rstrip("\n") or "(no output)"
    data = {"status": ended.status, "bytes": ended.output.total}
    if ended.status is None:
        return ToolResult(text=f"{text}\n(ended after {seconds} seconds)", data=data, failed=True)
    if ended.status:
        return ToolResult(text=f"{text}\n(exit status {ended.status})", data=data, failed=True)
    return ToolResult(text=text, data=data)


async def run_process_group(
    words: Sequence[str],
    *,
    cwd: str,
    environment: Mapping[str, str],
    seconds: float,
    max_bytes: int,
    progress: Progress,
) -> ProcessResult:
    """Run a program in its own process group, and kill the whole group at the end."""
    output = ProcessOutput(max_bytes)
    async with _open_pipe() as (reader, writer):
        process = await asyncio.create_subprocess_exec(
            *words,
            cwd=cwd,
            env=dict(environment),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=writer,
            stderr=writer,
            start_new_session=True,
        )
        writer.close()
        reading = asyncio.create_task(_read_output(reader, output, progress))
        try:
            status = await _wait_for_exit(process, reading, seconds)
        finally:
            _signal_process_group(process.pid, signal.SIGKILL)
            reading.cancel()
            await asyncio.shield(process.wait())
            await asyncio.wait([reading])
    return ProcessResult(status, output)


async def _wait_for_exit(
    process: asyncio.subprocess.Process, reading: asyncio.Task[None], seconds: float
) -> int | None:
    """The exit status of a process, or None after a timeout."""
    try:
        async with asyncio.timeout(seconds):
            status = await process.wait()
            await asyncio.wait([reading], timeout=_DRAIN_SECONDS)
            return status
    except TimeoutError:
        _signal_process_group(process.pid, signal.SIGTERM)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _TERMINATE_SECONDS)
        return None


@asynccontextmanager
async def _open_pipe() -> AsyncGenerator[tuple[asyncio.StreamReader, FileIO]]:
    """A separate pipe: the pipes of asyncio wait for child processes that keep them open."""
    read_end, write_end = os.pipe()
    reader = asyncio.StreamReader(limit=_CHUNK_BYTES)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read_end, "rb", 0)
    )
    with FileIO(write_end, "wb") as writer:
        try:
            yield reader, writer
        finally:
            transport.close()


async def _read_output(reader: asyncio.StreamReader, output: ProcessOutput, progress: Progress) -> None:
    while chunk := await reader.read(_CHUNK_BYTES):
        if shown := output.add_bytes(chunk):
            await progress(_decode_output(shown))


def _signal_process_group(group: int, number: signal.Signals) -> None:
    """Send a signal to a process group; ignores a group that has ended."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _decode_output(piece: bytes) -> str:
    return piece.decode("utf-8", errors="replace")
