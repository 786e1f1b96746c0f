"""Restores: the state of calls after their database was backed up and restored elsewhere.

I6 a call that was approved or running at the backup is `unknown` after the restore and does not run. A
restore ends no other calls.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from chaos.history import Attempt
from chaos.invariants import DENIED, DENY, RUN, TAKEN, Breach, CallHistory


class Restore(NamedTuple):
    """When a database was backed up and when the restored one was served."""

    dumped: float
    """Time after the last write to the old database and before the backup."""
    served: float
    """Time at which the server used the restored database."""


class FinalState(NamedTuple):
    """The final state of an approval."""

    state: str
    note: str = ""


ENDED_BY_RESTORE = FinalState("unknown", "the database was restored from a backup: check what it did")


def is_ended_by_restore(
    story: CallHistory, restores: Sequence[Restore], ends: Mapping[str, FinalState]
) -> bool:
    """Whether a call was approved or running at a backup, so that it may not run after the restore."""
    return (
        not story.effects
        and [ends.get(approval) for approval in story.approvals] == [ENDED_BY_RESTORE]
        and any(_is_ended_by_one_restore(story, restore) for restore in restores)
    )


def find_runs_after_restore(story: CallHistory, restores: Sequence[Restore]) -> Iterator[Breach]:
    """A breach if a call that was approved before a backup ran after the restore."""
    for restore in restores:
        if _is_approved_before(story, restore) and any(
            one.outcome == RUN and one.start.at > restore.dumped for one in story.claims
        ):
            why = "it was approved before a backup, and was to run after that was restored"
            yield Breach("I6", story.call, why)


def find_wrong_final_states(story: CallHistory, ends: Mapping[str, FinalState]) -> Iterator[Breach]:
    """A breach if the final state of a call differs from what its caller saw."""
    if story.effects:
        expected = "done"
    elif DENIED in story.final_outcomes:
        expected = "denied"
    else:
        expected = "unknown"
    for approval in story.approvals:
        found = ends.get(approval, FinalState("not there"))
        if found.state != expected:
            why = f"approval {approval} is {found.state} in the end, and its caller saw {expected}"
            yield Breach("I4", story.call, why)


def find_unknown_approvals(
    stories: Sequence[CallHistory], ends: Mapping[str, FinalState]
) -> Iterator[Breach]:
    """A breach for each approval that no caller knows."""
    known = {approval for story in stories for approval in story.approvals}
    for approval in ends.keys() - known:
        yield Breach("I4", approval, "this approval belongs to no call that was acknowledged")


def _is_ended_by_one_restore(story: CallHistory, restore: Restore) -> bool:
    return (
        bool(story.refusals)
        # INVARIANT: a call that had ended before the backup is not excused, because the backup contains its
        # end.
        and all(one.outcome == TAKEN and one.start.at > restore.dumped for one in story.refusals)
        and any(one.start.at < restore.dumped for one in story.yes_answers)
        and not any(_is_open_after(one, restore) for one in story.answers)
    )


def _is_approved_before(story: CallHistory, restore: Restore) -> bool:
    return any(
        one.start.say != DENY and one.end is not None and one.end.at < restore.dumped
        for one in story.acknowledged_answers
    )


def _is_open_after(answer: Attempt, restore: Restore) -> bool:
    """Whether a person saw the question open in the restored database, so that it had no answer before."""
    return answer.start.shown > restore.dumped
