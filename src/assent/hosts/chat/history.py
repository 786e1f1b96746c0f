"""The history of a conversation as a model is given it; the server's own record, never a client's copy."""

from collections.abc import Iterable, Sequence
from typing import Literal

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

from assent.gate.transcript import LogKind, LogLine
from assent.hosts.chat.log import Returned


def messages_in(lines: Sequence[LogLine]) -> list[ModelMessage]:
    """The messages that these logs hold, in their order."""
    return read(line.body for line in lines if line.kind is LogKind.MESSAGES)


def read(kept: Iterable[str]) -> list[ModelMessage]:
    """Messages as a log kept them, piece by piece."""
    return [message for body in kept for message in ModelMessagesTypeAdapter.validate_json(body)]


def written(messages: Sequence[ModelMessage]) -> str:
    """Messages as a log keeps them."""
    return ModelMessagesTypeAdapter.dump_json(list(messages)).decode()


def said(text: str) -> ModelRequest:
    """What a person said."""
    return ModelRequest(parts=[UserPromptPart(text)])


def open_calls(messages: Sequence[ModelMessage]) -> list[ToolCallPart]:
    """The calls of the last answer, if nothing was told of them yet."""
    last = messages[-1] if messages else None
    return list(last.tool_calls) if isinstance(last, ModelResponse) else []


def answer_in(messages: Sequence[ModelMessage]) -> str:
    """The text that the model ended with, if nothing is left to be done."""
    last = messages[-1] if messages else None
    if not isinstance(last, ModelResponse) or last.tool_calls:
        return ""
    return "".join(part.content for part in last.parts if isinstance(part, TextPart))


def closed(calls: Iterable[ToolCallPart], returned: dict[str, Returned], why: str) -> ModelRequest:
    """What came of calls in a run that ended before all of them did; the others were never made."""
    parts = [_closed(call, returned.get(call.tool_call_id), why) for call in calls]
    return ModelRequest(parts=parts)


def _closed(call: ToolCallPart, result: Returned | None, why: str) -> ToolReturnPart:
    if result is None:
        return ToolReturnPart(call.tool_name, why, call.tool_call_id, outcome="interrupted")
    if result.denied:
        return ToolReturnPart(call.tool_name, result.text, call.tool_call_id, outcome="denied")
    outcome: Literal["failed", "success"] = "failed" if result.failed else "success"
    return ToolReturnPart(call.tool_name, result.text, call.tool_call_id, outcome=outcome)
