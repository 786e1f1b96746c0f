"""Speech: what a model says, part by part, as chunks of the stream."""

from collections.abc import Iterator
from typing import Any

from pydantic_ai.messages import (
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)

from assent.hosts.chat import chunk
from assent.hosts.chat.chunk import Chunk


class Speech:
    """One answer of a model; its parts get ids that no other answer of the run uses."""

    def __init__(self, step: int) -> None:
        self._step = step
        self._calls: dict[int, str] = {}

    def heard(self, event: Any) -> Iterator[Chunk]:
        """The chunks that an event of the model's stream becomes."""
        match event:
            case PartStartEvent(index=index, part=part):
                yield from self._begun(index, part)
            case PartDeltaEvent(index=index, delta=delta):
                yield from self._went_on(index, delta)
            case PartEndEvent(index=index, part=part):
                yield from self._ended(index, part)
            case _:
                pass

    def _begun(self, index: int, part: object) -> Iterator[Chunk]:
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

    def _went_on(self, index: int, delta: object) -> Iterator[Chunk]:
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

    def _ended(self, index: int, part: object) -> Iterator[Chunk]:
        match part:
            case TextPart():
                yield {"type": "text-end", "id": self._id(index)}
            case ThinkingPart():
                yield {"type": "reasoning-end", "id": self._id(index)}
            case ToolCallPart():
                yield _called(part)  # pyright: ignore[reportUnknownArgumentType] - of whatever kind
            case _:
                pass

    def _id(self, index: int) -> str:
        return f"{self._step}.{index}"


def _called(part: ToolCallPart[Any]) -> Chunk:
    """A call, whole; text that is no object is shown as it came, and the call is not made."""
    try:
        args = part.args_as_dict(raise_if_invalid=True)
    except (ValueError, AssertionError):
        why = "the arguments could not be read as a JSON object"
        return chunk.misread(part.tool_call_id, part.tool_name, str(part.args), why)
    return chunk.called(part.tool_call_id, part.tool_name, args)
