"""Further protocols of the live channel: questions and answers as a chat or a workbench page writes them."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from assent.engine.model import Effect
from assent.engine.template import render
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, Excerpt
from assent.wire.fields import Fields

CATEGORIES = {
    Effect.READ: "read",
    Effect.EDIT: "write",
    Effect.WRITE: "write",
    Effect.EXECUTE: "execute",
    Effect.EXTERNAL: "external",
    Effect.DESTRUCTIVE: "external",
}
"""The word of the chat protocol for each effect."""


class ClientProtocol(NamedTuple):
    """How a question is written for a client, and how its answer is read."""

    write_question: Callable[[Approval], dict[str, object]]
    answer_type: str
    """The type of the message that contains an answer."""
    id_fields: tuple[str, ...]
    """The fields that may name the question."""
    read_answer: Callable[[Fields], Answer]


def _chat(approval: Approval) -> dict[str, object]:
    return {
        "type": "tool_approval_request",
        "id": approval.id,
        "tool_call_id": approval.call.id,
        "name": approval.call.tool,
        "args": dict(approval.call.args),
        "category": CATEGORIES[approval.tool.effect],
        "conversation": approval.call.conversation,
    }


def _chat_answer(fields: Fields) -> Answer:
    says = {"allow": Say.ONCE, "allow_for_chat": Say.CONVERSATION}
    # Any other word denies.
    return Answer(say=says.get(fields.text("decision"), Say.DENY))


def _workbench(approval: Approval) -> dict[str, object]:
    return {
        "type": "approval_request",
        "approvalId": approval.id,
        "turnId": approval.turn,
        "callId": approval.call.id,
        "tool": approval.call.tool,
        "specifier": render(approval.tool, approval.call.args) or "",
        "args": dict(approval.call.args),
        "mode": approval.mode,
    }


def _workbench_answer(fields: Fields) -> Answer:
    says = {"allow_once": Say.ONCE, "allow_always": Say.ALWAYS}
    say = says.get(fields.text("decision"), Say.DENY)
    rule = fields.maybe_text("rule") if say is Say.ALWAYS else None
    return Answer(say=say, rules=() if rule is None else (rule,))


PROTOCOLS: Mapping[str, ClientProtocol] = {
    "chat": ClientProtocol(_chat, "tool_approval_response", ("id", "tool_call_id"), _chat_answer),
    "workbench": ClientProtocol(_workbench, "approval_response", ("approvalId", "callId"), _workbench_answer),
}
"""The protocols besides our own, by the name that a client requests."""


class ShownQuestions:
    """The questions that one client was shown, with the digests that bind an answer to what it saw."""

    def __init__(self) -> None:
        self._digests: dict[str, str] = {}
        self._calls: dict[str, set[str]] = {}
        self._clipped: set[str] = set()

    def add(self, excerpt: Excerpt) -> None:
        """Remember a question that was sent, whole or clipped."""
        approval = excerpt.approval
        self._digests[approval.id] = approval.digest
        (self._clipped.add if excerpt.clipped else self._clipped.discard)(approval.id)
        self._calls.setdefault(approval.call.id, set()).add(approval.id)

    def remove(self, approval: Approval) -> None:
        """Forget a question that is no longer pending."""
        self._digests.pop(approval.id, None)
        self._clipped.discard(approval.id)
        same = self._calls.get(approval.call.id, set())
        same.discard(approval.id)
        if not same:
            self._calls.pop(approval.call.id, None)

    def is_clipped(self, id: str) -> bool:
        """Whether only a part was sent: then it can be allowed only where the whole question is shown."""
        return id in self._clipped

    def find(self, name: str) -> tuple[str, str] | None:
        """The id and digest of a question by its id or call id; None where the call id is ambiguous."""
        ids = {name} if name in self._digests else self._calls.get(name, set())
        if len(ids) != 1:
            return None
        (id_,) = ids
        return id_, self._digests[id_]
