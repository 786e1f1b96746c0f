"""Model messages: stored as JSON, passed as history, and converted to chunks of the stream."""

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
    """The model messages in the lines of run logs, in order."""
    return messages_from_json(line.body for line in lines if line.kind is LogKind.MESSAGES)


def messages_from_json(stored: Iterable[str]) -> list[ModelMessage]:
    """Parse model messages from several stored JSON texts."""
    return [message for body in stored for message in ModelMessagesTypeAdapter.validate_json(body)]


def messages_to_json(messages: Sequence[ModelMessage]) -> str:
    """The JSON text of messages, as a run log stores it."""
    return ModelMessagesTypeAdapter.dump_json(list(messages)).decode()


def user_message_request(text: str) -> ModelRequest:
    """Convert a user's text to a model request."""
    return ModelRequest(parts=[UserPromptPart(text)])


def unanswered_calls(messages: Sequence[ModelMessage]) -> list[ToolCallPart]:
    """The calls of the last model answer that have no results yet."""
    last = messages[-1] if messages else None
    return list(last.tool_calls) if isinstance(last, ModelResponse) else []


def last_model_text(messages: Sequence[ModelMessage]) -> str:
    """The text of the last model answer; empty if that answer contains calls."""
    last = messages[-1] if messages else None
    if not isinstance(last, ModelResponse) or last.tool_calls:
        return ""
    return "".join(part.content for part in last.parts if isinstance(part, TextPart))


def final_results_request(
    calls: Iterable[ToolCallPart], results: dict[str, CallResult], why: str
) -> ModelRequest:
    """Results for the last calls of an aborted run; a call without a result is reported as not made."""
    return ModelRequest(
        parts=[_final_result_part(call, results.get(call.tool_call_id), why) for call in calls]
    )


def _final_result_part(call: ToolCallPart, result: CallResult | None, why: str) -> ToolReturnPart:
    if result is None:
        return ToolReturnPart(call.tool_name, why, call.tool_call_id, outcome="interrupted")
    if result.denied:
        return ToolReturnPart(call.tool_name, result.text, call.tool_call_id, outcome="denied")
    outcome: Literal["failed", "success"] = "failed" if result.failed else "success"
    return ToolReturnPart(call.tool_name, result.text, call.tool_call_id, outcome=outcome)


class ModelAnswerChunks:
    """Converts the events of one model answer to chunks; their part ids are unique within the run."""

    def __init__(self, step: int) -> None:
        self._step = step
        self._calls: dict[int, str] = {}

    def chunks_from_event(self, event: Any) -> Iterator[Chunk]:
        """The chunks for one event of the model answer."""
        match event:
            case PartStartEvent(index=index, part=part):
                yield from self._part_start_chunks(index, part)
            case PartDeltaEvent(index=index, delta=delta):
                yield from self._part_delta_chunks(index, delta)
            case PartEndEvent(index=index, part=part):
                yield from self._part_end_chunks(index, part)
            case _:
                pass

    def _part_start_chunks(self, index: int, part: object) -> Iterator[Chunk]:
        """Chunks that start a part of the answer: a text, reasoning or a call."""
        match part:
            case TextPart(content=text):
                yield {"type": "text-start", "id": self._part_id(index)}
                if text:
                    yield {"type": "text-delta", "id": self._part_id(index), "delta": text}
            case ThinkingPart(content=text):
                yield {"type": "reasoning-start", "id": self._part_id(index)}
                if text:
                    yield {"type": "reasoning-delta", "id": self._part_id(index), "delta": text}
            case ToolCallPart(tool_call_id=call, tool_name=tool):
                self._calls[index] = call
                yield {"type": "tool-input-start", "toolCallId": call, "toolName": tool}
                if isinstance(part.args, str) and part.args:
                    yield {"type": "tool-input-delta", "toolCallId": call, "inputTextDelta": part.args}
            case _:
                pass

    def _part_delta_chunks(self, index: int, delta: object) -> Iterator[Chunk]:
        """Chunks that add text to a part of the answer."""
        match delta:
            case TextPartDelta(content_delta=text) if text:
                yield {"type": "text-delta", "id": self._part_id(index), "delta": text}
            case ThinkingPartDelta(content_delta=text) if text:
                yield {"type": "reasoning-delta", "id": self._part_id(index), "delta": text}
            case ToolCallPartDelta(args_delta=str(text)) if text and index in self._calls:
                yield {
                    "type": "tool-input-delta",
                    "toolCallId": self._calls[index],
                    "inputTextDelta": text,
                }
            case _:
                pass

    def _part_end_chunks(self, index: int, part: object) -> Iterator[Chunk]:
        """Chunks that end a part of the answer."""
        match part:
            case TextPart():
                yield {"type": "text-end", "id": self._part_id(index)}
            case ThinkingPart():
                yield {"type": "reasoning-end", "id": self._part_id(index)}
            case ToolCallPart():
                yield _call_input_chunk(part)  # pyright: ignore[reportUnknownArgumentType] - of any kind
            case _:
                pass

    def _part_id(self, index: int) -> str:
        return f"{self._step}.{index}"


def _call_input_chunk(part: ToolCallPart[Any]) -> Chunk:
    """Chunk for a complete call; arguments that are not a JSON object are shown as an invalid call."""
    try:
        args = part.args_as_dict(raise_if_invalid=True)
    except (ValueError, AssertionError):
        why = "the arguments could not be read as a JSON object"
        return chunk.unreadable_input_chunk(part.tool_call_id, part.tool_name, str(part.args), why)
    return chunk.call_input_chunk(part.tool_call_id, part.tool_name, args)
