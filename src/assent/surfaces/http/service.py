"""A service: everything that routes and live channels work with, put together once at the start."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from assent.door.identity import Doorkeeper
from assent.door.signin import SignIn
from assent.gate.gate import Gate
from assent.gate.pods import Difference
from assent.gate.policy import Ground
from assent.gate.ports import Store
from assent.surfaces.http.storefigures import StoreFiguresReader
from assent.surfaces.http.talk import Talk
from assent.surfaces.http.telemetry import Metrics
from assent.surfaces.http.waiting_room import WaitingRoom


class Policy(Protocol):
    """The policy of files, which can be read again while the server runs."""

    @property
    def version(self) -> str:
        """A short mark of what all files say together; another one when any of them changed."""
        ...

    @property
    def error(self) -> str:
        """Why the files as they are now cannot be used; empty while they can."""
        ...

    @property
    def files(self) -> Sequence[str]:
        """The files that the policy which counts was read from."""
        ...

    @property
    def presets(self) -> Sequence[str]:
        """The names of all presets there are."""
        ...

    def __call__(self, preset: str) -> Ground:
        """The ground under a preset."""
        ...

    def has_changed(self) -> bool:
        """Whether any file looks different from when it was last read."""
        ...

    def reload(self) -> bool:
        """Read the files again; whether that changed what counts. A bad file changes nothing."""
        ...


class Pods(Protocol):
    """Compares this server with the others on its store."""

    @property
    def differences(self) -> Sequence[Difference]:
        """What differs between them."""
        ...

    async def compare(self) -> None:
        """Compare again."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """One running server."""

    gate: Gate
    store: Store
    keeper: Doorkeeper
    grounds: Policy
    metrics: Metrics
    public_url: str
    """Where people reach it, without the base path."""
    base_path: str = ""
    """Where a proxy hangs it in: empty, or `/…` without a slash at its end."""
    sign_in: SignIn | None = None
    """How people come in with a provider, where one is configured."""
    chat: Callable[[], Awaitable[Talk]] | None = None
    """Conversations with models, where that part is installed; just after the start it is waited for."""
    pods: Pods | None = None
    """The other servers on the same store; None where there is nothing to compare with."""
    figures: StoreFiguresReader = field(default_factory=StoreFiguresReader)
    """What `/metrics` reads of the store."""
    waiting: WaitingRoom = field(default_factory=WaitingRoom)
    """Who waits for long."""
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the server drains: whoever waits for long comes back now."""
