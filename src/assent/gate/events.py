"""Events of a store in order, and the settings that must be equal in all pods."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple, Protocol

from assent.errors import StoreError
from assent.gate.access import Kind, Principal, Resource, can_see

EVENT_RETENTION = timedelta(days=7)
"""How long events are kept for listeners that reconnect."""
FEED_POLL_SECONDS = 5.0
"""Seconds after which a feed reads the store even without a notification."""


class EventKind(StrEnum):
    """The kind of an event: a change of an approval, of policy, or of the pause of all agents."""

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
    """One event; it never holds arguments of a call."""

    cursor: str
    """The position of the event; a listener requests the events after it."""
    at: datetime
    kind: EventKind
    approval: str = ""
    """The id of the approval; empty for events that concern all users."""
    owner: str = ""
    conversation: str = ""
    agent: str = ""


class EventPage(NamedTuple):
    """A page of events in order, and the cursor of the next page."""

    events: tuple[Event, ...]
    cursor: str
    reset: bool = False
    """Whether missed events were deleted: the listener must load everything again."""


class EventSource(Protocol):
    """The part of a store that reports events."""

    async def events(self, after: str, *, limit: int = 200) -> EventPage:
        """The events after a cursor, without gaps; an empty cursor is the beginning.

        A cursor that is too old, or of another database, returns a reset.
        """
        ...

    async def latest_cursor(self) -> str:
        """The cursor after the last event so far."""
        ...

    @property
    def change_count(self) -> int:
        """Counter, incremented on every change in this or another process."""
        ...

    async def wait_for_change(self, since: int) -> int:
        """Wait until `change_count` differs from `since`; notifications may be lost, so poll as well."""
        ...


def can_see_event(principal: Principal, event: Event) -> bool:
    """Whether a principal may see an event; agents do not see events that concern all users."""
    if event.kind in (EventKind.POLICY, EventKind.PAUSED, EventKind.RESUMED):
        return principal.kind is not Kind.AGENT
    return can_see(principal, Resource(owner=event.owner, conversation=event.conversation, agent=event.agent))


class EventFeed:
    """The events after a cursor for one principal, each exactly once and in order."""

    def __init__(self, source: EventSource, principal: Principal, after: str | None = None) -> None:
        self.principal = principal
        """The listener; a host replaces it when the listener's rights change."""
        self.cursor = after
        """The position after the last event that was returned; None before the first read."""
        self._source = source

    def __aiter__(self) -> AsyncIterator[EventPage]:
        return self

    async def __anext__(self) -> EventPage:
        """Wait for the next events without a time limit."""
        while True:
            page = await self.next_events(FEED_POLL_SECONDS)
            if page.events or page.reset:
                return page

    async def start_cursor(self) -> str:
        """The cursor of the feed; a new feed starts after the latest event."""
        if self.cursor is None:
            self.cursor = await self._source.latest_cursor()
        return self.cursor

    async def next_events(self, timeout: float) -> EventPage:
        """Wait for the next events; returns an empty page after `timeout` seconds without an event."""
        await self.start_cursor()
        # INVARIANT: the counter is read before the events, so that a change in between ends the wait.
        count = self._source.change_count
        page = await self._read_page()
        if page.events or page.reset:
            return page
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._source.wait_for_change(count)
        return await self._read_page()

    async def _read_page(self) -> EventPage:
        page = await self._source.events(self.cursor or "")
        self.cursor = page.cursor
        visible = tuple(one for one in page.events if can_see_event(self.principal, one))
        return page._replace(events=visible)


_log = logging.getLogger("assent.pods")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """The settings of one process that must be equal in all processes of a store."""

    workspace: str
    """The directory that relative paths in calls start from."""
    policy_digest: str
    """The digest of its policy files."""
    version: str


class PodProperty(StrEnum):
    """A setting that must be equal in all pods."""

    WORKSPACE = "workspace"
    POLICY = "policy"
    VERSION = "version"


class PodDifference(NamedTuple):
    """A setting that differs between two pods."""

    what: PodProperty
    here: str
    """The value of this pod."""
    there: str
    """The value of another pod."""

    @property
    def sentence(self) -> str:
        """A message with the difference, its effect, and the remedy."""
        return f"pods differ in {self.what}: `{self.here}` and `{self.there}`; {_CONSEQUENCES[self.what]}"


class PodStore(Protocol):
    """The part of a store that registers its processes."""

    async def join(self, pod: Pod) -> Sequence[Pod]:
        """Register or update this process, and return the other live processes."""
        ...

    async def leave(self) -> None:
        """Remove the registration of this process."""
        ...


class PodComparison:
    """Compares the settings of this process with those of the other processes on its store."""

    def __init__(self, store: PodStore, own: Callable[[], Pod]) -> None:
        self._store = store
        self._own = own
        self.differences: tuple[PodDifference, ...] = ()

    async def compare(self) -> None:
        """Register this process and log new differences, which stop nothing."""
        own = self._own()
        try:
            found = pod_differences(own, await self._store.join(own))
        except StoreError as error:
            _log.warning("pods could not be compared: %s", error)
            return
        for one in found:
            if one not in self.differences:
                _log.warning("%s", one.sentence)
        if self.differences and not found:
            _log.info("all pods agree on workspace, policy and version again")
        self.differences = found

    async def leave(self) -> None:
        """Remove the registration of this process; if that fails, the registration expires."""
        with suppress(StoreError):
            await self._store.leave()


_CONSEQUENCES = {
    PodProperty.WORKSPACE: "a call that is asked on one and claimed on the other is refused although it was"
    " approved, because its paths mean other files there: start every pod in the same directory",
    PodProperty.POLICY: "the same call may get another verdict on the other:"
    " give every pod the same policy files",
    PodProperty.VERSION: "finish the rollout, so that every pod decides alike",
}


def pod_differences(own: Pod, others: Iterable[Pod]) -> tuple[PodDifference, ...]:
    """The differences between this pod and the others, each once."""
    return tuple(dict.fromkeys(one for other in others for one in _find_differences(own, other)))


def _find_differences(own: Pod, other: Pod) -> Iterator[PodDifference]:
    values = {
        PodProperty.WORKSPACE: (own.workspace, other.workspace),
        PodProperty.POLICY: (own.policy_digest, other.policy_digest),
        PodProperty.VERSION: (own.version, other.version),
    }
    for what, (here, there) in values.items():
        if here != there:
            yield PodDifference(what, here, there)
