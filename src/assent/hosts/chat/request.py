"""A client's chat request: a message or answers; the history that clients also send is ignored."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, cast

from assent.engine.base.tool import as_list, as_object
from assent.engine.policy.modes import parse_mode
from assent.errors import ConflictError, InputError, NotFoundError
from assent.gate.access import Principal
from assent.gate.answer import MAX_REASON_LENGTH
from assent.gate.conversation import ChatRun, Post
from assent.gate.ids import new_id
from assent.gate.preset import Delivery

Part = dict[str, object]
Message = dict[str, object]
"""A message as clients send and show it."""
MAX_MESSAGE_CHARACTERS = 200_000
MODE_FIELDS = ("mode", "permission_mode", "permissionMode")
"""The field names that a client may use for the mode of its message."""
MAX_ID_CHARACTERS = 256


class Trigger(StrEnum):
    """Why a client sends its message, in the words of the AI SDK."""

    SUBMIT = "submit-message"
    REGENERATE = "regenerate-message"


class ClientAnswer(NamedTuple):
    """A client's answer to one question, with the id and the arguments that its card showed."""

    approval: str
    input: object
    yes: bool
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """The fields of a client's request that the server uses."""

    id: str
    text: str | None = None
    """The user's message; None for a request that only answers questions."""
    answers: tuple[ClientAnswer, ...] = ()
    mode: str | None = None
    model: str = ""
    delivery: Delivery | None = None
    proposal: str = ""
    """The id of a proposal that was applied or declined; the server writes the note to the model."""
    trigger: Trigger = Trigger.SUBMIT
    replaced_message: str = ""
    """The id of the message that an edit or a regeneration replaces."""
    digest: str = ""
    """Hash of the request's content."""
    key: str = ""
    """The client's idempotency key."""

    @property
    def is_replacement(self) -> bool:
        """Whether the request replaces an earlier message or answer."""
        return self.trigger is Trigger.REGENERATE or bool(self.replaced_message)


class Replacement(NamedTuple):
    """The runs of a conversation that a request replaces or repeats."""

    replaced_runs: tuple[ChatRun, ...] = ()
    """The run of the replaced message and all later runs; clients no longer see them."""
    repeated_run: ChatRun | None = None
    """The run that the same request began before."""


def parse_request(body: Mapping[str, object]) -> ChatRequest:
    """Parse the newest message of a request body; raises `InputError` if it is invalid."""
    proposal, delivery, model = body.get("about"), body.get("delivery"), body.get("model")
    chosen = {
        "mode": _parse_mode_field(body),
        "model": model if isinstance(model, str) else "",
        "delivery": Delivery(delivery) if delivery in ("wait", "suspend") else None,
    }
    if isinstance(proposal, str) and proposal:
        proposal = proposal[:64]
        digest = _content_digest({"about": proposal, **chosen})
        # Each request about this proposal has the same id, so that the model gets one note only.
        return ChatRequest(id=f"about-{proposal}", proposal=proposal, digest=digest, **chosen)  # type: ignore[arg-type]
    message = as_object(body.get("message")) or _last_message(as_list(body.get("messages")) or ())
    given, trigger = _parse_optional_id(message, "id"), _parse_trigger(body.get("trigger"))
    named = _parse_optional_id(body, "message_id")
    parts = [part for one in as_list(message.get("parts")) or () if (part := as_object(one)) is not None]
    if message.get("role") == "assistant" and trigger is Trigger.SUBMIT:
        answers = tuple(_parse_answers(parts))
        digest = _content_digest({"answers": [(one.approval, one.yes, one.reason) for one in answers]})
        return ChatRequest(id=given or new_id(), answers=answers, digest=digest, **chosen)  # type: ignore[arg-type]
    text = "\n".join(str(one["text"]) for one in parts if one.get("type") == "text" and "text" in one)
    if message.get("role") != "user" or not text.strip():
        raise InputError("a message needs the role `user` and at least one part of type `text`")
    if len(text) > MAX_MESSAGE_CHARACTERS or "\0" in text:
        raise InputError(f"a message has at most {MAX_MESSAGE_CHARACTERS} characters, and no NUL")
    if trigger is Trigger.SUBMIT and named not in ("", given):
        raise InputError(f"`messageId` names `{named}`, but the message that is sent is `{given}`")
    content = {"id": given, "text": text, **chosen}
    if trigger is Trigger.REGENERATE:
        content |= {"trigger": trigger, "named": named}
    return ChatRequest(
        id=given or new_id(),
        text=text,
        trigger=trigger,
        replaced_message=named,
        digest=_content_digest(content),
        **chosen,  # type: ignore[arg-type]
    )


def to_post(principal: Principal, conversation: str, request: ChatRequest) -> Post | None:
    """The idempotency record of a request: sender, key and content hash; None without a key."""
    sender = f"{principal.kind} {principal.id}"
    return Post(sender, request.key, f"{conversation} {request.digest}") if request.key else None


def find_replacement(request: ChatRequest, runs: Sequence[ChatRun]) -> Replacement:
    """Find the runs of a conversation that a request replaces or repeats; `runs` is sorted by age."""
    if not request.is_replacement:
        return Replacement()
    target = _find_replaced_run(request, runs)
    if target.replaced_by:
        return _find_repeated_run(request, target, runs)
    if target.digest == request.digest:
        return Replacement(repeated_run=target)
    later = runs[[one.id for one in runs].index(target.id) :]
    return Replacement(replaced_runs=tuple(one for one in later if not one.replaced_by))


def user_message(run: ChatRun) -> Message:
    """The message that started a run."""
    return cast("Message", json.loads(run.message))


def user_text(run: ChatRun) -> str:
    """The text of the message that started a run."""
    parts = cast("list[Part]", user_message(run)["parts"])
    return "\n".join(str(part["text"]) for part in parts)


def _find_replaced_run(request: ChatRequest, runs: Sequence[ChatRun]) -> ChatRun:
    """Find the run of the replaced message, by the id of the user's message or of the answer."""
    named = request.replaced_message or request.id
    by_answer = [one for one in runs if one.id == named] if request.trigger is Trigger.REGENERATE else []
    by_message = [one for one in runs if one.message_id == named]
    found = [*by_answer, *(one for one in by_message if not one.replaced_by), *by_message]
    if not found:
        raise NotFoundError("message", named)
    target = found[0]
    if target.message_id != request.id:
        raise InputError(f"`messageId` names `{named}`, which does not answer message `{request.id}`")
    if request.trigger is Trigger.REGENERATE and user_text(target) != request.text:
        raise ConflictError(f"message `{request.id}` has other content: edit it instead")
    return target


def _find_repeated_run(request: ChatRequest, target: ChatRun, runs: Sequence[ChatRun]) -> Replacement:
    """The run that the same request began before; raises `ConflictError` for a different request."""
    for one in runs:
        if one.id == target.replaced_by and one.digest == request.digest:
            return Replacement(repeated_run=one)
    raise ConflictError(
        f"message `{request.replaced_message}` was replaced meanwhile: load the conversation again"
    )


def _parse_mode_field(body: Mapping[str, object]) -> str | None:
    """The requested mode; raises `InputError` for an unknown mode or two different values."""
    named = [body[name] for name in MODE_FIELDS if body.get(name) is not None]
    word = named[0] if named else ""
    if not isinstance(word, str) or any(other != word for other in named):
        raise InputError(f"{', '.join(MODE_FIELDS)} must be one and the same text: send only `mode`")
    if word:
        parse_mode(word)
    return word or None


def _content_digest(content: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _last_message(messages: Sequence[object]) -> Mapping[str, object]:
    found = as_object(messages[-1]) if messages else None
    if found is None:
        raise InputError("a `message` is missing")
    return found


def _parse_optional_id(body: Mapping[str, object], name: str) -> str:
    """An id that the client set in this field; empty if the field is missing."""
    id = body.get(name)
    if id is None:
        return ""
    if not (isinstance(id, str) and 0 < len(id) <= MAX_ID_CHARACTERS and id.isprintable()):
        raise InputError(f"the id of a message has 1 to {MAX_ID_CHARACTERS} printable characters")
    return id


def _parse_trigger(word: object) -> Trigger:
    if word is None:
        return Trigger.SUBMIT
    if word not in tuple(Trigger):
        raise InputError(f"a `trigger` is one of {', '.join(f'`{one}`' for one in Trigger)}")
    return Trigger(str(word))


def _parse_answers(parts: Sequence[Mapping[str, object]]) -> Iterator[ClientAnswer]:
    for part in parts:
        approval = as_object(part.get("approval")) or {}
        id, yes, reason = approval.get("id"), approval.get("approved"), approval.get("reason")
        # Only the JSON values true and false are accepted, not "true" or 1.
        if part.get("state") == "approval-responded" and isinstance(id, str) and isinstance(yes, bool):
            cut = reason[:MAX_REASON_LENGTH].replace("\0", "") if isinstance(reason, str) else ""
            yield ClientAnswer(id, part.get("input"), yes, "" if yes else cut)
