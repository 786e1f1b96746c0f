"""What every tool uses: the context and arguments of its call, its errors, and threads for slow work."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from assent.engine.facts import Place
from assent.engine.model import as_list, as_object
from assent.errors import AssentError
from assent.gate.access import Principal
from assent.gate.turn import Turn
from assent.hosts.chat.tools.settings import Limits

MayRead = Callable[[str], Awaitable[bool]]
"""Whether policy allows to read a file without asking."""
Progress = Callable[[str], Awaitable[None]]
"""Shows a person what a tool reports while it works."""
Params = ParamSpec("Params")
Returned = TypeVar("Returned")


class ToolError(AssentError):
    """A tool could not do what it was asked; the message is for the model, and the run continues."""


class CallSuspendedError(AssentError):
    """A call did not end: it continues when the same call is made again."""


async def ignore_progress(text: str) -> None:
    """Shows nothing."""


async def allow_all_reads(path: str) -> bool:
    """Allows to read every file."""
    return bool(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """What a tool may know about its call; cancelling the task of the call cancels the work."""

    place: Place
    """The workspace's roots and the current directory: the same that the gate decided with."""
    principal: Principal
    conversation: str = ""
    call_id: str = ""
    progress: Progress = ignore_progress
    may_read: MayRead = allow_all_reads
    """Asked before lines of a file are shown that the call did not name."""
    turn: Turn | None = None
    """The turn of the call, for tools that make calls themselves."""
    limits: Limits = Limits()
    may_leave_workspace: bool = False
    """True if a person approved this call; otherwise the file tools refuse paths outside the workspace."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call by name and type; a value of another type raises `ToolError`."""

    values: Mapping[str, object]

    def __contains__(self, name: str) -> bool:
        return self.values.get(name) is not None

    def text(self, name: str, default: str | None = None) -> str:
        """A string."""
        value = self.values.get(name, default)
        if not isinstance(value, str):
            raise ToolError(f"`{name}` must be a text")
        return value

    def number(self, name: str, default: int) -> int:
        """An integer."""
        value = self.values.get(name, default)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise ToolError(f"`{name}` must be a number")
        return int(value)

    def flag(self, name: str) -> bool:
        """A boolean; False if it is missing."""
        return self.values.get(name) is True

    def items(self, name: str) -> Sequence[object]:
        """A list; empty if it is missing."""
        value = as_list(self.values.get(name, ()))
        if value is None:
            raise ToolError(f"`{name}` must be a list")
        return value

    def record(self, name: str) -> Mapping[str, object]:
        """An object; empty if it is missing."""
        value = as_object(self.values.get(name, {}))
        if value is None:
            raise ToolError(f"`{name}` must be an object")
        return value


class ThreadPool:
    """Threads for one kind of work, so that slow tools never delay a decision of the gate."""

    def __init__(self, name: str, size: int) -> None:
        self._pool = ThreadPoolExecutor(size, f"assent-{name}")

    async def run(
        self, function: Callable[Params, Returned], *args: Params.args, **kwargs: Params.kwargs
    ) -> Returned:
        """Run a blocking function; cancelling the caller does not stop the thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, lambda: function(*args, **kwargs))


FILE_THREADS = ThreadPool("files", 8)
"""For files and other work that ends by itself."""
NETWORK_THREADS = ThreadPool("network", 32)
"""For connections, which wait for other machines."""
