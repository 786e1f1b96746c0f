"""The open terminals of all people; each ends with its shell, its page or the server."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress

from assent.hosts.workbench.pty_process import Size
from assent.hosts.workbench.refusal import Reason, WorkbenchError
from assent.hosts.workbench.roots import Root
from assent.hosts.workbench.terminal import Terminal, Viewer, normalize_terminal_path
from assent.hosts.workbench.tree import open_directory, split_path

MAX_TERMINALS = 8
"""The maximum number of terminals of one person."""
GRACE_SECONDS = 30.0
"""Seconds in which a page may attach again, such as after a reload; then the terminal ends."""


class Terminals:
    """Opens, finds and ends terminals; a person sees only their own."""

    def __init__(
        self, environ: Mapping[str, str] = os.environ, *, grace_seconds: float = GRACE_SECONDS
    ) -> None:
        self._environ = environ
        self._grace_seconds = grace_seconds
        self._open: dict[str, Terminal] = {}
        self._shells: dict[str, asyncio.Task[int]] = {}
        self._leaving: dict[str, asyncio.TimerHandle] = {}
        self._ending: set[asyncio.Task[None]] = set()

    def open(self, owner: str, root: Root, path: str, size: Size) -> Terminal:
        """Open a terminal; its shell starts with `ensure_shell`.

        At the limit, it takes the place of the terminal whose page left first.
        """
        left = None
        if len(mine := self.owned_by(owner)) >= MAX_TERMINALS:
            ids = {one.id: one for one in mine}
            left = next((ids[id] for id in self._leaving if id in ids), None)
            if left is None:
                raise WorkbenchError(Reason.LIMIT, f"you have {MAX_TERMINALS} terminals: close one first")
        with open_directory(root.directory, split_path(path)):
            pass  # A directory that cannot be opened is refused before the terminal exists.
        terminal = Terminal(
            owner=owner, root=root, path=normalize_terminal_path(path), size=size, environ=self._environ
        )
        self._open[terminal.id] = terminal
        if left is not None:
            self._open.pop(left.id)
            self._end_later(left)
        return terminal

    def ensure_shell(self, terminal: Terminal) -> "asyncio.Task[int]":
        """The task that runs the shell of a terminal, from its first page on; it ends with the shell."""
        task = self._shells.get(terminal.id)
        if task is None:
            task = asyncio.create_task(self._run_shell(terminal), name="assent terminal")
            self._shells[terminal.id] = task
        return task

    def owned_by(self, owner: str) -> Sequence[Terminal]:
        """The open terminals of a person, oldest first."""
        return [one for one in self._open.values() if one.owner == owner]

    def find(self, owner: str, id: str) -> Terminal:
        """A terminal of a person."""
        terminal = self._open.get(id)
        if terminal is None or terminal.owner != owner:
            raise WorkbenchError(Reason.ABSENT, f"there is no terminal `{id[:64]}`")
        return terminal

    async def attach(self, terminal: Terminal, viewer: Viewer) -> None:
        """Show a terminal on a page."""
        if (timer := self._leaving.pop(terminal.id, None)) is not None:
            timer.cancel()
        await terminal.attach(viewer)

    def detach(self, terminal: Terminal, viewer: Viewer) -> None:
        """Note that a page has left; without another page, the terminal ends after a while."""
        if terminal.detach(viewer) and terminal.id in self._open:
            loop = asyncio.get_running_loop()
            self._leaving[terminal.id] = loop.call_later(self._grace_seconds, self._end_later, terminal)

    async def end(self, terminal: Terminal) -> None:
        """End a terminal and everything that runs in it."""
        self._open.pop(terminal.id, None)
        if (timer := self._leaving.pop(terminal.id, None)) is not None:
            timer.cancel()
        await terminal.kill()
        task = self._shells.pop(terminal.id, None)
        if task is not None and task is not asyncio.current_task():
            task.cancel()
            with suppress(asyncio.CancelledError, WorkbenchError):
                await task

    async def end_all(self) -> None:
        """End all terminals, because the server stops."""
        await asyncio.gather(*(self.end(one) for one in list(self._open.values())))

    async def _run_shell(self, terminal: Terminal) -> int:
        try:
            return await terminal.run_shell()
        finally:
            self._shells.pop(terminal.id, None)
            await asyncio.shield(self.end(terminal))

    def _end_later(self, terminal: Terminal) -> None:
        task = asyncio.create_task(self.end(terminal), name="assent terminal end")
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
