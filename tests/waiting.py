"""Functions with which tests wait for a state, with one time limit for all tests.

No test may depend on the speed of the machine. A test that needs a state waits for that state, and does not
sleep instead.
"""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from assent.gate.store import Store

LIMIT_SECONDS = 180.0
"""Seconds after which a waiting test fails; long enough for a busy machine."""
POLL_SECONDS = 0.01

Found = TypeVar("Found")


def wait_until(
    find: Callable[[], Found | None], pause: Callable[[], object] = lambda: time.sleep(POLL_SECONDS)
) -> Found:
    """Call `find` until it returns a true value, and return that value.

    `pause` is called between two tries; a browser test lets its page run there.
    """
    deadline = time.monotonic() + LIMIT_SECONDS
    while not (found := find()):
        assert time.monotonic() < deadline, f"still {found!r} after {LIMIT_SECONDS:.0f} seconds"
        pause()
    return found


async def wait_until_async(find: Callable[[], Awaitable[Found | None] | Found | None]) -> Found:
    """Like `wait_until`, but other tasks run between two tries; `find` may be a coroutine function."""
    deadline = time.monotonic() + LIMIT_SECONDS
    while not (found := await _call_and_await(find)):
        assert time.monotonic() < deadline, f"still {found!r} after {LIMIT_SECONDS:.0f} seconds"
        await asyncio.sleep(POLL_SECONDS)
    return found


async def wait_for_waiting_callers(store: Store, count: int = 1) -> None:
    """Wait until at least `count` callers in this process wait for an answer."""
    await wait_until_async(lambda: store.counters().waiting >= count)


async def run_ready_tasks() -> None:
    """Let all ready tasks run until they wait; enough for tasks without threads and sockets."""
    for _ in range(20):
        await asyncio.sleep(0)


def advance_loop_time(seconds: float) -> None:
    """Let the clock of the running event loop jump, so that its timers act as if that time had passed."""
    loop = asyncio.get_running_loop()
    time_before = loop.time
    setattr(loop, "time", lambda: time_before() + seconds)  # noqa: B010 (a type checker refuses the assignment)


async def allow_time_for_errors() -> None:
    """Wait a moment for errors of a faulty program; only for cases in which no state can be waited for."""
    await asyncio.sleep(0.3)


async def _call_and_await(find: Callable[[], Awaitable[Found | None] | Found | None]) -> Found | None:
    found = find()
    return await found if inspect.isawaitable(found) else found
