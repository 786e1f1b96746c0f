"""A message as pages show it: the parts that the chunks of a run add up to."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from assent.gate.approval import State
from assent.gate.transcript import ChatRun
from assent.hosts.chat.chunk import ASSENT, Chunk

Part = dict[str, object]
Message = dict[str, object]


def person_message(run: ChatRun) -> Message:
    """What the person said."""
    return cast("Message", json.loads(run.message))


def assistant_message(run: ChatRun, chunks: Sequence[Chunk]) -> Message:
    """What a run answered, as far as it was shown."""
    metadata = {"course": run.status.value, "model": run.model}
    if run.replaced_by:
        metadata["replaced_by"] = run.replaced_by
    return {"id": run.id, "role": "assistant", "metadata": metadata, "parts": parts_of(chunks)}


def parts_of(chunks: Iterable[Chunk]) -> list[Part]:
    """The parts of a message, each in the state that its last chunk left it in."""
    folding = _Folding()
    for one in chunks:
        folding.take(one)
    return folding.parts


class _Folding:
    """Adds chunks up as a client does."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self._texts: dict[str, Part] = {}
        self._calls: dict[str, Part] = {}
        self._data: dict[str, Part] = {}

    def take(self, one: Chunk) -> None:
        kind = str(one["type"])
        if kind == "start-step":
            self.parts.append({"type": "step-start"})
        elif kind.startswith(("text-", "reasoning-")):
            self._text(kind, one)
        elif kind == "tool-approval-response":
            self._answered(one)
        elif kind.startswith("tool-"):
            self._call(kind, one)
        elif kind == ASSENT:
            self._explain(one)

    def _text(self, said: str, one: Chunk) -> None:
        kind, _, move = said.partition("-")
        id = f"{kind} {one['id']}"
        if move == "start":
            self._texts[id] = self._add({"type": kind, "text": "", "state": "streaming"})
        elif move == "delta":
            self._texts[id]["text"] = f"{self._texts[id]['text']}{one['delta']}"
        else:
            self._texts[id]["state"] = "done"

    def _call(self, kind: str, one: Chunk) -> None:
        id = str(one["toolCallId"])
        if id not in self._calls:
            shown: Part = {
                "type": f"tool-{one.get('toolName', '')}",
                "toolCallId": id,
                "state": "input-streaming",
            }
            self._calls[id] = self._add(shown)
        part = self._calls[id]
        match kind:
            case "tool-input-available":
                titled = {"title": one["title"]} if "title" in one else {}
                part |= {"state": "input-available", "input": one["input"], **titled}
            case "tool-input-error":
                part |= {"state": "output-error", "input": one["input"], "errorText": one["errorText"]}
            case "tool-approval-request":
                part |= {"state": "approval-requested", "approval": {"id": one["approvalId"]}}
            case "tool-output-available":
                part |= {"state": "output-available", "output": one["output"]}
            case "tool-output-error":
                part |= {"state": "output-error", "errorText": one["errorText"]}
            case "tool-output-denied":
                part |= {"state": "output-denied"}
            case _:
                pass

    def _answered(self, one: Chunk) -> None:
        said = {name: one[name] for name in ("approved", "reason") if name in one}
        for part in self._calls.values():
            asked = cast("Part", part.get("approval", {"id": None}))
            if asked["id"] == one["approvalId"]:
                part["state"] = "approval-responded"
                part["approval"] = asked | said

    def _explain(self, one: Chunk) -> None:
        id = str(one["id"])
        if id not in self._data:
            self._data[id] = self._add({"type": ASSENT, "id": id})
        self._data[id]["data"] = one["data"]

    def _add(self, part: Part) -> Part:
        self.parts.append(part)
        return part


def person_text(run: ChatRun) -> str:
    """The text of what the person said."""
    parts = cast("list[Part]", person_message(run)["parts"])
    return "\n".join(str(part["text"]) for part in parts)


def pending_in(chunks: Iterable[Chunk]) -> Mapping[str, str]:
    """The questions that are shown as open, and the call that each is about."""
    shown: dict[str, str] = {}
    for one in chunks:
        if one["type"] == ASSENT:
            data = cast("Part", one["data"])
            shown[str(one["id"])] = str(data["toolCallId"]) if data["state"] == State.PENDING else ""
    return {id: call for id, call in shown.items() if call}
