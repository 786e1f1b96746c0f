"""The rehearsal model: it makes exactly the calls that a person types, to try the gate."""

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
_MAX_QUOTED = 400


class TypedCall(NamedTuple):
    """A call as a person typed it; its arguments may be invalid JSON."""

    tool: str
    args: str


def rehearsal_model() -> Model:
    """The model of a chat without configured models."""
    return FunctionModel(stream_function=_answer, model_name=NAME)


def parse_steps(text: str) -> list[list[TypedCall]]:
    """The typed calls, step by step; the calls of one step are made at once."""
    steps: list[list[TypedCall]] = [[]]
    for line in map(str.strip, text.splitlines()):
        found = _CALL.fullmatch(line)
        if found is not None:
            steps[-1].append(TypedCall(found["tool"], found["args"] or "{}"))
        elif line == _THEN:
            steps.append([])
    return [step for step in steps if step]


def unreadable_lines(text: str) -> list[str]:
    """The lines that start like a command and are not valid."""
    lines = map(str.strip, text.splitlines())
    return [line for line in lines if line.startswith("/") and _CALL.fullmatch(line) is None]


async def _answer(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
    since, text = _last_user_text(messages)
    if unread := unreadable_lines(text):
        # With a typing error in one line, the other calls may not be wanted alone.
        yield f"`{unread[0][:_MAX_QUOTED]}` cannot be read, so nothing was called. Write {_SHAPE}."
        return
    steps = parse_steps(text)
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


def _last_user_text(messages: Sequence[ModelMessage]) -> tuple[Sequence[ModelMessage], str]:
    """The last message of the user, and the model messages after it."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if isinstance(message, ModelRequest):
            prompts = [part.content for part in message.parts if isinstance(part, UserPromptPart)]
            # Pydantic AI adds its own user prompts, such as for new tools.
            texts = [one for one in prompts if isinstance(one, str) and not one.startswith("<system>")]
            if texts:
                return messages[place + 1 :], "\n".join(texts)
    return messages, ""


def _summary(messages: Sequence[ModelMessage], tools: Iterable[str]) -> str:
    """The result of each call, as a model would have received it."""
    typed = {
        part.tool_call_id: TypedCall(part.tool_name, str(part.args))
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
        result = str(one.content)[:_MAX_QUOTED]
        if one.outcome == "retried" and one.tool_call_id in typed:
            result = _explain_mistake(typed[one.tool_call_id], tools) or result
        lines.append(f"- `{one.tool_name}` ({one.outcome}): {result}")
    return "\n".join(lines)


def _explain_mistake(typed: TypedCall, tools: Iterable[str]) -> str:
    """Why a typed call could not be made."""
    try:
        json.loads(typed.args)
    except json.JSONDecodeError as error:
        where = f"{error.msg}, at character {error.colno} of `{typed.args[:_MAX_QUOTED]}`"
        return f"the arguments are not a JSON object: {where}; names and texts stand in double quotes"
    if typed.tool in tools:
        return ""
    hint = did_you_mean(typed.tool, tools) or f"; there are {', '.join(sorted(tools))}"
    return f"there is no such tool{hint}"
