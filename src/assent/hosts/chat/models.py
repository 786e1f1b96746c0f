"""The models of a chat: the configured ones, and a rehearsal model that makes the calls a person types."""

import json
import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, infer_model
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class

from assent.config.settings import ChatSettings, ModelSettings
from assent.config.table import did_you_mean
from assent.errors import ConfigError, InputError
from assent.gate.ids import new_id

REHEARSAL_MODEL_NAME = "rehearsal"
_OPENAI_CHAT = "openai-chat"
"""Pydantic AI's name for the chat API of OpenAI, which most local endpoints also offer."""
_CALL_COMMAND = re.compile(r"/call\s+(?P<tool>[^\s{]+)\s*(?P<args>\{.*)?")
_NEXT_STEP_WORD = "then"
_HELP_TEXT = (
    "This is a rehearsal: no model answers, and exactly the calls that you type are made, such as "
    '`/call read_file {"path": "README.md"}`. Several lines are made at once. '
    "The calls after a line with `then` wait for the results of the calls before it."
)
_COMMAND_SYNTAX = (
    "`/call`, the name of a tool, and its arguments as a JSON object, all in one line, such as "
    '`/call read_file {"path": "README.md"}`'
)
_MAX_QUOTED_CHARACTERS = 400


class ModelOption(NamedTuple):
    """A model that people can choose."""

    name: str
    model: str
    is_rehearsal: bool = False


class Models:
    """The models that people can choose; each is created at its first use."""

    def __init__(self, settings: ChatSettings, created: Mapping[str, Model] | None = None) -> None:
        self._settings = settings
        self._created: dict[str, Model] = dict(created or {})

    @property
    def list_options(self) -> tuple[ModelOption, ...]:
        """The models to choose from, the default first."""
        known = {
            REHEARSAL_MODEL_NAME,
            *self._settings.models,
        }  # The rehearsal model is already one of the options.
        given = [ModelOption(name, name) for name in self._created if name not in known]
        found = [ModelOption(name, one.model) for name, one in self._settings.models.items()]
        default = self._settings.default_model
        every = sorted([*found, *given], key=lambda one: one.name != default)
        return tuple(every) or (ModelOption(REHEARSAL_MODEL_NAME, REHEARSAL_MODEL_NAME, is_rehearsal=True),)

    def resolve_model_name(self, name: str) -> str:
        """Check a model name; an empty name becomes the default model's name."""
        names = [one.name for one in self.list_options]
        if name and name not in names:
            raise InputError(f"there is no model `{name}` here: choose one of {', '.join(names)}")
        return name or names[0]

    def get_model(self, name: str) -> Model:
        """The model with a name, or the default model if the name is no longer configured."""
        names = [one.name for one in self.list_options]
        name = name if name in names else names[0]
        if name not in self._created:
            known = self._settings.models.get(name)
            self._created[name] = rehearsal_model() if known is None else _create_model(known)
        return self._created[name]


class TypedCall(NamedTuple):
    """A call as a person typed it; its arguments may be invalid JSON."""

    tool: str
    args: str


def rehearsal_model() -> Model:
    """A model that makes exactly the calls that a person types, to try the gate without a real model."""
    return FunctionModel(stream_function=_answer_typed_calls, model_name=REHEARSAL_MODEL_NAME)


def parse_typed_calls(text: str) -> list[list[TypedCall]]:
    """Parse the typed calls, grouped in steps; the calls of one step are made in parallel."""
    steps: list[list[TypedCall]] = [[]]
    for line in map(str.strip, text.splitlines()):
        found = _CALL_COMMAND.fullmatch(line)
        if found is not None:
            steps[-1].append(TypedCall(found["tool"], found["args"] or "{}"))
        elif line == _NEXT_STEP_WORD:
            steps.append([])
    return [step for step in steps if step]


def unreadable_lines(text: str) -> list[str]:
    """Lines that start with `/` but are not valid commands."""
    lines = map(str.strip, text.splitlines())
    return [line for line in lines if line.startswith("/") and _CALL_COMMAND.fullmatch(line) is None]


def _create_model(settings: ModelSettings) -> Model:
    """Create a model with its provider; this imports the provider's library, which is slow."""
    kind, _, name = settings.model.partition(":")
    is_openai = kind == "openai" or bool(settings.base_url)
    try:
        return infer_model(
            f"{_OPENAI_CHAT}:{name or kind}" if is_openai else settings.model,
            lambda provider: _create_provider(provider, settings),
        )
    except Exception as error:
        raise ConfigError(f"model `{settings.model}`", str(error)) from error


def _create_provider(kind: str, settings: ModelSettings) -> Provider[Any]:
    if kind == _OPENAI_CHAT:
        # A local endpoint needs no key, but the library requires one.
        given = {"base_url": settings.base_url or None, "api_key": settings.key or "none"}
    elif settings.key:
        given = {"api_key": settings.key}
    else:
        return infer_provider(kind)
    return infer_provider_class(kind)(**given)


async def _answer_typed_calls(
    messages: list[ModelMessage], info: AgentInfo
) -> AsyncIterator[str | DeltaToolCalls]:
    """Make the calls of the next step; after the last step, answer with their results."""
    since, text = _last_user_text(messages)
    if unread := unreadable_lines(text):
        # If one line has a typing error, none of the calls is made.
        line = unread[0][:_MAX_QUOTED_CHARACTERS]
        yield f"`{line}` cannot be read, so nothing was called. Write {_COMMAND_SYNTAX}."
        return
    steps = parse_typed_calls(text)
    done = sum(isinstance(one, ModelResponse) for one in since)
    if done < len(steps):
        yield {
            index: DeltaToolCall(name=typed.tool, json_args=typed.args, tool_call_id=f"call_{new_id()}")
            for index, typed in enumerate(steps[done])
        }
        return
    tools = [tool.name for tool in info.function_tools]
    for word in (_results_summary(since, tools) if steps else _HELP_TEXT).splitlines(keepends=True):
        yield word


def _last_user_text(messages: Sequence[ModelMessage]) -> tuple[Sequence[ModelMessage], str]:
    """The messages after the user's last message, and the text of that message."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, ModelRequest):
            prompts = [part.content for part in message.parts if isinstance(part, UserPromptPart)]
            # Pydantic AI adds its own user prompts, such as for new tools.
            texts = [one for one in prompts if isinstance(one, str) and not one.startswith("<system>")]
            if texts:
                return messages[index + 1 :], "\n".join(texts)
    return messages, ""


def _results_summary(messages: Sequence[ModelMessage], tools: Iterable[str]) -> str:
    """The result of each call, in the words that a real model would receive."""
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
        result = str(one.content)[:_MAX_QUOTED_CHARACTERS]
        if one.outcome == "retried" and one.tool_call_id in typed:
            result = _typing_error_text(typed[one.tool_call_id], tools) or result
        lines.append(f"- `{one.tool_name}` ({one.outcome}): {result}")
    return "\n".join(lines)


def _typing_error_text(typed: TypedCall, tools: Iterable[str]) -> str:
    """Why a typed call failed: invalid JSON, or an unknown tool; empty for other reasons."""
    try:
        json.loads(typed.args)
    except json.JSONDecodeError as error:
        where = f"{error.msg}, at character {error.colno} of `{typed.args[:_MAX_QUOTED_CHARACTERS]}`"
        return f"the arguments are not a JSON object: {where}; put names and texts in double quotes"
    if typed.tool in tools:
        return ""
    hint = did_you_mean(typed.tool, tools) or f"; there are {', '.join(sorted(tools))}"
    return f"there is no such tool{hint}"
