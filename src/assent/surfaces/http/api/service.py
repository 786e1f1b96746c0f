"""The service: all objects that routes use, created once when the server starts."""

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
from assent.hosts.browser.pages import Pages
from assent.hosts.chat.chunk import Chunk
from assent.hosts.chat.request import ChatRequest
from assent.hosts.hook.gate_events import UsedAnswers
from assent.hosts.workbench.workbench import Workbench
from assent.surfaces.http.api.metrics import Metrics, StoreMetricsReader
from assent.surfaces.http.api.problems import ProblemError

OVERLOAD_MESSAGE = "the server has reached its limit of requests: try again in a moment"
OVERLOAD_HEADERS = {"retry-after": "1", "connection": "close"}
"""Headers of a refusal because of load; closing the connection frees a slot."""


class PolicyFiles(Protocol):
    """The policy from files, which can be reloaded while the server runs."""

    @property
    def version(self) -> str:
        """Short digest of all policy files."""
        ...

    @property
    def error(self) -> str:
        """Why the current files are invalid; empty if they are valid."""
        ...

    @property
    def files(self) -> Sequence[str]:
        """Paths of the files that the current policy was read from."""
        ...

    @property
    def presets(self) -> Sequence[str]:
        """The names of all presets."""
        ...

    def __call__(self, preset: str) -> FilePolicy:
        """The policy of the files for a preset."""
        ...

    def has_changed(self) -> bool:
        """Whether a file has changed since it was last read."""
        ...

    def reload(self) -> bool:
        """Read the files again; returns whether the policy changed. An invalid file changes nothing."""
        ...


class PodComparisonPort(Protocol):
    """Compares this server with the other servers of its database."""

    @property
    def differences(self) -> Sequence[PodDifference]:
        """The differences that the last comparison found."""
        ...

    async def compare(self) -> None:
        """Compare with the other servers again."""
        ...


class ChatPort(Protocol):
    """The interface of the chat for HTTP routes."""

    async def send(self, principal: Principal, id: str, request: ChatRequest) -> AsyncIterator[Chunk]:
        """Accept a message or answers; returns the chunks of its run."""
        ...

    async def check_idempotency_key(self, principal: Principal, id: str, request: ChatRequest) -> None:
        """Raise an error if the idempotency key was used for a different request."""
        ...

    async def attach_to_run(self, principal: Principal, id: str) -> AsyncIterator[Chunk] | None:
        """The chunks of the current run of a conversation; None if no run is active."""
        ...

    async def stop(self, principal: Principal, id: str) -> None:
        """End the current run of a conversation."""
        ...

    async def messages(
        self, principal: Principal, id: str, *, live: bool = False, replaced: bool = False
    ) -> Sequence[Mapping[str, object]]:
        """The messages of a conversation."""
        ...

    async def list_tools(self, principal: Principal, id: str) -> Sequence[Mapping[str, object]]:
        """The groups of all tools of a conversation."""
        ...

    def list_model_options(self) -> Sequence[Mapping[str, object]]:
        """The available models, the default first."""
        ...


class LongRequestLimit:
    """Limits the number of open long polls and streams, so that short requests are still served."""

    def __init__(self, limit: int = 10_000) -> None:
        self._limit = limit
        self._open = 0

    @property
    def can_start_request(self) -> bool:
        """Whether another long request may start."""
        return self._open < self._limit

    @contextmanager
    def count_open_request(self) -> Generator[None]:
        """Count a long request while it is open."""
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """The gate, store, policy and other objects of one running server."""

    gate: Gate
    store: Store
    authenticator: Authenticator
    policy: PolicyFiles
    pages: Pages
    """The web pages that are connected to this server."""
    metrics: Metrics
    public_url: str
    """The URL that people use, without the base path."""
    base_path: str = ""
    """Path prefix under which a proxy serves the app: empty, or `/…` without a slash at the end."""
    sign_in: SignIn | None = None
    """Sign-in with an OpenID Connect provider; None if none is configured."""
    open_chat: Callable[[], Awaitable[ChatPort]] | None = None
    """Returns the chat, after it is loaded; None if the chat is not installed."""
    pods: PodComparisonPort | None = None
    """Comparison with other servers of the database; None if there cannot be any."""
    workbench: Workbench | None = None
    """Files and terminals for the workbench page; None if this server has none."""
    figures: StoreMetricsReader = field(default_factory=StoreMetricsReader)
    """Reads the metrics that come from the store."""
    long_requests: LongRequestLimit = field(default_factory=LongRequestLimit)
    carried_answers: UsedAnswers = field(default_factory=UsedAnswers)
    """Answers that hooks of other programs have passed on to their programs."""
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the server begins to shut down, to end long requests."""

    def require_workbench(self) -> Workbench:
        """The workbench; raises an error if the server has none."""
        if self.workbench is None:
            raise ProblemError(503, "this server has no workbench")
        return self.workbench

    async def chat(self) -> ChatPort:
        """The chat; raises an error if the server has none."""
        if self.open_chat is None:
            raise ProblemError(503, "this server has no chat: pip install 'assent[chat]'")
        return await self.open_chat()
