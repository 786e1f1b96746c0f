"""Stirs: a sign, without words, that something happened; whoever is roused goes and looks."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from assent.errors import AssentError, NotFoundError, StoreError
from assent.gate.approval import Approval, State


class ChangeSignal:
    """A number that grows, and those who wait for it to; however many wait, one stir rouses them all."""

    def __init__(self) -> None:
        self.count = 0
        self.on_first_waiter: Callable[[], None] = lambda: None
        """Called when somebody begins to wait where nobody did."""
        self.on_publish: Callable[[], None] = lambda: None
        """Called for what happened in this process, so that others hear of it."""
        self._waiting: set[asyncio.Future[None]] = set()
        self._error: AssentError | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    def publish(self) -> None:
        """Something happened here."""
        self.notify()
        self.on_publish()

    def notify(self) -> None:
        """Something happened, here or elsewhere."""
        self.count += 1
        waiting, self._waiting = self._waiting, set()
        for roused in waiting:
            if not roused.done():
                roused.set_result(None)

    async def wait_after(self, since: int) -> int:
        """Come back when the count is another one."""
        if self._error is not None:
            raise self._error
        if self.count == since:
            await self._roused()
        return self.count

    def fail(self, error: AssentError) -> None:
        """Tell everybody that nothing will happen here any more."""
        self._error = error
        for roused in self._waiting:
            if not roused.done():
                roused.set_exception(error)
                roused.exception()

    async def _roused(self) -> None:
        roused: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        is_first = not self._waiting
        self._waiting.add(roused)
        if is_first:
            self.on_first_waiter()
        try:
            await roused
        finally:
            self._waiting.discard(roused)


class ApprovalWaiters:
    """Futures by approval; a waiter costs one of them and no thread."""

    def __init__(self, nudge: Callable[[], None] = lambda: None) -> None:
        self._waiting: dict[str, set[asyncio.Future[Approval]]] = {}
        self.on_first_waiter = nudge
        """Called when somebody begins to wait where nobody did."""

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, id_: str) -> bool:
        return id_ in self._waiting

    def ids(self) -> list[str]:
        """The approvals that somebody waits for."""
        return list(self._waiting)

    async def wait(self, id_: str, look: Callable[[str], Awaitable[Approval | None]]) -> Approval:
        """Come back when the approval is no longer pending; a look shows it only once it is not."""
        # INVARIANT: whoever waits is listed before they look; an answer in between wakes them.
        woken = self._add(id_)
        try:
            return await look(id_) or await woken
        finally:
            self._remove(id_, woken)

    def notify(self, approvals: Iterable[Approval]) -> None:
        """Hand these approvals to whoever waits for one of them."""
        for approval in approvals:
            if approval.state is not State.PENDING:
                for woken in self._waiting.get(approval.id, ()):
                    if not woken.done():
                        woken.set_result(approval)

    def fail(self, error: AssentError) -> None:
        """Tell everybody that nothing will come any more."""
        for woken in [one for waiting in self._waiting.values() for one in waiting]:
            if not woken.done():
                woken.set_exception(error)
                woken.exception()

    def _add(self, id_: str) -> asyncio.Future[Approval]:
        woken: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
        is_first = not self._waiting
        self._waiting.setdefault(id_, set()).add(woken)
        if is_first:
            self.on_first_waiter()
        return woken

    def _remove(self, id_: str, woken: asyncio.Future[Approval]) -> None:
        waiting = self._waiting[id_]
        waiting.discard(woken)
        if not waiting:
            del self._waiting[id_]


Key = TypeVar("Key")
Found = TypeVar("Found")


class _Asked(NamedTuple, Generic[Key, Found]):
    """What somebody wants to know, and where they wait for it."""

    key: Key
    seen: asyncio.Future[Found]


class SharedRead(Generic[Key, Found]):
    """A thousand who ask at once cost two reads, and one who comes alone waits for nobody."""

    def __init__(self, read: Callable[[Sequence[Key]], Awaitable[Found]]) -> None:
        self._read = read
        self._is_busy = False
        self._waiting: list[_Asked[Key, Found]] = []
        self._next: asyncio.Task[None] | None = None

    async def get(self, key: Key) -> Found:
        """What is found for all who asked together, at this moment or later."""
        if self._is_busy:
            # INVARIANT: a read starts after it was asked for, or it could show what was true before.
            seen: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
            self._waiting.append(_Asked(key, seen))
            return await seen
        self._is_busy = True
        try:
            return await self._read([key])
        finally:
            self._finish_read()

    def _finish_read(self) -> None:
        # A read may be over before anybody else has their turn of the loop: those who are woken in one go
        # come in the same turn, and share the next read, too.
        asyncio.get_running_loop().call_soon(self._start_next)

    def _start_next(self) -> None:
        self._is_busy = bool(self._waiting)
        if self._is_busy:
            asked, self._waiting = self._waiting, []
            self._next = asyncio.create_task(self._share(asked))

    async def _share(self, asked: Sequence[_Asked[Key, Found]]) -> None:
        still = [one.seen for one in asked]
        try:
            found = await self._read([one.key for one in asked])
            for seen in still:
                if not seen.done():
                    seen.set_result(found)
        except Exception as error:  # noqa: BLE001 - whoever asked is told
            for seen in still:
                if not seen.done():
                    seen.set_exception(error)
        finally:
            self._finish_read()


Seen = TypeVar("Seen")


class SharedLookup(Generic[Seen]):
    """A thousand who begin to wait at once cost a few reads."""

    def __init__(self, find: Callable[[Sequence[str]], Awaitable[Mapping[str, Seen]]]) -> None:
        self._together: SharedRead[str, Mapping[str, Seen]] = SharedRead(find)

    async def get(self, id_: str) -> Seen:
        """What is seen of an approval now, or `NotFoundError`."""
        found = await self._together.get(id_)
        if id_ not in found:
            raise NotFoundError("approval", id_)
        return found[id_]


_log = logging.getLogger("assent.store")
RECENT = 1.0
"""Seconds for which a commit is proof enough, and the least time between two probes."""
PROBE_TIMEOUT = 2.0
"""Seconds after which a probe that has not come back counts as failed."""


class CommitStatus:
    """When this process last committed, and the fault of its last try, if that failed."""

    def __init__(self) -> None:
        self._last = float("-inf")
        self.fault: AssentError | None = None

    def record_success(self) -> None:
        """Note that a commit was made just now."""
        self._last, self.fault = time.monotonic(), None

    def record_failure(self, fault: AssentError) -> None:
        """Note why a commit was not made."""
        self.fault = fault

    @property
    def is_recent(self) -> bool:
        """Whether the last commit is proof that the next one will work."""
        return time.monotonic() - self._last < RECENT


class WriteProbe:
    """Commits something small where nothing else was committed of late; once a second, whoever asks."""

    def __init__(self, write: Callable[[], Awaitable[object]], commits: CommitStatus, where: str) -> None:
        self._write = write
        self._commits = commits
        self._where = where
        self._began = float("-inf")
        self._probe: asyncio.Task[None] | None = None

    async def check(self) -> None:
        """Come back if a write is committed; otherwise raise what prevents it."""
        if self._commits.is_recent:
            return
        probe = self._current()
        await asyncio.wait({probe}, timeout=PROBE_TIMEOUT)
        if not probe.done():
            raise self._commits.fault or StoreError(
                f"cannot use {self._where}: no write was committed within {PROBE_TIMEOUT:.0f} seconds",
                reason=f"no write was committed within {PROBE_TIMEOUT:.0f} seconds",
            )
        probe.result()

    def _current(self) -> asyncio.Task[None]:
        """The probe that runs or has just run, or a new one."""
        now = time.monotonic()
        if self._probe is None or (self._probe.done() and now - self._began >= RECENT):
            self._began, self._probe = now, asyncio.create_task(self._commit(), name="assent write probe")
            # Those who asked may all be gone by the time it fails.
            self._probe.add_done_callback(lambda probe: probe.cancelled() or probe.exception())
        return self._probe

    async def _commit(self) -> None:
        try:
            await self._write()
        except StoreError as error:
            _log.error("the store takes no writes: %s", error)
            raise
