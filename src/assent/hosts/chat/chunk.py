"""A chunk of the stream: the AI SDK's UI message protocol, and what each client can take of it."""

from collections.abc import Mapping
from enum import StrEnum

from assent.gate.approval import Approval
from assent.wire.excerpt import excerpt_of, excerpt_to_json

Chunk = dict[str, object]
_RICH = ("reason", "approvalDescriptor")
"""What the first releases of 6 and 7 refuse in a request for approval."""
ASSENT = "data-assent"
"""The part that explains a question, and later says what became of it."""


class Client(StrEnum):
    """What somebody who reads a stream understands."""

    SIX = "6"
    SEVEN = "7"
    RICH = "rich"


def for_client(chunk: Chunk, client: Client) -> Chunk | None:
    """The chunk as this client takes it; None where it takes no such chunk at all."""
    match chunk["type"]:
        case "tool-approval-response" if client is Client.SIX:
            return None
        case "tool-approval-request" if client is not Client.RICH:
            return {name: value for name, value in chunk.items() if name not in _RICH}
        case _:
            return chunk


def start(run: str) -> Chunk:
    """The answer of a run begins, or goes on."""
    return {"type": "start", "messageId": run}


def finish() -> Chunk:
    """There is no more for now."""
    return {"type": "finish"}


def called(id: str, tool: str, args: object, *, shown: str = "") -> Chunk:
    """A call with all its arguments."""
    titled = {"title": shown} if shown else {}
    return {"type": "tool-input-available", "toolCallId": id, "toolName": tool, "input": args, **titled}


def misread(id: str, tool: str, text: str, why: str) -> Chunk:
    """A call whose arguments could not be read; it is not made."""
    return {
        "type": "tool-input-error",
        "toolCallId": id,
        "toolName": tool,
        "input": text,
        "errorText": why,
    }


def approval_id(approval: Approval) -> str:
    """The id of a question as clients answer it; one that was asked again has another."""
    changes = 0 if approval.file is None else approval.file.changes
    return f"{approval.id}.{changes}" if changes else approval.id


def asked(call: str, approval: Approval) -> Chunk:
    """A person is asked about a call."""
    return {
        "type": "tool-approval-request",
        "approvalId": approval_id(approval),
        "toolCallId": call,
        "reason": approval.decision.because,
        "approvalDescriptor": {"category": approval.tool.effect.value, "stage": approval.decision.stage},
    }


def answered(approval: Approval) -> Chunk:
    """A person has answered."""
    said = approval.answer
    reason = {"reason": said.reason} if said is not None and said.reason else {}
    yes = said is not None and said.yes
    return {
        "type": "tool-approval-response",
        "approvalId": approval_id(approval),
        "approved": yes,
        **reason,
    }


def explained(call: str, approval: Approval, **more: object) -> Chunk:
    """What a card shows of a question, as it stands; the same id again replaces what was shown."""
    data = {**excerpt_to_json(excerpt_of(approval)), "toolCallId": call, **more}
    return {"type": ASSENT, "id": approval.id, "data": data}


def returned(call: str, text: str, data: Mapping[str, object]) -> Chunk:
    """What came of a call."""
    return {"type": "tool-output-available", "toolCallId": call, "output": {"text": text, "data": dict(data)}}


def failed(call: str, text: str) -> Chunk:
    """A call that did not work, or that policy stopped."""
    return {"type": "tool-output-error", "toolCallId": call, "errorText": text}


def denied(call: str) -> Chunk:
    """A call that a person did not allow, or that nobody can allow any more."""
    return {"type": "tool-output-denied", "toolCallId": call}


def progress(call: str, text: str) -> Chunk:
    """What a tool says while it works; it is shown and not kept."""
    return {"type": "data-progress", "transient": True, "data": {"toolCallId": call, "text": text}}


def abort() -> Chunk:
    """Somebody ended the run."""
    return {"type": "abort"}


def error(text: str) -> Chunk:
    """The run could not go on."""
    return {"type": "error", "errorText": text}
