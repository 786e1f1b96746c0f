"""Runs each async test in its own event loop, without a pytest plugin.

A test may be `async def`. It runs in `asyncio.run`, and fails after `TEST_TIMEOUT_SECONDS` instead of hanging.
If the value of a fixture is an async context manager (such as a store to open), it is entered in the loop of
the test, and the test gets the value that it yields.
"""

import asyncio
import inspect
from contextlib import AbstractAsyncContextManager, AsyncExitStack

import pytest

TEST_TIMEOUT_SECONDS = 300
"""Time limit of a test in seconds; a working test never takes that long."""


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine function; pytest itself runs the other tests."""
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
