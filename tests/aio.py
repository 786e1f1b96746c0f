"""Runs async tests, each in its own event loop, without a plugin.

A test may be `async def`. It runs in `asyncio.run`, and fails after `TEST_TIMEOUT_SECONDS` instead of hanging.
A fixture may give an async context manager (a store that is to be opened, say): the test's own loop enters
it, and the test gets what it yields.
"""

import asyncio
import inspect
from contextlib import AbstractAsyncContextManager, AsyncExitStack

import pytest

TEST_TIMEOUT_SECONDS = 300
"""Seconds; nothing a test waits for should ever take as long."""


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine; leave the others to pytest."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(_run_with_entered_fixtures(pyfuncitem, {name: pyfuncitem.funcargs[name] for name in names}))
    return True


async def _run_with_entered_fixtures(test: pytest.Function, given: dict[str, object]) -> None:
    async with asyncio.timeout(TEST_TIMEOUT_SECONDS), AsyncExitStack() as stack:
        entered = {
            name: await stack.enter_async_context(value)
            if isinstance(value, AbstractAsyncContextManager)
            else value
            for name, value in given.items()
        }
        await test.obj(**entered)
