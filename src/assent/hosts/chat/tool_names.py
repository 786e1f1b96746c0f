"""The names of tools as a model sees them: providers accept letters, digits, `_` and `-` only."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Self, TypeGuard, TypeVar

from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    PartEndEvent,
    PartStartEvent,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.function import FunctionModel

Message = TypeVar("Message", ModelMessage, ModelResponse)
MAX_LENGTH = 64
_ACCEPTED_NAME = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_LENGTH}}}")
_OTHER_CHARACTER = re.compile(r"[^A-Za-z0-9_-]")


class ToolNames:
    """Translates names of tools for a model and back; every name has a name of its own for the model."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._for_model = _names_for_model(frozenset(names))
        self._real = {given: name for name, given in self._for_model.items()}

    @classmethod
    def for_request(cls, model: Model, tools: Iterable[str], messages: Sequence[ModelMessage]) -> Self:
        """The names of one request; a model in this process, such as the rehearsal model, gets real names."""
        if isinstance(model, FunctionModel):
            return cls()
        parts: list[object] = [part for message in messages for part in message.parts]
        return cls((*tools, *(part.tool_name for part in parts if _has_tool_name(part))))

    def for_model(self, name: str) -> str:
        """The name of a tool for the model."""
        return self._for_model.get(name, name)

    def messages_for_model(self, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
        """Copies of messages with the names for the model."""
        return [_rename_parts(one, self._for_model) for one in messages]

    def parameters_for_model(self, parameters: ModelRequestParameters) -> ModelRequestParameters:
        """The parameters of a request with the names for the model."""
        tools = [
            replace(one, name=self._for_model[one.name]) if one.name in self._for_model else one
            for one in parameters.function_tools
        ]
        return replace(parameters, function_tools=tools)

    def real_response(self, response: ModelResponse) -> ModelResponse:
        """The answer of a model with the real names of the tools that it calls."""
        return _rename_parts(response, self._real)

    def real_event(self, event: Any) -> Any:
        """An event of a streamed answer with the real name of the tool."""
        if not isinstance(event, (PartStartEvent, PartEndEvent)):
            return event
        return replace(event, part=_rename_part(event.part, self._real))


@lru_cache(maxsize=64)
def _names_for_model(names: frozenset[str]) -> dict[str, str]:
    """The names that differ for the model; they depend on the set of names, not on its order."""
    wanted = {name: _clean_name(name) for name in sorted(names) if not _ACCEPTED_NAME.fullmatch(name)}
    counts = Counter(wanted.values())
    taken = {name for name in names if name not in wanted}
    given: dict[str, str] = {}
    for name, short in wanted.items():
        length = 0 if counts[short] == 1 else 8
        while (candidate := _with_digest(short, name, length)) in taken:
            length += 8
        taken.add(candidate)
        given[name] = candidate
    return given


def _clean_name(name: str) -> str:
    return _OTHER_CHARACTER.sub("_", name)[:MAX_LENGTH]


def _with_digest(short: str, name: str, length: int) -> str:
    """A name with the start of the digest of the real name, so that two tools never share a name."""
    if length == 0:
        return short
    digest = hashlib.sha256(name.encode()).hexdigest()[:length]
    return f"{short[: max(0, MAX_LENGTH - length - 1)]}_{digest}"[-MAX_LENGTH:]


def _has_tool_name(part: object) -> TypeGuard[ToolCallPart | ToolReturnPart]:
    return isinstance(part, (ToolCallPart, ToolReturnPart))


def _rename_parts(message: Message, names: dict[str, str]) -> Message:
    parts: list[Any] = list(message.parts)
    renamed = [_rename_part(part, names) for part in parts]
    if renamed == parts:
        return message
    copied: Any = message
    changed: Message = replace(copied, parts=renamed)
    return changed


def _rename_part(part: Any, names: dict[str, str]) -> Any:
    """The same part with another name of its tool, if it has one."""
    if not _has_tool_name(part) or part.tool_name not in names:
        return part
    return replace(part, tool_name=names[part.tool_name])
