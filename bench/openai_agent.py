"""An OpenAI Agents SDK agent whose tool needs an approval; its run state is stored as text."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, RunState, Usage, function_tool
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from bench.harness import WrongAnswerError
from bench.mailing import ASKED, DONE, Table, check_done, new_call, sample_history, send_mail
from bench.stores import ARGS

SILENT = RunConfig(tracing_disabled=True)


class FakeModel(Model):
    """A model that calls the tool, then reports that it is done."""

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:  # noqa: A002, ARG002
        return ModelResponse(output=[_next(input)], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise WrongAnswerError("nobody asked for a stream")


class OpenAiAgent:
    """The run ends with a state, which is stored, loaded, approved and continued."""

    def __init__(self, path: Path, history: int) -> None:
        self._table = Table(path)
        self._history = _history(history)
        tool = function_tool(send_mail, needs_approval=True)
        self._agent = Agent(name="clerk", tools=[tool], model=FakeModel())

    async def approve(self) -> None:
        paused = await Runner.run(
            self._agent, [*self._history, {"role": "user", "content": ASKED}], run_config=SILENT
        )
        if len(paused.interruptions) != 1:
            raise WrongAnswerError("a tool that needs an approval ran without one")
        id_ = new_call()
        self._table.put(id_, paused.to_state().to_string())
        state: RunState[Any, Any] = await RunState.from_string(self._agent, self._table.get(id_))
        state.approve(state.get_interruptions()[0])
        check_done((await Runner.run(self._agent, state, run_config=SILENT)).final_output)

    def close(self) -> None:
        self._table.close()


def _next(said: list[Any]) -> ResponseFunctionToolCall | ResponseOutputMessage:
    if said[-1].get("type") == "function_call_output":
        text = ResponseOutputText(type="output_text", text=DONE, annotations=[])
        return ResponseOutputMessage(
            id=new_call(), content=[text], role="assistant", status="completed", type="message"
        )
    return ResponseFunctionToolCall(
        arguments=json.dumps(ARGS), call_id=new_call(), name="send_mail", type="function_call"
    )


def _history(many: int) -> list[Any]:
    return [
        {"role": "assistant" if place % 2 else "user", "content": text}
        for place, text in enumerate(sample_history(many))
    ]
