"""Other ways to speak on a live channel: a question as a chat or a workbench page asks it, and its answer."""

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
"""What a chat calls each effect."""


class Speech(NamedTuple):
    """One way to speak: how a question is put, and how an answer to it is read."""

    asks: Callable[[Approval], dict[str, object]]
    answers: str
    """The type of the message that carries an answer."""
    names: tuple[str, ...]
    """The fields that may say which question is meant."""
    understood: Callable[[Fields], Answer]


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
    # Whatever is not one of these words is no yes.
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


SPEECHES: Mapping[str, Speech] = {
    "chat": Speech(_chat, "tool_approval_response", ("id", "tool_call_id"), _chat_answer),
    "workbench": Speech(_workbench, "approval_response", ("approvalId", "callId"), _workbench_answer),
}
"""The ways to speak besides our own, by the name that a listener asks for."""


class Shown:
    """The questions that one listener was shown, and the digests by which they are bound to them."""

    def __init__(self) -> None:
        self._digests: dict[str, str] = {}
        self._calls: dict[str, set[str]] = {}
        self._clipped: set[str] = set()

    def add(self, excerpt: Excerpt) -> None:
        """It is on their screen, whole or clipped."""
        approval = excerpt.approval
        self._digests[approval.id] = approval.digest
        (self._clipped.add if excerpt.clipped else self._clipped.discard)(approval.id)
        self._calls.setdefault(approval.call.id, set()).add(approval.id)

    def drop(self, approval: Approval) -> None:
        """It is no question any more."""
        self._digests.pop(approval.id, None)
        self._clipped.discard(approval.id)
        same = self._calls.get(approval.call.id, set())
        same.discard(approval.id)
        if not same:
            self._calls.pop(approval.call.id, None)

    def is_clipped(self, id: str) -> bool:
        """Whether they saw only some of it: then a yes is given elsewhere, where all of it is shown."""
        return id in self._clipped

    def meant(self, name: str) -> tuple[str, str] | None:
        """The id and digest of the one question of this name; two calls of one name are none."""
        ids = {name} if name in self._digests else self._calls.get(name, set())
        if len(ids) != 1:
            return None
        (id_,) = ids
        return id_, self._digests[id_]
