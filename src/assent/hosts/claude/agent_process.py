"""The process of one Claude Code agent: starts it, reads its output, and ends it with its children."""

import asyncio
import json
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from assent.errors import AssentError
from assent.hosts.claude.command_line import SECRET_VARIABLE
from assent.hosts.hook.settings import VARIABLES_WITHOUT_HOOKS

_END_SECONDS = 10.0
"""How long a process may take to end before it is killed."""
_CHUNK_BYTES = 65_536
_MAX_LINE_BYTES = 32_000_000
_MAX_ERROR_BYTES = 4_000


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens and the cost of an agent since its start."""

    tokens: int
    cost: float

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.tokens + other.tokens, self.cost + other.cost)


class AgentProcess:
    """A running agent; `on_message` gets each message that the client prints."""

    def __init__(
        self, process: asyncio.subprocess.Process, on_message: Callable[[Mapping[str, object]], None]
    ) -> None:
        self._process = process
        self._on_message = on_message
        self._errors = b""
        self.usage = Usage(0, 0.0)

    @property
    def pid(self) -> int:
        """The process id, which is also the id of the process group."""
        return self._process.pid

    @property
    def stderr(self) -> str:
        """The end of what the client wrote to standard error."""
        return self._errors.decode("utf-8", "replace").strip()

    async def wait(self) -> int:
        """Read the output until the process ends; return its exit status."""
        await asyncio.gather(self._read_output(), self._read_errors())
        return await self._process.wait()

    async def end(self) -> None:
        """End the process and its children; kill them if they do not end in time."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)
            with suppress(TimeoutError):
                async with asyncio.timeout(_END_SECONDS):
                    await self._process.wait()
                    return

    async def _read_output(self) -> None:
        stream = cast("asyncio.StreamReader", self._process.stdout)
        rest = b""
        while chunk := await stream.read(_CHUNK_BYTES):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._handle_line(line)
            if len(rest) > _MAX_LINE_BYTES:
                rest = b""
        self._handle_line(rest)

    async def _read_errors(self) -> None:
        stream = cast("asyncio.StreamReader", self._process.stderr)
        while chunk := await stream.read(_CHUNK_BYTES):
            self._errors = (self._errors + chunk)[-_MAX_ERROR_BYTES:]

    def _handle_line(self, line: bytes) -> None:
        try:
            message: object = json.loads(line) if line.startswith(b"{") else None
        except ValueError:
            return
        if isinstance(message, dict):
            content = cast("dict[str, object]", message)
            self.usage = usage_with_message(self.usage, content)
            self._on_message(content)


async def start_process(
    words: Sequence[str], directory: str, secret: str, on_message: Callable[[Mapping[str, object]], None]
) -> AgentProcess:
    """Start an agent without a terminal."""
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            cwd=directory,
            env=agent_environment(os.environ, secret),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise AssentError(f"`{words[0]}` cannot be started in {directory}: {reason}") from None
    return AgentProcess(process, on_message)


def agent_environment(environ: Mapping[str, str], secret: str) -> dict[str, str]:
    """The environment of an agent: without variables that disable its hook, and with its secret.

    The only Assent variable in it is the secret.
    """
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith("ASSENT_") and name not in VARIABLES_WITHOUT_HOOKS
    }
    return {**kept, SECRET_VARIABLE: secret}


def usage_with_message(usage: Usage, message: Mapping[str, object]) -> Usage:
    """The usage with the numbers of one more message; the last message contains the cost of the run."""
    if message.get("type") == "result":
        cost = message.get("total_cost_usd")
        return Usage(usage.tokens, usage.cost + float(cost) if isinstance(cost, (int, float)) else usage.cost)
    body = message.get("message")
    if message.get("type") != "assistant" or not isinstance(body, dict):
        return usage
    counted = cast("dict[str, object]", body).get("usage")
    if not isinstance(counted, dict):
        return usage
    numbers = cast("dict[str, object]", counted)
    names = ("input_tokens", "output_tokens", "cache_creation_input_tokens")
    more = sum(number for name in names if isinstance(number := numbers.get(name), int))
    return Usage(usage.tokens + more, usage.cost)
