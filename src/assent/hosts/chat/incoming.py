"""What a client sends: one new message or answers to questions; the history it sends along is not read."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from assent.engine.model import as_list, as_object
from assent.engine.modes import parse_mode
from assent.errors import InputError
from assent.gate.access import Principal
from assent.gate.approval import LONGEST_REASON
from assent.gate.mark import fresh
from assent.gate.preset import Delivery
from assent.gate.transcript import Post

LONGEST = 200_000
"""Characters of one message."""
MODE_FIELDS = ("mode", "permission_mode", "permissionMode")
"""The names under which a client may send the mode of its message."""
LONGEST_ID = 256


class Trigger(StrEnum):
    """What a client does with its message, in the words of the AI SDK."""

    SUBMIT = "submit-message"
    REGENERATE = "regenerate-message"


class Said(NamedTuple):
    """What a client says of one question: the card's id, the arguments that it showed, and the answer."""

    approval: str
    input: object
    yes: bool
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A request to a chat, as far as it counts."""

    id: str
    text: str | None = None
    """What the person says; None where they only answer."""
    answers: tuple[Said, ...] = ()
    mode: str | None = None
    model: str = ""
    delivery: Delivery | None = None
    about: str = ""
    """A proposal that was applied or declined: the server itself tells the model of it."""
    trigger: Trigger = Trigger.SUBMIT
    named: str = ""
    """The message that an edit or a new try takes the place of."""
    digest: str = ""
    """The same for the same content."""
    key: str = ""
    """What its sender calls the request; the same key again is the same request."""

    @property
    def replaces(self) -> bool:
        """Whether it takes the place of what was said or answered before."""
        return self.trigger is Trigger.REGENERATE or bool(self.named)


def incoming(body: Mapping[str, object]) -> Incoming:
    """Read the newest message of a request, and nothing before it."""
    about, delivery, model = body.get("about"), body.get("delivery"), body.get("model")
    chosen = {
        "mode": _mode(body),
        "model": model if isinstance(model, str) else "",
        "delivery": Delivery(delivery) if delivery in ("wait", "suspend") else None,
    }
    if isinstance(about, str) and about:
        about = about[:64]
        digest = _digest({"about": about, **chosen})
        # The server tells the model once, however often it is asked to.
        return Incoming(id=f"about-{about}", about=about, digest=digest, **chosen)  # type: ignore[arg-type]
    message = as_object(body.get("message")) or _last(as_list(body.get("messages")) or ())
    given, trigger = _id_in(message, "id"), _trigger(body.get("trigger"))
    named = _id_in(body, "message_id")
    parts = [part for one in as_list(message.get("parts")) or () if (part := as_object(one)) is not None]
    if message.get("role") == "assistant" and trigger is Trigger.SUBMIT:
        answers = tuple(_answers(parts))
        digest = _digest({"answers": [(one.approval, one.yes, one.reason) for one in answers]})
        return Incoming(id=given or fresh(), answers=answers, digest=digest, **chosen)  # type: ignore[arg-type]
    text = "\n".join(str(one["text"]) for one in parts if one.get("type") == "text" and "text" in one)
    if message.get("role") != "user" or not text.strip():
        raise InputError("a message needs the role `user` and at least one part of type `text`")
    if len(text) > LONGEST or "\0" in text:
        raise InputError(f"a message has at most {LONGEST} characters, and no NUL")
    if trigger is Trigger.SUBMIT and named not in ("", given):
        raise InputError(f"`messageId` names `{named}`, but the message that is sent is `{given}`")
    content = {"id": given, "text": text, **chosen}
    if trigger is Trigger.REGENERATE:
        content |= {"trigger": trigger, "named": named}
    return Incoming(
        id=given or fresh(),
        text=text,
        trigger=trigger,
        named=named,
        digest=_digest(content),
        **chosen,  # type: ignore[arg-type]
    )


def post_of(principal: Principal, conversation: str, said: Incoming) -> Post | None:
    """The key of a request, if it has one; in another conversation the same content is another request."""
    sender = f"{principal.kind} {principal.id}"
    return Post(sender, said.key, f"{conversation} {said.digest}") if said.key else None


def _id_in(said: Mapping[str, object], name: str) -> str:
    """An id that a client chose; empty where it chose none."""
    id = said.get(name)
    if id is None:
        return ""
    if not (isinstance(id, str) and 0 < len(id) <= LONGEST_ID and id.isprintable()):
        raise InputError(f"the id of a message has 1 to {LONGEST_ID} printable characters")
    return id


def _trigger(word: object) -> Trigger:
    if word is None:
        return Trigger.SUBMIT
    if word not in tuple(Trigger):
        raise InputError(f"a `trigger` is one of {', '.join(f'`{one}`' for one in Trigger)}")
    return Trigger(str(word))


def _digest(content: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _mode(body: Mapping[str, object]) -> str | None:
    """The mode that a request names, in whichever field; two that differ and an unknown word are refused."""
    named = [body[name] for name in MODE_FIELDS if body.get(name) is not None]
    word = named[0] if named else ""
    if not isinstance(word, str) or any(other != word for other in named):
        raise InputError(f"{', '.join(MODE_FIELDS)} must be one and the same text: send only `mode`")
    if word:
        parse_mode(word)
    return word or None


def _last(messages: Sequence[object]) -> Mapping[str, object]:
    found = as_object(messages[-1]) if messages else None
    if found is None:
        raise InputError("a `message` is missing")
    return found


def _answers(parts: Sequence[Mapping[str, object]]) -> Iterator[Said]:
    for part in parts:
        approval = as_object(part.get("approval")) or {}
        id, yes, reason = approval.get("id"), approval.get("approved"), approval.get("reason")
        # Only the very values true and false are an answer: "true", 1 and the like are none.
        if part.get("state") == "approval-responded" and isinstance(id, str) and isinstance(yes, bool):
            cut = reason[:LONGEST_REASON].replace("\0", "") if isinstance(reason, str) else ""
            yield Said(id, part.get("input"), yes, "" if yes else cut)
