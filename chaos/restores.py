"""Restores: what becomes of calls whose database is backed up and restored elsewhere.

I6 what was approved or running when the database was backed up is `unknown` in what is restored of it: it
does not run there. Nothing else ends by a restore.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from chaos.history import Attempt
from chaos.invariants import DENIED, DENY, RUN, TAKEN, Breach, Story


class Restore(NamedTuple):
    """When a database was moved."""

    dumped: float
    """When nobody wrote to the old database any more, and its backup had not begun."""
    served: float
    """When the restored database was served."""


class End(NamedTuple):
    """What the server says of an approval when everything is over."""

    state: str
    note: str = ""


BY_RESTORE = End("unknown", "the database was restored from a backup: check what it did")


def is_ended_by_restore(story: Story, restores: Sequence[Restore], ends: Mapping[str, End]) -> bool:
    """Whether a call was approved or running when its database was backed up, and so may not run any more."""
    return (
        not story.effects
        and [ends.get(approval) for approval in story.approvals] == [BY_RESTORE]
        and any(_is_ended_by(story, restore) for restore in restores)
    )


def ran_after_restore(story: Story, restores: Sequence[Restore]) -> Iterator[Breach]:
    """A call that was approved before a backup, and that the restored database let run."""
    for restore in restores:
        if _is_approved_before(story, restore) and any(
            one.outcome == RUN and one.start.at > restore.dumped for one in story.taking
        ):
            why = "it was approved before a backup, and was to run after that was restored"
            yield Breach("I6", story.call, why)


def unsettled(story: Story, ends: Mapping[str, End]) -> Iterator[Breach]:
    """A call of which the server says something else in the end than its caller saw."""
    if story.effects:
        expected = "done"
    elif DENIED in story.endings:
        expected = "denied"
    else:
        expected = "unknown"
    for approval in story.approvals:
        found = ends.get(approval, End("not there"))
        if found.state != expected:
            why = f"approval {approval} is {found.state} in the end, and its caller saw {expected}"
            yield Breach("I4", story.call, why)


def unasked(stories: Sequence[Story], ends: Mapping[str, End]) -> Iterator[Breach]:
    """Approvals that no caller was told of."""
    known = {approval for story in stories for approval in story.approvals}
    for approval in ends.keys() - known:
        yield Breach("I4", approval, "this approval belongs to no call that was acknowledged")


def _is_ended_by(story: Story, restore: Restore) -> bool:
    return (
        bool(story.refusals)
        # INVARIANT: a call that was gone before the backup is not excused: the restored database says so.
        and all(one.outcome == TAKEN and one.start.at > restore.dumped for one in story.refusals)
        and any(one.start.at < restore.dumped for one in story.yes)
        and not any(_is_open_after(one, restore) for one in story.answers)
    )


def _is_approved_before(story: Story, restore: Restore) -> bool:
    return any(
        one.start.say != DENY and one.end is not None and one.end.at < restore.dumped for one in story.heard
    )


def _is_open_after(answer: Attempt, restore: Restore) -> bool:
    """Whether somebody saw the question open in the restored database: then nobody had answered it before."""
    return answer.start.shown > restore.dumped
