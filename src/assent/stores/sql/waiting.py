"""How tasks of one process wait: for changes, answers, shared reads, and a successful commit."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from assent.errors import AssentError, NotFoundError, StoreError
from assent.gate.approval import Approval, State


class ChangeSignal:
    """A counter that is incremented on every change, and the tasks that wait for the next change."""

    def __init__(self) -> None:
        self.count = 0
        self.on_first_waiter: Callable[[], None] = lambda: None
        """Called when the first task begins to wait."""
        self.on_publish: Callable[[], None] = lambda: None
        """Called for a change in this process, to notify the others."""
        self._waiting: set[asyncio.Future[None]] = set()
        self._error: AssentError | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    def publish(self) -> None:
        """Notify this process, and other processes, of a change that this process made."""
        self.notify()
        self.on_publish()

    def notify(self) -> None:
        """Wake all waiting tasks: this or another process changed something."""
        self.count += 1
        waiting, self._waiting = self._waiting, set()
        for waiter in waiting:
            if not waiter.done():
                waiter.set_result(None)

    async def wait_for_change_after(self, since: int) -> int:
        """Wait until the counter differs from `since`, and return the counter."""
        if self._error is not None:
            raise self._error
        if self.count == since:
            await self._wait_once()
        return self.count

    def fail(self, error: AssentError) -> None:
        """Raise this error in all waiting tasks, now and later."""
        self._error = error
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_exception(error)
                waiter.exception()

    async def _wait_once(self) -> None:
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        is_first = not self._waiting
        self._waiting.add(waiter)
        if is_first:
            self.on_first_waiter()
        try:
            await waiter
        finally:
            self._waiting.discard(waiter)


class ApprovalWaiters:
    """The tasks that wait for an answer, by approval; each costs one future and no thread."""

    def __init__(self, on_first_waiter: Callable[[], None] = lambda: None) -> None:
        self._waiting: dict[str, set[asyncio.Future[Approval]]] = {}
        self.on_first_waiter = on_first_waiter
        """Called when the first task begins to wait."""

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, id_: str) -> bool:
        return id_ in self._waiting

    def ids(self) -> list[str]:
        """The ids of the approvals that tasks wait for."""
        return list(self._waiting)

    async def wait(self, id_: str, look: Callable[[str], Awaitable[Approval | None]]) -> Approval:
        """Wait until the approval is no longer pending; `look` returns None while it is."""
        # INVARIANT: a task is registered before it looks, so that an answer in between wakes it.
        future = self._add_waiter(id_)
        try:
            return await look(id_) or await future
        finally:
            self._remove_waiter(id_, future)

    def notify(self, approvals: Iterable[Approval]) -> None:
        """Pass these approvals to the tasks that wait for them."""
        for approval in approvals:
            if approval.state is not State.PENDING:
                for future in self._waiting.get(approval.id, ()):
                    if not future.done():
                        future.set_result(approval)

    def fail(self, error: AssentError) -> None:
        """Raise this error in all waiting tasks."""
        for future in [one for waiting in self._waiting.values() for one in waiting]:
            if not future.done():
                future.set_exception(error)
                future.exception()

    def _add_waiter(self, id_: str) -> asyncio.Future[Approval]:
        future: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
        is_first = not self._waiting
        self._waiting.setdefault(id_, set()).add(future)
        if is_first:
            self.on_first_waiter()
        return future

    def _remove_waiter(self, id_: str, future: asyncio.Future[Approval]) -> None:
        waiting = self._waiting[id_]
        waiting.discard(future)
        if not waiting:
            del self._waiting[id_]


Key = TypeVar("Key")
Found = TypeVar("Found")


class _ReadRequest(NamedTuple, Generic[Key, Found]):
    """A requested key, and the future that receives its result."""

    key: Key
    seen: asyncio.Future[Found]


class SharedRead(Generic[Key, Found]):
    """Merges concurrent reads: all requests that arrive during a read share the next one."""

    def __init__(self, read: Callable[[Sequence[Key]], Awaitable[Found]]) -> None:
        self._read = read
        self._is_busy = False
        self._waiting: list[_ReadRequest[Key, Found]] = []
        self._next: asyncio.Task[None] | None = None

    async def get(self, key: Key) -> Found:
        """The result of a read that starts after this call."""
        if self._is_busy:
            # INVARIANT: a read starts after its request; otherwise it could return an older state.
            seen: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
            self._waiting.append(_ReadRequest(key, seen))
            return await seen
        self._is_busy = True
        try:
            return await self._read([key])
        finally:
            self._finish_read()

    def _finish_read(self) -> None:
        # A read may finish before other tasks run: tasks that are woken together request in the
        # same turn of the event loop, and share the next read too.
        asyncio.get_running_loop().call_soon(self._start_next)

    def _start_next(self) -> None:
        self._is_busy = bool(self._waiting)
        if self._is_busy:
            asked, self._waiting = self._waiting, []
            self._next = asyncio.create_task(self._run_shared_read(asked))

    async def _run_shared_read(self, asked: Sequence[_ReadRequest[Key, Found]]) -> None:
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
    """Finds approvals by id; concurrent lookups share a read."""

    def __init__(self, find: Callable[[Sequence[str]], Awaitable[Mapping[str, Seen]]]) -> None:
        self._together: SharedRead[str, Mapping[str, Seen]] = SharedRead(find)

    async def get(self, id_: str) -> Seen:
        """The value for the id of an approval; raises `NotFoundError` for an unknown id."""
        found = await self._together.get(id_)
        if id_ not in found:
            raise NotFoundError("approval", id_)
        return found[id_]


_log = logging.getLogger("assent.store")
RECENT_SECONDS = 1.0
"""Seconds for which a commit proves that writes work, and the minimum time between two probes."""
PROBE_TIMEOUT = 2.0
"""Seconds after which a probe without a result counts as failed."""


class CommitStatus:
    """The time of the last commit of this process, and the error of the last attempt if it failed."""

    def __init__(self) -> None:
        self._last = float("-inf")
        self.fault: AssentError | None = None

    def record_success(self) -> None:
        """Remember that a commit succeeded now."""
        self._last, self.fault = time.monotonic(), None

    def record_failure(self, fault: AssentError) -> None:
        """Remember why a commit failed."""
        self.fault = fault

    @property
    def is_recent(self) -> bool:
        """Whether a commit succeeded recently, which proves that writes work."""
        return time.monotonic() - self._last < RECENT_SECONDS


class WriteProbe:
    """Checks that writes work: commits a small write if there was no recent commit, at most once a second."""

    def __init__(self, write: Callable[[], Awaitable[object]], commits: CommitStatus, where: str) -> None:
        self._write = write
        self._commits = commits
        self._where = where
        self._began = float("-inf")
        self._probe: asyncio.Task[None] | None = None

    async def check(self) -> None:
        """Wait until a write is committed; otherwise raise the error that prevents it."""
        if self._commits.is_recent:
            return
        probe = self._current_probe()
        await asyncio.wait({probe}, timeout=PROBE_TIMEOUT)
        if not probe.done():
            raise self._commits.fault or StoreError(
                f"cannot use {self._where}: no write was committed within {PROBE_TIMEOUT:.0f} seconds",
                reason=f"no write was committed within {PROBE_TIMEOUT:.0f} seconds",
            )
        probe.result()

    def _current_probe(self) -> asyncio.Task[None]:
        """The probe that is running or has just finished, or a new one."""
        now = time.monotonic()
        if self._probe is None or (self._probe.done() and now - self._began >= RECENT_SECONDS):
            self._began, self._probe = now, asyncio.create_task(self._commit(), name="assent write probe")
            # All callers may have been cancelled when the probe fails.
            self._probe.add_done_callback(lambda probe: probe.cancelled() or probe.exception())
        return self._probe

    async def _commit(self) -> None:
        try:
            await self._write()
        except StoreError as error:
            _log.error("the store cannot commit writes: %s", error)
            raise
