"""Posting to a chat: a message that comes again begins no second run."""

from collections.abc import Collection, Sequence

from assent.errors import ConflictError
from assent.gate.transcript import Begun, ChatRun, Course, Post, Start

OPEN = (Course.RUNNING, Course.SUSPENDED)


def start_of(run: ChatRun, there: Sequence[ChatRun], replaces: Collection[str]) -> Begun:
    """What begins with this run, given the runs of its conversation, oldest first."""
    for one in there:
        if one.id in replaces and one.replaced_by:
            return _successor(run, one, there)
    same = [one for one in there if one.message_id == run.message_id != "" and one.id not in replaces]
    if same and not replaces:
        return _repeated(run, same)
    still = next((one for one in there if one.course in OPEN), None)
    return Begun(run, Start.NEW) if still is None else Begun(still, Start.OCCUPIED)


def check_post(post: Post, digest: str) -> None:
    """Refuse a key that was used for another request."""
    if post.digest != digest:
        raise ConflictError(f"the key `{post.key}` belongs to another request: use a new one")


def is_repeat(run: ChatRun, known: ChatRun) -> bool:
    """Whether the message of a run was posted before, with the same content."""
    # A run of an earlier version has no digest: its message is all that there is to compare.
    return known.digest == run.digest if known.digest else known.message == run.message


def _repeated(run: ChatRun, same: Sequence[ChatRun]) -> Begun:
    for one in reversed(same):
        if is_repeat(run, one):
            return Begun(one, Start.REPEATED)
    raise ConflictError(f"message `{run.message_id}` was posted before with other content: use a new id")


def _successor(run: ChatRun, replaced: ChatRun, there: Sequence[ChatRun]) -> Begun:
    """Two requests replace the same run at once: the second is a repeat of the first, or comes too late."""
    found = next((one for one in there if one.id == replaced.replaced_by), None)
    if found is None or not is_repeat(run, found):
        raise ConflictError("this message was replaced meanwhile: load the conversation again")
    return Begun(found, Start.REPEATED)
