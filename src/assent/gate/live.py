"""What processes on one store tell each other: what happened, what is paused, declared, set and spent."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple, Protocol

from assent.gate.catalog import Declared
from assent.gate.conversation import Conversation
from assent.gate.pods import Pod

KEPT = timedelta(days=7)
"""How long events are kept for whoever was away."""
START_MODE = "agent.permissions.mode"
"""The setting that says in which mode a new conversation starts."""


class What(StrEnum):
    """What happened: to an approval, to policy, or to the one switch."""

    ASKED = "asked"
    ANSWERED = "answered"
    RELEASED = "released"
    LATER = "later"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"
    LAPSED = "lapsed"
    REFUSED = "refused"
    POLICY = "policy"
    PAUSED = "paused"
    RESUMED = "resumed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened; never what was in a call."""

    cursor: str
    """Where it stands: whoever has seen it asks for what came after."""
    at: datetime
    kind: What
    approval: str = ""
    """Empty for what concerns everybody."""
    owner: str = ""
    conversation: str = ""
    agent: str = ""


class Happened(NamedTuple):
    """Some events in their order, and where the next ones begin."""

    events: tuple[Event, ...]
    cursor: str
    reset: bool = False
    """What was missed is no longer known: read everything anew, and go on from the cursor."""


class Spent(NamedTuple):
    """Whether a call is within its budget; if not, in how many seconds one is again."""

    allowed: bool
    again_after: float = 0.0


class Talks(NamedTuple):
    """Some conversations, the newest first, and where the next page begins (empty at the end)."""

    conversations: tuple[Conversation, ...]
    after: str = ""


class Live(Protocol):
    """The part of a store by which its processes know of each other's doings."""

    async def events(self, after: str, *, limit: int = 200) -> Happened:
        """What happened after a cursor, in an order that never skips; an empty one is the beginning.

        A cursor that is too old, or of another database, gives a reset.
        """
        ...

    async def newest(self) -> str:
        """The cursor after which everything is that happens from now on."""
        ...

    @property
    def stirs(self) -> int:
        """A number that is another one after something happened, here or elsewhere."""
        ...

    async def stirred(self, since: int) -> int:
        """Come back when `stirs` is another number; a notice may be lost, so look now and then anyway."""
        ...

    async def pause(self, by: str) -> None:
        """Let each call that is not a read wait, on every pod; who paused first is kept."""
        ...

    async def unpause(self, by: str) -> None:
        """Let calls go on; a yes that was kept meanwhile may be used for its whole time from now on."""
        ...

    async def spend(self, principal: str, calls: int, window: timedelta) -> Spent:
        """Count one call of somebody who may make so many in any such time, or refuse it."""
        ...

    async def declare(self, agent: str, origin: str, declared: Sequence[Declared], *, by: str) -> None:
        """What an origin offers to an agent (or, with an empty one, to all) is this and nothing else."""
        ...

    async def declarations(self) -> Sequence[Declared]:
        """Every tool that was declared to all processes, in the order of agent, origin and name."""
        ...

    async def join(self, pod: Pod) -> Sequence[Pod]:
        """Say what this process is, once more after a change; what the others are that live."""
        ...

    async def leave(self) -> None:
        """Say that this process ends."""
        ...

    async def conversations(self, owner: str | None = None, *, limit: int = 100, after: str = "") -> Talks:
        """A page of somebody's conversations, or of everybody's."""
        ...

    async def setting(self, name: str) -> str | None:
        """What a setting says."""
        ...

    async def save_setting(self, name: str, value: str | None, *, by: str) -> None:
        """Write a setting, or with None remove it."""
        ...
