"""The chunks of a stream: the AI SDK's UI message protocol, and the subset of each client version."""

from collections.abc import Mapping
from enum import StrEnum

from assent.gate.approval import Approval
from assent.wire.excerpt import excerpt_to_json, make_excerpt

Chunk = dict[str, object]
_RICH_FIELDS = ("reason", "approvalDescriptor")
"""Fields of an approval request that the first releases of versions 6 and 7 refuse."""
CARD = "data-assent"
"""The chunk type of a question's card; a later one with the same id replaces it."""


class Client(StrEnum):
    """The protocol version that a client understands."""

    SIX = "6"
    SEVEN = "7"
    RICH = "rich"


def for_client(chunk: Chunk, client: Client) -> Chunk | None:
    """The chunk in a form that a client accepts; None if it accepts no such chunk."""
    match chunk["type"]:
        case "tool-approval-response" if client is Client.SIX:
            return None
        case "tool-approval-request" if client is not Client.RICH:
            return {name: value for name, value in chunk.items() if name not in _RICH_FIELDS}
        case _:
            return chunk


def start(run: str) -> Chunk:
    """The answer of a run starts or continues."""
    return {"type": "start", "messageId": run}


def finish() -> Chunk:
    """The stream ends."""
    return {"type": "finish"}


def call_input(id: str, tool: str, args: object, *, title: str = "") -> Chunk:
    """A call with all its arguments."""
    titles = {"title": title} if title else {}
    return {"type": "tool-input-available", "toolCallId": id, "toolName": tool, "input": args, **titles}


def unreadable_input(id: str, tool: str, text: str, why: str) -> Chunk:
    """A call with unreadable arguments; it is not made."""
    return {
        "type": "tool-input-error",
        "toolCallId": id,
        "toolName": tool,
        "input": text,
        "errorText": why,
    }


def approval_id(approval: Approval) -> str:
    """The id of a question for clients; a question that was asked again has a new one."""
    changes = 0 if approval.file is None else approval.file.changes
    return f"{approval.id}.{changes}" if changes else approval.id


def approval_request(call: str, approval: Approval) -> Chunk:
    """A person is asked about a call."""
    return {
        "type": "tool-approval-request",
        "approvalId": approval_id(approval),
        "toolCallId": call,
        "reason": approval.decision.because,
        "approvalDescriptor": {"category": approval.tool.effect.value, "stage": approval.decision.stage},
    }


def approval_response(approval: Approval) -> Chunk:
    """A person has answered."""
    answer = approval.answer
    reason = {"reason": answer.reason} if answer is not None and answer.reason else {}
    yes = answer is not None and answer.yes
    return {
        "type": "tool-approval-response",
        "approvalId": approval_id(approval),
        "approved": yes,
        **reason,
    }


def approval_card(call: str, approval: Approval, **more: object) -> Chunk:
    """The card of a question in its current state; it replaces an earlier card of the question."""
    data = {**excerpt_to_json(make_excerpt(approval)), "toolCallId": call, **more}
    return {"type": CARD, "id": approval.id, "data": data}


def call_output(call: str, text: str, data: Mapping[str, object]) -> Chunk:
    """The result of a call."""
    return {"type": "tool-output-available", "toolCallId": call, "output": {"text": text, "data": dict(data)}}


def call_error(call: str, text: str) -> Chunk:
    """A call that failed, or that policy denied."""
    return {"type": "tool-output-error", "toolCallId": call, "errorText": text}


def call_denied(call: str) -> Chunk:
    """A call that a person denied, or that cannot be approved any more."""
    return {"type": "tool-output-denied", "toolCallId": call}


def progress(call: str, text: str) -> Chunk:
    """The progress of a tool; it is shown and not stored."""
    return {"type": "data-progress", "transient": True, "data": {"toolCallId": call, "text": text}}


def abort() -> Chunk:
    """The run was stopped."""
    return {"type": "abort"}


def error(text: str) -> Chunk:
    """The run failed."""
    return {"type": "error", "errorText": text}
