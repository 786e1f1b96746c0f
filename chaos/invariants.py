"""The invariants, checked only on the histories and effects of the workers.

I1 a call runs only after approval of exactly this call.
I2 an approval has at most one decision, and everyone gets the same decision.
I3 an approval runs at most once.
I4 an acknowledged question or answer is never lost.
I5 a failure ends in ask, deny or wait: no caller may run a call that was not allowed.

`chaos.restores` has a sixth one, about databases that are restored from a backup.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from chaos.effects import Effect
from chaos.history import Act, Attempt, Event, attempts

DENY = "deny"
OK, ASKED, RUN, ERROR, DENIED, TAKEN = "ok", "asked", "run", "error", "permission_denied", "already_run"
"""Outcome words: answer accepted; call asked, allowed to run, failed, denied, claimed before."""
MOVED = "moved"
"""Outcome word for a conflict; followed by the state and the author of the first answer."""
_YES_STATES = {"approved", "running", "done", "failed", "unknown"}


class Breach(NamedTuple):
    """A broken invariant."""

    invariant: str
    call: str
    why: str


@dataclass(slots=True)
class CallHistory:
    """All acts and effects of one call."""

    call: str
    submits: list[Attempt] = field(default_factory=list)
    answers: list[Attempt] = field(default_factory=list)
    takes: list[Attempt] = field(default_factory=list)
    runs: list[Attempt] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)

    @property
    def claims(self) -> list[Attempt]:
        """Acts that may claim the call; submitting an answered call also claims it."""
        return [*self.submits, *self.takes]

    @property
    def yes_answers(self) -> list[Attempt]:
        """Yes answers that may be valid: acknowledged, or interrupted before the acknowledgement."""
        return [one for one in self.answers if one.start.say != DENY and not _has_lost_race(one)]

    @property
    def acknowledged_answers(self) -> list[Attempt]:
        """Answers that were acknowledged."""
        return [one for one in self.answers if one.outcome == OK]

    @property
    def approvals(self) -> set[str]:
        """The approval ids that were seen for the call; there should be at most one."""
        return {one.approval for one in (*self.claims, *self.answers) if one.approval}

    @property
    def refusals(self) -> list[Attempt]:
        """Acts that ended the call without a run: it was refused, or claimed before."""
        return [one for one in self.claims if one.outcome not in ("", ASKED, RUN, ERROR)]

    @property
    def final_outcomes(self) -> list[str]:
        """The final outcomes that the caller got: refused, or claimed before."""
        return [one.outcome for one in self.refusals]

    @property
    def is_unknown(self) -> bool:
        """Whether the caller that claimed the call was interrupted before its run was recorded."""
        acts = sorted(self.claims, key=lambda one: one.start.at)
        # An interrupted caller had ended when the next one started, so it could not use a later approval.
        could = any(
            before.outcome in ("", ERROR, RUN)
            and any(yes.start.at < after.start.at for yes in self.yes_answers)
            for before, after in pairwise(acts)
        )
        return not self.effects and TAKEN in self.final_outcomes and could


def call_histories(events: Sequence[Event], effects: Sequence[Effect]) -> list[CallHistory]:
    """Group events and effects by call."""
    told: dict[str, CallHistory] = {}
    kept: dict[Act, Callable[[CallHistory], list[Attempt]]] = {
        Act.SUBMIT: lambda story: story.submits,
        Act.ANSWER: lambda story: story.answers,
        Act.TAKE: lambda story: story.takes,
        Act.RUN: lambda story: story.runs,
    }
    for attempt in attempts(events):
        if attempt.start.act in kept:
            call = attempt.start.call
            kept[attempt.start.act](told.setdefault(call, CallHistory(call))).append(attempt)
    for effect in effects:
        told.setdefault(effect.call, CallHistory(effect.call)).effects.append(effect)
    return list(told.values())


Excuse = Callable[[CallHistory], bool]
"""Returns whether an allowed call may have ended without a run."""


def is_unknown(story: CallHistory) -> bool:
    """The default excuse: the caller that claimed the call was interrupted and cannot claim it again."""
    return story.is_unknown


def find_breaches(
    events: Sequence[Event], effects: Sequence[Effect], *, excuse: Excuse = is_unknown
) -> list[Breach]:
    """All broken invariants; empty if there are none."""
    return [
        Breach(invariant, story.call, why)
        for story in call_histories(events, effects)
        for invariant, check in _CHECKS.items()
        for why in check(story, excuse)
    ]


class Tally(NamedTuple):
    """Counts of calls by what happened to them."""

    calls: int
    asked: int
    answered: int
    denied: int
    ran: int
    unknown: int
    """Calls claimed by a process that was killed before the run; they are never run again."""
    errors: int


def count_acts(events: Sequence[Event], effects: Sequence[Effect]) -> Tally:
    """Count the calls in the histories by what happened to them."""
    told = call_histories(events, effects)
    outcomes: dict[Act, list[str]] = defaultdict(list)
    for event in events:
        outcomes[event.act].append(event.outcome)
    return Tally(
        calls=len(told),
        asked=sum(any(one.outcome == ASKED for one in story.submits) for story in told),
        answered=sum(bool(story.acknowledged_answers) for story in told),
        denied=sum(any(one.start.say == DENY for one in story.acknowledged_answers) for story in told),
        ran=len(effects),
        unknown=sum(story.is_unknown for story in told),
        errors=sum(found.count(ERROR) for found in outcomes.values()),
    )


def _check_earlier_yes(story: CallHistory, _: Excuse) -> Iterator[str]:
    begun = {one.start.step: one.start.at for one in story.runs}
    for effect in story.effects:
        at = begun.get(effect.step)
        if at is None or not any(_is_matching_yes(one, effect, at) for one in story.yes_answers):
            yield f"approval {effect.approval} ran without an earlier yes to this very call"


def _check_one_decision(story: CallHistory, _: Excuse) -> Iterator[str]:
    winners = {(one.start.by, one.start.say) for one in story.acknowledged_answers}
    if len(winners) > 1:
        yield f"several answers were acknowledged: {sorted(winners)}"
    for by, say in winners:
        for one in story.answers:
            if one.outcome.startswith(MOVED) and not _matches_winner(one.outcome, by, say):
                yield f"{one.start.by} was told {one.outcome}, but {by} said {say}"
        if say == DENY and any(one.outcome == RUN for one in story.claims):
            yield f"it was to run although {by} denied it"
        if say != DENY and DENIED in story.final_outcomes:
            yield f"it was denied although {by} allowed it"


def _check_one_run(story: CallHistory, _: Excuse) -> Iterator[str]:
    if len(story.effects) > 1:
        yield f"it ran {len(story.effects)} times"


def _check_nothing_lost(story: CallHistory, excuse: Excuse) -> Iterator[str]:
    asked = [one for one in story.submits if one.outcome == ASKED]
    if len({one.approval for one in asked}) > 1:
        yield "it was asked about twice"
    if asked and not (story.effects or story.final_outcomes):
        yield "its question was acknowledged, and nothing ever came of it"
    odd = sorted(set(story.final_outcomes) - {DENIED, TAKEN})
    if odd:
        yield f"it ended as {odd}, which nobody said"
    if TAKEN in story.final_outcomes and not (story.acknowledged_answers or story.effects or excuse(story)):
        yield "it was said to be taken, and nobody can have taken it"
    for one in story.acknowledged_answers:
        if one.start.say != DENY and not (story.effects or excuse(story)):
            yield f"the yes of {one.start.by} was acknowledged, and it never ran"
        if one.start.say == DENY and DENIED not in story.final_outcomes:
            yield f"the no of {one.start.by} was acknowledged, and nobody was told"


def _check_no_run_without_yes(story: CallHistory, _: Excuse) -> Iterator[str]:
    told = {one.start.step: one for one in story.claims if one.outcome == RUN}
    for step, one in told.items():
        if not any(_is_before(yes, one) for yes in story.yes_answers):
            yield f"step {step} was told to run what nobody allowed"
    for effect in story.effects:
        if effect.step not in told:
            yield f"step {effect.step} ran without being told to"


_Check = Callable[[CallHistory, Excuse], Iterator[str]]
_CHECKS: dict[str, _Check] = {
    "I1": _check_earlier_yes,
    "I2": _check_one_decision,
    "I3": _check_one_run,
    "I4": _check_nothing_lost,
    "I5": _check_no_run_without_yes,
}


def _has_lost_race(answer: Attempt) -> bool:
    """Whether another person answered first."""
    return answer.outcome.startswith(MOVED)


def _is_matching_yes(answer: Attempt, effect: Effect, at: float) -> bool:
    said = answer.start
    return (said.approval, said.digest) == (effect.approval, effect.digest) and said.at < at


def _is_before(answer: Attempt, taking: Attempt) -> bool:
    return taking.end is not None and answer.start.at < taking.end.at and answer.approval == taking.approval


def _matches_winner(outcome: str, by: str, say: str) -> bool:
    """Whether a conflict reported the answer and author of the winner."""
    _, state, winner = outcome.split(":", 2)
    return winner == by and (state == "denied" if say == DENY else state in _YES_STATES)
