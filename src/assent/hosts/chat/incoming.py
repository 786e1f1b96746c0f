"""What a client sends: one new message or answers to questions; the history it sends along is not read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assent.engine.json_value import as_list, as_object
from assent.engine.modes import mode_named
from assent.errors import InputError
from assent.gate.approval import LONGEST_REASON
from assent.gate.mark import fresh
from assent.gate.preset import Delivery

LONGEST = 200_000
"""Characters of one message."""
MODE_FIELDS = ("mode", "permission_mode", "permissionMode")
"""The names under which a client may send the mode of its message."""


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


def incoming(body: Mapping[str, object]) -> Incoming:
    """Read the newest message of a request, and nothing before it."""
    about, delivery, model = body.get("about"), body.get("delivery"), body.get("model")
    chosen = {
        "mode": _mode(body),
        "model": model if isinstance(model, str) else "",
        "delivery": Delivery(delivery) if delivery in ("wait", "suspend") else None,
    }
    if isinstance(about, str) and about:
        return Incoming(id=fresh(), about=about[:64], **chosen)  # type: ignore[arg-type]
    message = as_object(body.get("message")) or _last(as_list(body.get("messages")) or ())
    id = message.get("id")
    id = id if isinstance(id, str) and 0 < len(id) <= 256 and id.isprintable() else fresh()
    parts = [part for one in as_list(message.get("parts")) or () if (part := as_object(one)) is not None]
    if message.get("role") == "assistant":
        return Incoming(id=id, answers=tuple(_answers(parts)), **chosen)  # type: ignore[arg-type]
    text = "\n".join(str(one["text"]) for one in parts if one.get("type") == "text" and "text" in one)
    if message.get("role") != "user" or not text.strip():
        raise InputError("a message needs the role `user` and at least one part of type `text`")
    if len(text) > LONGEST or "\0" in text:
        raise InputError(f"a message has at most {LONGEST} characters, and no NUL")
    return Incoming(id=id, text=text, **chosen)  # type: ignore[arg-type]


def _mode(body: Mapping[str, object]) -> str | None:
    """The mode that a request names, in whichever field; two that differ and an unknown word are refused."""
    named = [body[name] for name in MODE_FIELDS if body.get(name) is not None]
    word = named[0] if named else ""
    if not isinstance(word, str) or any(other != word for other in named):
        raise InputError(f"{', '.join(MODE_FIELDS)} must be one and the same text: send only `mode`")
    if word:
        mode_named(word)
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
