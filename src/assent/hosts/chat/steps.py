"""The steps of a run: a model answers, the answer is kept, and then its calls are made."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.usage import UsageLimits

from assent.hosts.chat.history import answer_in, written

MOST_REQUESTS = 200
"""Answers that a model may need for one message before the run ends by itself."""
Act = Callable[[Any, Any], Awaitable[None]]
"""Does something with a step of a run."""


@dataclass
class Steps:
    """InputUse the steps of one run, from whatever was kept of it on."""

    keep: Callable[[str], Awaitable[None]]
    hear: Act
    call: Act
    _kept: int = 0

    async def take(
        self,
        agent: Agent[None, Any],
        prompt: str,
        own: Sequence[ModelMessage],
        past: Sequence[ModelMessage] = (),
    ) -> Any:
        """Go on from a run's own messages, or begin with a prompt; gives what the run ends with."""
        if said := answer_in(own):
            return said
        async with agent.iter(
            None if own else prompt,
            message_history=[*past, *own],
            usage_limits=UsageLimits(request_limit=MOST_REQUESTS),
        ) as running:
            node: Any = running.next_node
            while not Agent.is_end_node(node):
                if Agent.is_model_request_node(node):
                    await self.hear(node, running)
                elif Agent.is_call_tools_node(node):
                    await self._keep(running.new_messages())
                    await self.call(node, running)
                node = await running.next(node)
        await self._keep(running.new_messages())
        return None if running.result is None else running.result.output

    async def _keep(self, messages: Sequence[ModelMessage]) -> None:
        """Keep what was said up to the last answer; what calls return is kept call by call."""
        end = next((n for n in range(len(messages), 0, -1) if isinstance(messages[n - 1], ModelResponse)), 0)
        if end > self._kept:
            await self.keep(written(messages[self._kept : end]))
            self._kept = end
