"""Pydantic AI agents that need approval to send a mail: one with Assent, one with deferred tools."""

import asyncio
from pathlib import Path

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from assent.gate.gate import Gate
from assent.hosts.python.host import Host
from assent.hosts.python.pydantic_ai import Gated
from bench.harness import WrongAnswerError
from bench.mailing import (
    FINAL_REPLY,
    USER_PROMPT,
    TextTable,
    check_final_reply,
    new_call_id,
    sample_history,
    send_mail,
)
from bench.stores import ALLOW_ONCE, MAIL_ARGS, SAMPLE_PERSON


class GatedAgent:
    """An agent with Assent: its run waits in memory until the question is answered through the gate."""

    def __init__(self, gate: Gate, history: int) -> None:
        self._gate = gate
        self._history = _make_history(history)
        capability = Gated(
            host=Host(gate, SAMPLE_PERSON), effects={"send_mail": "external"}, conversation="talk"
        )
        self._agent = Agent(_MODEL, name="clerk", tools=[send_mail], capabilities=[capability])

    async def approve(self) -> None:
        run = asyncio.create_task(self._agent.run(USER_PROMPT, message_history=self._history))
        while not (page := await self._gate.pending_approvals(SAMPLE_PERSON)).approvals and not run.done():
            await asyncio.sleep(0.001)
        for asked in page.approvals:
            await self._gate.answer(SAMPLE_PERSON, asked.id, asked.digest, ALLOW_ONCE)
        check_final_reply((await run).output, questions=len(page.approvals))


class DeferredAgent:
    """An agent with deferred tools: its run ends, its messages are stored, and a new run continues."""

    def __init__(self, path: Path, history: int) -> None:
        self._table = TextTable(path)
        self._history = _make_history(history)
        self._agent = Agent(_MODEL, output_type=[str, DeferredToolRequests])
        self._agent.tool_plain(requires_approval=True)(send_mail)

    async def approve(self) -> None:
        paused = await self._agent.run(USER_PROMPT, message_history=self._history)
        if not isinstance(paused.output, DeferredToolRequests):
            raise WrongAnswerError("a tool that needs an approval ran without one")
        (asked,) = paused.output.approvals
        self._table.put(asked.tool_call_id, paused.all_messages_json().decode())
        kept = ModelMessagesTypeAdapter.validate_json(self._table.get(asked.tool_call_id))
        yes = DeferredToolResults(approvals={asked.tool_call_id: True})
        check_final_reply((await self._agent.run(message_history=kept, deferred_tool_results=yes)).output)

    def close(self) -> None:
        self._table.close()


async def _fake_model(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
    if isinstance(messages[-1].parts[-1], ToolReturnPart):
        return ModelResponse(parts=[TextPart(FINAL_REPLY)])
    return ModelResponse(parts=[ToolCallPart("send_mail", MAIL_ARGS, tool_call_id=new_call_id())])


def _make_history(count: int) -> list[ModelMessage]:
    return [
        ModelResponse(parts=[TextPart(text)]) if index % 2 else ModelRequest(parts=[UserPromptPart(text)])
        for index, text in enumerate(sample_history(count))
    ]


_MODEL = FunctionModel(_fake_model)
