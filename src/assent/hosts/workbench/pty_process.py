"""A program on a pseudo-terminal, with everything that it starts."""

import asyncio
import fcntl
import os
import struct
import sys
import termios
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple, Self

from assent.hosts.workbench import terminal_process
from assent.hosts.workbench.refusal import Reason, WorkbenchError

CHUNK_BYTES = 65_536
_GET_SESSION: int = getattr(termios, "TIOCGSID", 0x5429)
"""The request for the session of a terminal, whose number on Linux Python does not name."""
_KILL_SECONDS = 5.0
"""Seconds to wait for killed processes; one that the kernel cannot end yet is left to its own process."""


class Size(NamedTuple):
    """The size of a terminal in characters."""

    columns: int = 80
    rows: int = 24


class PtyProcess:
    """A program with a terminal of its own; it is killed with all its descendants by `kill`."""

    def __init__(self, process: asyncio.subprocess.Process, terminal: int, control: int) -> None:
        self._process = process
        self._terminal = terminal
        self._control = control

    @classmethod
    async def start(
        cls, program: Sequence[str], *, directory: int, environment: Mapping[str, str], size: Size
    ) -> Self:
        """Start a program in an open directory."""
        try:
            terminal, inner = os.openpty()
        except OSError as error:
            raise WorkbenchError(
                Reason.FAILED, f"no terminal is available: {(error.strerror or '').lower()}"
            ) from None
        control_read, control_write = os.pipe()
        try:
            _set_size(terminal, size)
            os.set_blocking(terminal, False)
            words = [str(one) for one in (control_read, inner, directory)]
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", terminal_process.__file__, *words, *program),
                pass_fds=(control_read, inner, directory),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                env=dict(environment),
                start_new_session=True,
            )
        except BaseException as error:
            os.close(terminal)
            os.close(control_write)
            if isinstance(error, OSError):
                raise WorkbenchError(Reason.FAILED, "the program could not be started") from None
            raise
        finally:
            os.close(inner)
            os.close(control_read)
        return cls(process, terminal, control_write)

    async def read(self) -> bytes:
        """Read output; empty at the end."""
        while True:
            try:
                return os.read(self._terminal, CHUNK_BYTES)
            except BlockingIOError:
                await self._wait_until_readable()
            except OSError:  # EIO: no process has the terminal any more.
                return b""

    async def write(self, data: bytes) -> None:
        """Write input, as if it was typed; lost if the program has ended."""
        while data:
            try:
                data = data[os.write(self._terminal, data) :]
            except BlockingIOError:
                await self._wait_until_writable()
            except OSError:
                return

    def resize(self, size: Size) -> None:
        """Change the size; the program gets SIGWINCH."""
        with suppress(OSError):
            _set_size(self._terminal, size)

    @property
    def runs_program(self) -> bool:
        """Whether a program other than the shell itself has the terminal."""
        try:
            answer = fcntl.ioctl(self._terminal, _GET_SESSION, b"\0" * 4)
            return os.tcgetpgrp(self._terminal) != int.from_bytes(answer, sys.byteorder)
        except OSError:
            return False

    async def wait(self) -> int:
        """Wait for the end; returns the exit status."""
        return await self._process.wait()

    async def kill(self) -> None:
        """Kill the program and everything that it started."""
        self._close_control()
        with suppress(TimeoutError):
            async with asyncio.timeout(_KILL_SECONDS):
                await self._process.wait()

    def close(self) -> None:
        """Close the terminal; processes that still have it get SIGHUP."""
        self._close_control()
        terminal, self._terminal = self._terminal, -1
        if terminal >= 0:
            os.close(terminal)

    def _close_control(self) -> None:
        control, self._control = self._control, -1
        if control >= 0:
            os.close(control)

    async def _wait_until_readable(self) -> None:
        loop, terminal = asyncio.get_running_loop(), self._terminal
        ready = loop.create_future()
        loop.add_reader(terminal, _set_done, ready)
        try:
            await ready
        finally:
            loop.remove_reader(terminal)

    async def _wait_until_writable(self) -> None:
        loop, terminal = asyncio.get_running_loop(), self._terminal
        ready = loop.create_future()
        loop.add_writer(terminal, _set_done, ready)
        try:
            await ready
        finally:
            loop.remove_writer(terminal)


def _set_done(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _set_size(terminal: int, size: Size) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", size.rows, size.columns, 0, 0))
