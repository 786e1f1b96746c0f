"""The rehearsal model: it makes exactly the calls that somebody types, so that the gate can be tried."""

import json
import re
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import NamedTuple

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from assent.config.table import did_you_mean
from assent.gate.ids import new_id

NAME = "rehearsal"
_CALL = re.compile(r"/call\s+(?P<tool>[^\s{]+)\s*(?P<args>\{.*)?")
_THEN = "then"
_HELP = (
    "This is a rehearsal: no model answers, and exactly the calls that you type are made, such as "
    '`/call read_file {"path": "README.md"}`. Several lines are made at once, and a line that says '
    "`then` lets what follows wait for what came before."
)
_SHAPE = (
    "`/call`, the name of a tool, and its arguments as a JSON object, all in one line, such as "
    '`/call read_file {"path": "README.md"}`'
)
_LONGEST = 400


class Typed(NamedTuple):
    """A call as somebody typed it; its arguments are handed on as they stand, well written or not."""

    tool: str
    args: str


def rehearsal() -> Model:
    """The model for whoever has configured none."""
    return FunctionModel(stream_function=_said, model_name=NAME)


def steps_of(text: str) -> list[list[Typed]]:
    """The calls that a text asks for, step by step; those of one step are made at once."""
    steps: list[list[Typed]] = [[]]
    for line in map(str.strip, text.splitlines()):
        found = _CALL.fullmatch(line)
        if found is not None:
            steps[-1].append(Typed(found["tool"], found["args"] or "{}"))
        elif line == _THEN:
            steps.append([])
    return [step for step in steps if step]


def unread_in(text: str) -> list[str]:
    """The lines that look like a command and are none."""
    lines = map(str.strip, text.splitlines())
    return [line for line in lines if line.startswith("/") and _CALL.fullmatch(line) is None]


async def _said(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
    since, text = _latest(messages)
    if unread := unread_in(text):
        # Who mistypes one line of several may not want the others by themselves.
        yield f"`{unread[0][:_LONGEST]}` cannot be read, so nothing was called. Write {_SHAPE}."
        return
    steps = steps_of(text)
    done = sum(isinstance(one, ModelResponse) for one in since)
    if done < len(steps):
        yield {
            place: DeltaToolCall(name=typed.tool, json_args=typed.args, tool_call_id=f"call_{new_id()}")
            for place, typed in enumerate(steps[done])
        }
        return
    tools = [tool.name for tool in info.function_tools]
    for word in (_summary(since, tools) if steps else _HELP).splitlines(keepends=True):
        yield word


def _latest(messages: Sequence[ModelMessage]) -> tuple[Sequence[ModelMessage], str]:
    """What came after the last thing that the person said, and that."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if isinstance(message, ModelRequest):
            said = [part.content for part in message.parts if isinstance(part, UserPromptPart)]
            # The library speaks up between a person's words, such as when there are new tools.
            texts = [one for one in said if isinstance(one, str) and not one.startswith("<system>")]
            if texts:
                return messages[place + 1 :], "\n".join(texts)
    return messages, ""


def _summary(messages: Sequence[ModelMessage], tools: Iterable[str]) -> str:
    """What came of each call, so that the person sees what a model would have been told."""
    typed = {
        part.tool_call_id: Typed(part.tool_name, str(part.args))
        for message in messages
        if isinstance(message, ModelResponse)
        for part in message.tool_calls
    }
    returned = [
        part
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    ]
    lines = ["This was a rehearsal; a model would have been told:"]
    for one in returned:
        told = str(one.content)[:_LONGEST]
        if one.outcome == "retried" and one.tool_call_id in typed:
            told = _mistake(typed[one.tool_call_id], tools) or told
        lines.append(f"- `{one.tool_name}` ({one.outcome}): {told}")
    return "\n".join(lines)


def _mistake(typed: Typed, tools: Iterable[str]) -> str:
    """What is wrong with a call that could not be made, in words for whoever typed it."""
    try:
        json.loads(typed.args)
    except json.JSONDecodeError as error:
        where = f"{error.msg}, at character {error.colno} of `{typed.args[:_LONGEST]}`"
        return f"the arguments are not a JSON object: {where}; names and texts stand in double quotes"
    if typed.tool in tools:
        return ""
    hint = did_you_mean(typed.tool, tools) or f"; there are {', '.join(sorted(tools))}"
    return f"there is no such tool{hint}"
