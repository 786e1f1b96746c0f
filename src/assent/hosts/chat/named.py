"""What a post names: the runs that an edit or a new try of a message takes the place of."""

from collections.abc import Sequence
from typing import NamedTuple

from assent.errors import ConflictError, InputError, NotFoundError
from assent.gate.transcript import ChatRun
from assent.hosts.chat.incoming import Incoming, Trigger
from assent.hosts.chat.message import person_text


class Named(NamedTuple):
    """What a post is about in the conversation it came to."""

    replaces: tuple[ChatRun, ...] = ()
    """The run of the message that is named, and every later one: none of them is shown any more."""
    repeated: ChatRun | None = None
    """The run that the same post began before."""


def named_by(said: Incoming, runs: Sequence[ChatRun]) -> Named:
    """What a post names among the runs of its conversation, oldest first."""
    if not said.replaces:
        return Named()
    target = _target(said, runs)
    if target.replaced_by:
        return _replaced_before(said, target, runs)
    if target.digest == said.digest:
        return Named(repeated=target)
    later = runs[[one.id for one in runs].index(target.id) :]
    return Named(replaces=tuple(one for one in later if not one.replaced_by))


def _target(said: Incoming, runs: Sequence[ChatRun]) -> ChatRun:
    """The run of the named message: by its own id, which is the answer's, or by the id of what was said."""
    named = said.named or said.id
    by_answer = [one for one in runs if one.id == named] if said.trigger is Trigger.REGENERATE else []
    by_message = [one for one in runs if one.message_id == named]
    found = [*by_answer, *(one for one in by_message if not one.replaced_by), *by_message]
    if not found:
        raise NotFoundError("message", named)
    target = found[0]
    if target.message_id != said.id:
        raise InputError(f"`messageId` names `{named}`, which does not answer message `{said.id}`")
    if said.trigger is Trigger.REGENERATE and person_text(target) != said.text:
        raise ConflictError(f"message `{said.id}` has other content: edit it instead")
    return target


def _replaced_before(said: Incoming, target: ChatRun, runs: Sequence[ChatRun]) -> Named:
    for one in runs:
        if one.id == target.replaced_by and one.digest == said.digest:
            return Named(repeated=one)
    raise ConflictError(f"message `{said.named}` was replaced meanwhile: load the conversation again")
