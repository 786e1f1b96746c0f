"""The invariants, checked on what workers wrote down and left behind, and on nothing else.

I1 nothing runs without an earlier yes to the very same call.
I2 an approval has at most one decision, and everybody hears the same one.
I3 an approval runs at most once.
I4 an ask or an answer that was acknowledged is never lost.
I5 a failure ends in asking, denying or waiting: nobody is told to run what nobody allowed.

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
"""Outcomes: an answer was taken; a call was asked about, may run, failed, is denied, was taken before."""
MOVED = "moved"
"""Somebody else was first; the state and the winner follow after colons."""
_YES_STATES = {"approved", "running", "done", "failed", "unknown"}


class Breach(NamedTuple):
    """An invariant that does not hold."""

    invariant: str
    call: str
    why: str


@dataclass(slots=True)
class Story:
    """Everything that is told of one call."""

    call: str
    submits: list[Attempt] = field(default_factory=list)
    answers: list[Attempt] = field(default_factory=list)
    takes: list[Attempt] = field(default_factory=list)
    runs: list[Attempt] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)

    @property
    def taking(self) -> list[Attempt]:
        """Acts that may take the call: submitting one that is answered by now takes it, too."""
        return [*self.submits, *self.takes]

    @property
    def yes(self) -> list[Attempt]:
        """Answers by which it may run, as far as anybody knows: heard, or cut off before the echo."""
        return [one for one in self.answers if one.start.say != DENY and not _is_lost(one)]

    @property
    def heard(self) -> list[Attempt]:
        """Answers that were acknowledged."""
        return [one for one in self.answers if one.outcome == OK]

    @property
    def approvals(self) -> set[str]:
        """The questions that it became, as far as anybody saw; there should be one at most."""
        return {one.approval for one in (*self.taking, *self.answers) if one.approval}

    @property
    def refusals(self) -> list[Attempt]:
        """Acts that ended it without a run: it may not run, or it was taken before."""
        return [one for one in self.taking if one.outcome not in ("", ASKED, RUN, ERROR)]

    @property
    def endings(self) -> list[str]:
        """What the caller was told in the end: that it may not run, or that it was taken before."""
        return [one.outcome for one in self.refusals]

    @property
    def is_unknown(self) -> bool:
        """Whether it was taken by somebody who was cut off before it could be seen to run."""
        acts = sorted(self.taking, key=lambda one: one.start.at)
        # Whoever was cut off was gone when the next one began: a later yes was not theirs to use.
        could = any(
            before.outcome in ("", ERROR, RUN) and any(yes.start.at < after.start.at for yes in self.yes)
            for before, after in pairwise(acts)
        )
        return not self.effects and TAKEN in self.endings and could


def stories(events: Sequence[Event], effects: Sequence[Effect]) -> list[Story]:
    """The histories by call."""
    told: dict[str, Story] = {}
    kept: dict[Act, Callable[[Story], list[Attempt]]] = {
        Act.SUBMIT: lambda story: story.submits,
        Act.ANSWER: lambda story: story.answers,
        Act.TAKE: lambda story: story.takes,
        Act.RUN: lambda story: story.runs,
    }
    for attempt in attempts(events):
        if attempt.start.act in kept:
            call = attempt.start.call
            kept[attempt.start.act](told.setdefault(call, Story(call))).append(attempt)
    for effect in effects:
        told.setdefault(effect.call, Story(effect.call)).effects.append(effect)
    return list(told.values())


Excuse = Callable[[Story], bool]
"""Whether a call that was allowed may have ended without a run."""


def is_unknown(story: Story) -> bool:
    """The usual excuse: whoever took the call was cut off and cannot ask for it again."""
    return story.is_unknown


def breaches(
    events: Sequence[Event], effects: Sequence[Effect], *, excuse: Excuse = is_unknown
) -> list[Breach]:
    """Whatever is not as promised; empty when all is well."""
    return [
        Breach(invariant, story.call, why)
        for story in stories(events, effects)
        for invariant, check in _CHECKS.items()
        for why in check(story, excuse)
    ]


class Tally(NamedTuple):
    """How much happened."""

    calls: int
    asked: int
    answered: int
    denied: int
    ran: int
    unknown: int
    """Taken by a process that was killed before it ran: shown as such, never run again."""
    errors: int


def tally(events: Sequence[Event], effects: Sequence[Effect]) -> Tally:
    """Counts of what the histories tell."""
    told = stories(events, effects)
    outcomes: dict[Act, list[str]] = defaultdict(list)
    for event in events:
        outcomes[event.act].append(event.outcome)
    return Tally(
        calls=len(told),
        asked=sum(any(one.outcome == ASKED for one in story.submits) for story in told),
        answered=sum(bool(story.heard) for story in told),
        denied=sum(any(one.start.say == DENY for one in story.heard) for story in told),
        ran=len(effects),
        unknown=sum(story.is_unknown for story in told),
        errors=sum(found.count(ERROR) for found in outcomes.values()),
    )


def _one(story: Story, _: Excuse) -> Iterator[str]:
    begun = {one.start.step: one.start.at for one in story.runs}
    for effect in story.effects:
        at = begun.get(effect.step)
        if at is None or not any(_allows(one, effect, at) for one in story.yes):
            yield f"approval {effect.approval} ran without an earlier yes to this very call"


def _two(story: Story, _: Excuse) -> Iterator[str]:
    winners = {(one.start.by, one.start.say) for one in story.heard}
    if len(winners) > 1:
        yield f"several answers were acknowledged: {sorted(winners)}"
    for by, say in winners:
        for one in story.answers:
            if one.outcome.startswith(MOVED) and not _agrees(one.outcome, by, say):
                yield f"{one.start.by} was told {one.outcome}, but {by} said {say}"
        if say == DENY and any(one.outcome == RUN for one in story.taking):
            yield f"it was to run although {by} denied it"
        if say != DENY and DENIED in story.endings:
            yield f"it was denied although {by} allowed it"


def _three(story: Story, _: Excuse) -> Iterator[str]:
    if len(story.effects) > 1:
        yield f"it ran {len(story.effects)} times"


def _four(story: Story, excuse: Excuse) -> Iterator[str]:
    asked = [one for one in story.submits if one.outcome == ASKED]
    if len({one.approval for one in asked}) > 1:
        yield "it was asked about twice"
    if asked and not (story.effects or story.endings):
        yield "its question was acknowledged, and nothing ever came of it"
    odd = sorted(set(story.endings) - {DENIED, TAKEN})
    if odd:
        yield f"it ended as {odd}, which nobody said"
    if TAKEN in story.endings and not (story.heard or story.effects or excuse(story)):
        yield "it was said to be taken, and nobody can have taken it"
    for one in story.heard:
        if one.start.say != DENY and not (story.effects or excuse(story)):
            yield f"the yes of {one.start.by} was acknowledged, and it never ran"
        if one.start.say == DENY and DENIED not in story.endings:
            yield f"the no of {one.start.by} was acknowledged, and nobody was told"


def _five(story: Story, _: Excuse) -> Iterator[str]:
    told = {one.start.step: one for one in story.taking if one.outcome == RUN}
    for step, one in told.items():
        if not any(_is_before(yes, one) for yes in story.yes):
            yield f"step {step} was told to run what nobody allowed"
    for effect in story.effects:
        if effect.step not in told:
            yield f"step {effect.step} ran without being told to"


_Check = Callable[[Story, Excuse], Iterator[str]]
_CHECKS: dict[str, _Check] = {"I1": _one, "I2": _two, "I3": _three, "I4": _four, "I5": _five}


def _is_lost(answer: Attempt) -> bool:
    """Whether somebody else's answer was first."""
    return answer.outcome.startswith(MOVED)


def _allows(answer: Attempt, effect: Effect, at: float) -> bool:
    said = answer.start
    return (said.approval, said.digest) == (effect.approval, effect.digest) and said.at < at


def _is_before(answer: Attempt, taking: Attempt) -> bool:
    return taking.end is not None and answer.start.at < taking.end.at and answer.approval == taking.approval


def _agrees(outcome: str, by: str, say: str) -> bool:
    """Whether what a loser was told is what the winner said."""
    _, state, winner = outcome.split(":", 2)
    return winner == by and (state == "denied" if say == DENY else state in _YES_STATES)
