"""The service: everything that routes and live channels use, assembled once when the server starts."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from assent.door.authentication import Authenticator, SignIn
from assent.gate.access import Principal
from assent.gate.events import PodDifference
from assent.gate.gate import Gate
from assent.gate.policy import FilePolicy
from assent.gate.store import Store
from assent.hosts.chat.chunk import Chunk
from assent.hosts.chat.request import ChatRequest
from assent.surfaces.http.api.metrics import Metrics, StoreFiguresReader
from assent.surfaces.http.api.problems import ProblemError

FULL = "the server has reached its limit of requests: try again in a moment"
CLOSING = {"retry-after": "1", "connection": "close"}
"""The headers of a refusal for load: a closed connection makes room for others."""


class Policy(Protocol):
    """The policy of the files, which can be reloaded while the server runs."""

    @property
    def version(self) -> str:
        """A short digest of all files; changes when any of them changes."""
        ...

    @property
    def error(self) -> str:
        """Why the files cannot be used as they are now; empty while they can."""
        ...

    @property
    def files(self) -> Sequence[str]:
        """The files that the policy in effect was read from."""
        ...

    @property
    def presets(self) -> Sequence[str]:
        """The names of all presets."""
        ...

    def __call__(self, preset: str) -> FilePolicy:
        """The policy of the files for a preset."""
        ...

    def has_changed(self) -> bool:
        """Whether any file looks different from when it was last read."""
        ...

    def reload(self) -> bool:
        """Read the files again; whether the policy changed. A file with an error changes nothing."""
        ...


class Pods(Protocol):
    """Compares this server with the others on its store."""

    @property
    def differences(self) -> Sequence[PodDifference]:
        """What differs between them."""
        ...

    async def compare(self) -> None:
        """Compare again."""
        ...


class ChatPort(Protocol):
    """The chat, as HTTP uses it."""

    async def send(self, principal: Principal, id: str, request: ChatRequest) -> AsyncIterator[Chunk]:
        """Take a message or answers; the chunks of the run that it starts or belongs to."""
        ...

    async def check_key(self, principal: Principal, id: str, request: ChatRequest) -> None:
        """Refuse an idempotency key that was used for another request."""
        ...

    async def attach(self, principal: Principal, id: str) -> AsyncIterator[Chunk] | None:
        """The chunks of the current run of a conversation; None where nothing runs."""
        ...

    async def stop(self, principal: Principal, id: str) -> None:
        """End the current run of a conversation."""
        ...

    async def messages(
        self, principal: Principal, id: str, *, live: bool = False, replaced: bool = False
    ) -> Sequence[Mapping[str, object]]:
        """The messages of a conversation."""
        ...

    def model_options(self) -> Sequence[Mapping[str, object]]:
        """The available models, the default first."""
        ...


class LongRequests:
    """Limits the number of open long polls and streams, so that short requests are still served."""

    def __init__(self, limit: int = 10_000) -> None:
        self._limit = limit
        self._open = 0

    @property
    def has_room(self) -> bool:
        """Whether one more may begin."""
        return self._open < self._limit

    @contextmanager
    def count(self) -> Generator[None]:
        """Count one while it is open."""
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """One running server."""

    gate: Gate
    store: Store
    authenticator: Authenticator
    policy: Policy
    metrics: Metrics
    public_url: str
    """The address that people use, without the base path."""
    base_path: str = ""
    """The path under which a proxy serves it: empty, or `/…` without a slash at its end."""
    sign_in: SignIn | None = None
    """Signs people in with an OpenID Connect provider, where one is configured."""
    open_chat: Callable[[], Awaitable[ChatPort]] | None = None
    """The chat, where it is installed; awaits its loading just after the start."""
    pods: Pods | None = None
    """The other servers on the same store; None where there cannot be any."""
    figures: StoreFiguresReader = field(default_factory=StoreFiguresReader)
    """What `/metrics` reads of the store."""
    long_requests: LongRequests = field(default_factory=LongRequests)
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the server begins to shut down: long requests end now."""

    async def chat(self) -> ChatPort:
        """The chat of a server that has one."""
        if self.open_chat is None:
            raise ProblemError(503, "this server has no chat: pip install 'assent[chat]'")
        return await self.open_chat()
