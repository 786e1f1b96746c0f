"""The chunks of a chat stream, in the UI message protocol of the AI SDK, for each client version."""

from collections.abc import Mapping
from enum import StrEnum

from assent.gate.approval import Approval
from assent.wire.excerpt import excerpt_to_json, make_excerpt

Chunk = dict[str, object]
_RICH_FIELDS = ("reason", "approvalDescriptor")
"""Fields of an approval request that the first releases of AI SDK 6 and 7 reject."""
CARD_CHUNK_TYPE = "data-assent"
"""Type of the chunk that shows a question's card; a later chunk with the same id replaces the card."""


class Client(StrEnum):
    """Version of the AI SDK protocol that a client supports."""

    SIX = "6"
    SEVEN = "7"
    RICH = "rich"


def convert_for_client(chunk: Chunk, client: Client) -> Chunk | None:
    """Remove fields that the client's version rejects; None if it does not support this type of chunk."""
    match chunk["type"]:
        case "tool-approval-response" if client is Client.SIX:
            return None
        case "tool-approval-request" if client is not Client.RICH:
            return {name: value for name, value in chunk.items() if name not in _RICH_FIELDS}
        case _:
            return chunk


def run_start_chunk(run: str) -> Chunk:
    """Chunk that starts or continues the answer of a run."""
    return {"type": "start", "messageId": run}


def stream_end_chunk() -> Chunk:
    """Last chunk of a stream."""
    return {"type": "finish"}


def call_input_chunk(id: str, tool: str, args: object, *, title: str = "") -> Chunk:
    """Chunk that shows a call with all its arguments."""
    titles = {"title": title} if title else {}
    return {"type": "tool-input-available", "toolCallId": id, "toolName": tool, "input": args, **titles}


def unreadable_input_chunk(id: str, tool: str, text: str, why: str) -> Chunk:
    """Chunk that shows a call whose arguments are not valid JSON; the call is not made."""
    return {
        "type": "tool-input-error",
        "toolCallId": id,
        "toolName": tool,
        "input": text,
        "errorText": why,
    }


def client_approval_id(approval: Approval) -> str:
    """Id of an approval for clients; it changes when the question is asked again."""
    changes = 0 if approval.file is None else approval.file.changes
    return f"{approval.id}.{changes}" if changes else approval.id


def approval_request_chunk(call: str, approval: Approval) -> Chunk:
    """Chunk that asks a person about a call."""
    return {
        "type": "tool-approval-request",
        "approvalId": client_approval_id(approval),
        "toolCallId": call,
        "reason": approval.decision.because,
        "approvalDescriptor": {"category": approval.tool.effect.value, "stage": approval.decision.stage},
    }


def approval_response_chunk(approval: Approval) -> Chunk:
    """Chunk that shows a person's answer."""
    answer = approval.answer
    reason = {"reason": answer.reason} if answer is not None and answer.reason else {}
    yes = answer is not None and answer.yes
    return {
        "type": "tool-approval-response",
        "approvalId": client_approval_id(approval),
        "approved": yes,
        **reason,
    }


def approval_card_chunk(call: str, approval: Approval, **more: object) -> Chunk:
    """Chunk with the current card of a question; it replaces the previous card."""
    data = {**excerpt_to_json(make_excerpt(approval)), "toolCallId": call, **more}
    return {"type": CARD_CHUNK_TYPE, "id": approval.id, "data": data}


def call_output_chunk(call: str, text: str, data: Mapping[str, object]) -> Chunk:
    """Chunk with the result of a call."""
    return {"type": "tool-output-available", "toolCallId": call, "output": {"text": text, "data": dict(data)}}


def call_error_chunk(call: str, text: str) -> Chunk:
    """Chunk for a call that failed or that policy denied."""
    return {"type": "tool-output-error", "toolCallId": call, "errorText": text}


def call_denied_chunk(call: str) -> Chunk:
    """Chunk for a call that a person denied, or whose question has expired or was withdrawn."""
    return {"type": "tool-output-denied", "toolCallId": call}


def tool_progress_chunk(call: str, text: str) -> Chunk:
    """Chunk with progress output of a tool; it is shown but not stored."""
    return {"type": "data-progress", "transient": True, "data": {"toolCallId": call, "text": text}}


def run_abort_chunk() -> Chunk:
    """Chunk for a run that was stopped."""
    return {"type": "abort"}


def run_error_chunk(text: str) -> Chunk:
    """Chunk for a run that failed."""
    return {"type": "error", "errorText": text}
