"""One terminal: the shell of a person, the commands that agents run beside it, and their output."""

import asyncio
import codecs
import os
import re
import shutil
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from assent.gate.ids import new_id
from assent.hosts.command_environment import FIXED_VARIABLES, INHERITED_VARIABLES
from assent.hosts.workbench.pty_process import PtyProcess, Size
from assent.hosts.workbench.refusal import Reason, WorkbenchError
from assent.hosts.workbench.roots import Root
from assent.hosts.workbench.tree import join_path, open_directory, split_path

_CONTROL_SEQUENCES = re.compile(
    r"""
    \x1b\[[0-?]*[ -/]*[@-~]?             # CSI
    | \x1b[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?  # OSC, DCS, SOS, PM and APC, with their text
    | \x1b[ -/]*[0-~]?                   # other escapes
    | \x9b[0-?]*[ -/]*[@-~]?             # CSI in one character
    | [\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]
    """,
    re.VERBOSE,
)
_LINE_ENDS = re.compile(r"\r*\n|\r")


class RecentOutput:
    """The end of an output; older output is dropped."""

    def __init__(self, max_bytes: int) -> None:
        self._pieces: deque[bytes] = deque()
        self._max_bytes = max_bytes
        self._size = 0
        self.is_truncated = False

    def add(self, piece: bytes) -> None:
        """Add output."""
        self._pieces.append(piece)
        self._size += len(piece)
        while self._size > self._max_bytes:
            first = self._pieces.popleft()
            excess = self._size - self._max_bytes
            self.is_truncated = True
            self._size -= min(excess, len(first))
            if excess < len(first):
                self._pieces.appendleft(first[excess:])

    @property
    def data(self) -> bytes:
        """The output that is kept."""
        return b"".join(self._pieces)


class CommandOutput:
    """The beginning and the end of the output of one command; the middle is dropped and only counted."""

    def __init__(self, max_bytes: int) -> None:
        self._head = bytearray()
        self._max_head = max_bytes * 3 // 4
        self._tail = RecentOutput(max_bytes - self._max_head)
        self.total = 0

    def add(self, piece: bytes) -> None:
        """Add output."""
        self.total += len(piece)
        room = self._max_head - len(self._head)
        self._head += piece[:room]
        if len(piece) > room:
            self._tail.add(piece[room:])

    @property
    def is_truncated(self) -> bool:
        """Whether output was dropped."""
        return self._tail.is_truncated

    @property
    def text(self) -> str:
        """The output without control sequences, with a line for what was dropped."""
        tail = self._tail.data
        if not self.is_truncated:
            return plain_text(bytes(self._head) + tail)
        missing = self.total - len(self._head) - len(tail)
        return f"{plain_text(bytes(self._head))}\n… {missing:,} more bytes …\n{plain_text(tail)}"


def plain_text(data: bytes) -> str:
    """The text of an output without control sequences; bytes that are not UTF-8 are replaced."""
    text = data.decode("utf-8", errors="replace")
    return _CONTROL_SEQUENCES.sub("", _LINE_ENDS.sub("\n", text))


DEFAULT_SECONDS = 120
MAX_SECONDS = 600
SCROLLBACK_BYTES = 256_000
"""How much of a terminal's output is kept, for a page that attaches again."""
AGENT_OUTPUT_BYTES = 100_000
"""How much output of agents' commands is kept, and of each command returned."""
MAX_COMMAND_LENGTH = 100_000
MAX_LINE_BYTES = 4_000
"""How much of the shell's current line is kept."""
_TERMINAL_VARIABLES = {"TERM": "xterm-256color"}
_COMMAND_VARIABLES = {**_TERMINAL_VARIABLES, **FIXED_VARIABLES}

Frame = Mapping[str, object]
"""A message to the page that shows a terminal."""
Viewer = Callable[[Frame], Awaitable[None]]
"""Sends a frame to the page; raises an error if the page is gone or too slow."""


class ViewerGoneError(Exception):
    """The page that shows a terminal is gone or too slow."""


class CommandResult(NamedTuple):
    """The result of a command of an agent; the status is None after the time limit."""

    status: int | None
    output: str
    bytes: int
    truncated: bool


class VisibleOutput(NamedTuple):
    """The output that an agent may read."""

    output: str
    shared: bool
    truncated: bool


@dataclass(kw_only=True, eq=False)
class Terminal:
    """A terminal of one person, in a directory of a root."""

    owner: str
    root: Root
    path: str
    size: Size
    environ: Mapping[str, str]
    id: str = field(default_factory=new_id)
    shared: bool = False
    """Whether agents may read everything in it."""
    _shell: PtyProcess | None = None
    _command: PtyProcess | None = None
    _is_starting_command: bool = False
    _is_ended: bool = False
    _viewer: Viewer | None = None
    _scrollback: RecentOutput = field(default_factory=lambda: RecentOutput(SCROLLBACK_BYTES))
    _of_agents: RecentOutput = field(default_factory=lambda: RecentOutput(AGENT_OUTPUT_BYTES))
    _shell_line: bytes = b""
    """What the shell wrote since its last line end: its prompt, and what is typed."""
    _showing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _has_started: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the shell has started, or could not be started."""
    _typing: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def directory(self) -> str:
        """The absolute path of the directory in which the terminal was opened."""
        return (self.root.directory.rstrip("/") + self.path).rstrip("/") or "/"

    @property
    def is_busy(self) -> bool:
        """Whether a command of an agent or a program of the person runs in it."""
        is_commanded = self._command is not None or self._is_starting_command
        return is_commanded or (self._shell is not None and self._shell.runs_program)

    async def run_shell(self) -> int:
        """Run the person's shell to its end; returns its exit status."""
        environment = _environment(self.environ, _TERMINAL_VARIABLES)
        try:
            self._shell = shell = await self._start([find_shell(self.environ), "-i"], environment)
        finally:
            self._has_started.set()

        def keep(piece: bytes) -> None:
            self._scrollback.add(piece)
            self._shell_line = (self._shell_line + piece).rpartition(b"\n")[2][-MAX_LINE_BYTES:]

        return await self._run(shell, keep, by_agent=False)

    async def execute(self, command: str, seconds: float) -> CommandResult:
        """Run a command of an agent as a process of its own."""
        if len(command) > MAX_COMMAND_LENGTH or "\0" in command:
            raise WorkbenchError(Reason.LARGE, f"a command has at most {MAX_COMMAND_LENGTH:,} characters")
        if self.is_busy:
            raise WorkbenchError(Reason.BUSY, "another program runs in this terminal")
        self._is_starting_command = True
        try:
            environment = _environment(self.environ, _COMMAND_VARIABLES)
            program = [find_bash(self.environ), "--norc", "--noprofile", "-c", command]
            self._command = process = await self._start(program, environment)
        finally:
            self._is_starting_command = False
        output = CommandOutput(AGENT_OUTPUT_BYTES)
        last = b"\n"

        def keep(piece: bytes) -> None:
            nonlocal last
            last = piece[-1:]
            output.add(piece)
            self._of_agents.add(piece)
            self._scrollback.add(piece)

        # The output starts below the prompt of the shell.
        await self._show_line_ends(1 if self._shell_line else 0)
        await self._show({"type": "started", "command": command})
        status: int | None = None
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    status = await self._run(process, keep, by_agent=True)
        finally:
            try:
                # A shell that draws its prompt again starts as many rows higher as its line has wrapped.
                await self._show_line_ends(self._count_wrapped_rows() + (last != b"\n"))
            finally:
                self._command = None
                self._resize_shell()
        await self._show({"type": "ended", "status": status})
        return CommandResult(status, output.text, output.total, output.is_truncated)

    async def type(self, text: str) -> None:
        """Type a person's input: into the command of an agent while one runs, otherwise into the shell."""
        if self._command is None:
            await self._has_started.wait()
        async with self._typing:
            if (process := self._command or self._shell) is not None:
                await process.write(text.encode("utf-8", "replace"))

    def resize(self, size: Size) -> None:
        """Change the size, for a running command or, when none runs, for the shell."""
        self.size = size
        if self._command is not None:
            self._command.resize(size)
        else:
            self._resize_shell()

    def _resize_shell(self) -> None:
        # A shell draws its prompt again at once, which would erase the output of a running command.
        if self._shell is not None:
            self._shell.resize(self.size)

    def read_for_agent(self) -> VisibleOutput:
        """The output that agents may read: of their own commands, or everything if the terminal is shared."""
        kept = self._scrollback if self.shared else self._of_agents
        return VisibleOutput(plain_text(kept.data), self.shared, kept.is_truncated)

    async def attach(self, viewer: Viewer) -> None:
        """Show the terminal on a page, from the output kept so far; replaces the page before."""
        async with self._showing:
            await viewer(
                {
                    "type": "opened",
                    "terminal": self.id,
                    "root": self.root.name,
                    "path": self.path,
                    "shared": self.shared,
                }
            )
            if kept := self._scrollback.data:
                await viewer({"type": "output", "text": kept.decode("utf-8", errors="replace")})
            self._viewer = viewer

    def detach(self, viewer: Viewer) -> bool:
        """Stop showing the terminal on a page; returns whether no page shows it now."""
        if self._viewer == viewer:
            self._viewer = None
        return self._viewer is None

    async def kill(self) -> None:
        """Kill everything that runs in the terminal."""
        self._is_ended = True
        running = [one for one in (self._shell, self._command) if one is not None]
        await asyncio.gather(*(one.kill() for one in running))

    async def _start(self, program: list[str], environment: Mapping[str, str]) -> PtyProcess:
        with open_directory(self.root.directory, split_path(self.path)) as directory:
            process = await PtyProcess.start(
                program, directory=directory, environment=environment, size=self.size
            )
        if self._is_ended:
            await process.kill()
            process.close()
            raise WorkbenchError(Reason.ABSENT, "the terminal has ended")
        return process

    async def _run(self, process: PtyProcess, keep: Callable[[bytes], None], *, by_agent: bool) -> int:
        """Show and keep the output of a process until its end; killed if this is cancelled."""
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        # The shell can write while a command of an agent runs; agents may not read that.
        mark = {"agent": True} if by_agent else {}
        try:
            while piece := await process.read():
                keep(piece)
                if text := decoder.decode(piece):
                    await self._show({"type": "output", "text": text, **mark})
            return await process.wait()
        finally:
            await asyncio.shield(process.kill())
            process.close()

    def _count_wrapped_rows(self) -> int:
        """How many rows of the screen the line of the shell needs after its first."""
        line = plain_text(self._shell_line.rpartition(b"\r")[2])
        return len(line) // max(1, self.size.columns)

    async def _show_line_ends(self, count: int) -> None:
        if count:
            ends = "\r\n" * count
            self._scrollback.add(ends.encode())
            await self._show({"type": "output", "text": ends})

    async def _show(self, frame: Frame) -> None:
        """Send a frame to the page; a page that is gone or too slow is detached, and the program goes on."""
        async with self._showing:
            if self._viewer is not None:
                try:
                    await self._viewer(frame)
                except ViewerGoneError:
                    self._viewer = None


def find_shell(environ: Mapping[str, str]) -> str:
    """The person's shell."""
    shell = environ.get("SHELL", "")
    return shell if os.path.isabs(shell) and os.access(shell, os.X_OK) else "/bin/sh"


def find_bash(environ: Mapping[str, str]) -> str:
    """The shell whose syntax the gate reads."""
    bash = shutil.which("bash", path=environ.get("PATH"))
    if bash is None:
        raise WorkbenchError(Reason.FAILED, "bash is not installed on this server")
    return bash


def normalize_terminal_path(path: str) -> str:
    """The path of a terminal's directory as it is shown."""
    return join_path(split_path(path))


def _environment(environ: Mapping[str, str], fixed: Mapping[str, str]) -> Mapping[str, str]:
    return {**{name: environ[name] for name in INHERITED_VARIABLES if name in environ}, **fixed}
