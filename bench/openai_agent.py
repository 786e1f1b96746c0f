"""An agent of the OpenAI Agents SDK whose tool needs approval; its run state is stored as text."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, RunState, Usage, function_tool
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

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
from bench.stores import MAIL_ARGS

RUN_CONFIG = RunConfig(tracing_disabled=True)


class FakeModel(Model):
    """A fake model that calls the tool, and then reports that the mail is sent."""

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:  # noqa: A002, ARG002
        return ModelResponse(output=[_next_reply(input)], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise WrongAnswerError("nobody asked for a stream")


class OpenAiAgent:
    """An agent whose run stops at the question; its state is stored, loaded, approved and continued."""

    def __init__(self, path: Path, history: int) -> None:
        self._table = TextTable(path)
        self._history = _make_history(history)
        tool = function_tool(send_mail, needs_approval=True)
        self._agent = Agent(name="clerk", tools=[tool], model=FakeModel())

    async def approve(self) -> None:
        paused = await Runner.run(
            self._agent, [*self._history, {"role": "user", "content": USER_PROMPT}], run_config=RUN_CONFIG
        )
        if len(paused.interruptions) != 1:
            raise WrongAnswerError("a tool that needs an approval ran without one")
        id_ = new_call_id()
        self._table.put(id_, paused.to_state().to_string())
        state: RunState[Any, Any] = await RunState.from_string(self._agent, self._table.get(id_))
        state.approve(state.get_interruptions()[0])
        check_final_reply((await Runner.run(self._agent, state, run_config=RUN_CONFIG)).final_output)

    def close(self) -> None:
        self._table.close()


def _next_reply(said: list[Any]) -> ResponseFunctionToolCall | ResponseOutputMessage:
    if said[-1].get("type") == "function_call_output":
        text = ResponseOutputText(type="output_text", text=FINAL_REPLY, annotations=[])
        return ResponseOutputMessage(
            id=new_call_id(), content=[text], role="assistant", status="completed", type="message"
        )
    return ResponseFunctionToolCall(
        arguments=json.dumps(MAIL_ARGS), call_id=new_call_id(), name="send_mail", type="function_call"
    )


def _make_history(count: int) -> list[Any]:
    return [
        {"role": "assistant" if index % 2 else "user", "content": text}
        for index, text in enumerate(sample_history(count))
    ]
