"""How tests wait: until something is true, with one limit for all of them.

No test may depend on how fast the machine is. A test that needs a state waits for that state;
a sleep is never a substitute for it.
"""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from assent.gate.store import Store

LIMIT_SECONDS = 180.0
"""Long enough for a busy machine: a test fails after this time instead of hanging."""
POLL_SECONDS = 0.01

Found = TypeVar("Found")


def wait_until(
    find: Callable[[], Found | None], pause: Callable[[], object] = lambda: time.sleep(POLL_SECONDS)
) -> Found:
    """Call `find` until it returns something true, and return that.

    `pause` is called between two attempts; a browser test lets its page work there.
    """
    deadline = time.monotonic() + LIMIT_SECONDS
    while not (found := find()):
        assert time.monotonic() < deadline, f"still {found!r} after {LIMIT_SECONDS:.0f} seconds"
        pause()
    return found


async def wait_until_async(find: Callable[[], Awaitable[Found | None] | Found | None]) -> Found:
    """Like `wait_until`, while other tasks run; `find` may be a coroutine function."""
    deadline = time.monotonic() + LIMIT_SECONDS
    while not (found := await _call_and_await(find)):
        assert time.monotonic() < deadline, f"still {found!r} after {LIMIT_SECONDS:.0f} seconds"
        await asyncio.sleep(POLL_SECONDS)
    return found


async def wait_for_waiting_callers(store: Store, count: int = 1) -> None:
    """Wait until callers of this process wait for the answers to `count` approvals."""
    await wait_until_async(lambda: store.counters().waiting >= count)


async def run_ready_tasks() -> None:
    """Let every task run until it waits; enough for tasks that use neither threads nor sockets."""
    for _ in range(20):
        await asyncio.sleep(0)


async def allow_time_for_errors() -> None:
    """Give a wrong program time to go wrong, where no state shows that a correct one does nothing."""
    await asyncio.sleep(0.3)


async def _call_and_await(find: Callable[[], Awaitable[Found | None] | Found | None]) -> Found | None:
    found = find()
    return await found if inspect.isawaitable(found) else found
