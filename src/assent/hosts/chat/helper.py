"""A helper: a run inside a call, kept in the log of the run that it helps, so that it goes on with it."""

from typing import Any

from pydantic_ai import Agent, DeferredToolRequests

from assent.hosts.chat.belt.fault import ParkedError
from assent.hosts.chat.history import read
from assent.hosts.chat.log import Log
from assent.hosts.chat.steps import Steps

MANNERS = "You are a helper: do this one task, and answer with what came of it."


async def helped(helper: Agent[None, Any], task: str, log: Log, call: str) -> str:
    """What a helper answers in the end; what it says on the way is its own."""

    async def keep(said: str) -> None:
        await log.help(call, said)

    output = await Steps(keep, _unheard, _uncounted).take(helper, task, read(log.helped.get(call, ())))
    if isinstance(output, DeferredToolRequests):
        raise ParkedError("the helper waits for a person")
    return "" if output is None else str(output)


async def _unheard(node: Any, running: Any) -> None:
    async with node.stream(running.ctx) as stream:
        async for _ in stream:
            pass


async def _uncounted(node: Any, running: Any) -> None:
    """Its calls show themselves."""
