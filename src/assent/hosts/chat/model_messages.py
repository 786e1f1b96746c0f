"""The messages of a model: as stored text, as history, and as chunks of the stream."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
    ToolReturnPart,
    UserPromptPart,
)

from assent.gate.conversation import LogKind, LogLine
from assent.hosts.chat import chunk
from assent.hosts.chat.chunk import Chunk
from assent.hosts.chat.run_log import CallResult


def messages_from_lines(lines: Sequence[LogLine]) -> list[ModelMessage]:
    """The messages in the lines of run logs, in their order."""
    return messages_from_json(line.body for line in lines if line.kind is LogKind.MESSAGES)


def messages_from_json(stored: Iterable[str]) -> list[ModelMessage]:
    """Messages from several pieces of stored JSON."""
    return [message for body in stored for message in ModelMessagesTypeAdapter.validate_json(body)]


def messages_to_json(messages: Sequence[ModelMessage]) -> str:
    """Messages as a log stores them."""
    return ModelMessagesTypeAdapter.dump_json(list(messages)).decode()


def user_request(text: str) -> ModelRequest:
    """A user's message as the model gets it."""
    return ModelRequest(parts=[UserPromptPart(text)])


def unanswered_calls(messages: Sequence[ModelMessage]) -> list[ToolCallPart]:
    """The calls of the last answer if the model got no results for them yet."""
    last = messages[-1] if messages else None
    return list(last.tool_calls) if isinstance(last, ModelResponse) else []


def final_text(messages: Sequence[ModelMessage]) -> str:
    """The text of the last answer if it has no calls; otherwise empty."""
    last = messages[-1] if messages else None
    if not isinstance(last, ModelResponse) or last.tool_calls:
        return ""
    return "".join(part.content for part in last.parts if isinstance(part, TextPart))


def closing_request(calls: Iterable[ToolCallPart], results: dict[str, CallResult], why: str) -> ModelRequest:
    """The results of the last calls of a run that was ended; a call without a result was not made."""
    return ModelRequest(parts=[_closing_part(call, results.get(call.tool_call_id), why) for call in calls])


def _closing_part(call: ToolCallPart, result: CallResult | None, why: str) -> ToolReturnPart:
    if result is None:
        return ToolReturnPart(call.tool_name, why, call.tool_call_id, outcome="interrupted")
    if result.denied:
        return ToolReturnPart(call.tool_name, result.text, call.tool_call_id, outcome="denied")
    outcome: Literal["failed", "success"] = "failed" if result.failed else "success"
    return ToolReturnPart(call.tool_name, result.text, call.tool_call_id, outcome=outcome)


class ModelAnswerChunks:
    """Turns the events of one model answer into chunks; its part ids are unique within the run."""

    def __init__(self, step: int) -> None:
        self._step = step
        self._calls: dict[int, str] = {}

    def from_event(self, event: Any) -> Iterator[Chunk]:
        """The chunks for one event of the model's stream."""
        match event:
            case PartStartEvent(index=index, part=part):
                yield from self._part_start(index, part)
            case PartDeltaEvent(index=index, delta=delta):
                yield from self._part_delta(index, delta)
            case PartEndEvent(index=index, part=part):
                yield from self._part_end(index, part)
            case _:
                pass

    def _part_start(self, index: int, part: object) -> Iterator[Chunk]:
        match part:
            case TextPart(content=text):
                yield {"type": "text-start", "id": self._id(index)}
                if text:
                    yield {"type": "text-delta", "id": self._id(index), "delta": text}
            case ThinkingPart(content=text):
                yield {"type": "reasoning-start", "id": self._id(index)}
                if text:
                    yield {"type": "reasoning-delta", "id": self._id(index), "delta": text}
            case ToolCallPart(tool_call_id=call, tool_name=tool):
                self._calls[index] = call
                yield {"type": "tool-input-start", "toolCallId": call, "toolName": tool}
                if isinstance(part.args, str) and part.args:
                    yield {"type": "tool-input-delta", "toolCallId": call, "inputTextDelta": part.args}
            case _:
                pass

    def _part_delta(self, index: int, delta: object) -> Iterator[Chunk]:
        match delta:
            case TextPartDelta(content_delta=text) if text:
                yield {"type": "text-delta", "id": self._id(index), "delta": text}
            case ThinkingPartDelta(content_delta=text) if text:
                yield {"type": "reasoning-delta", "id": self._id(index), "delta": text}
            case ToolCallPartDelta(args_delta=str(text)) if text and index in self._calls:
                yield {
                    "type": "tool-input-delta",
                    "toolCallId": self._calls[index],
                    "inputTextDelta": text,
                }
            case _:
                pass

    def _part_end(self, index: int, part: object) -> Iterator[Chunk]:
        match part:
            case TextPart():
                yield {"type": "text-end", "id": self._id(index)}
            case ThinkingPart():
                yield {"type": "reasoning-end", "id": self._id(index)}
            case ToolCallPart():
                yield _call_input(part)  # pyright: ignore[reportUnknownArgumentType] - of any kind
            case _:
                pass

    def _id(self, index: int) -> str:
        return f"{self._step}.{index}"


def _call_input(part: ToolCallPart[Any]) -> Chunk:
    """A complete call; arguments that are no JSON object are shown as they are, and the call is not made."""
    try:
        args = part.args_as_dict(raise_if_invalid=True)
    except (ValueError, AssertionError):
        why = "the arguments could not be read as a JSON object"
        return chunk.unreadable_input(part.tool_call_id, part.tool_name, str(part.args), why)
    return chunk.call_input(part.tool_call_id, part.tool_name, args)
