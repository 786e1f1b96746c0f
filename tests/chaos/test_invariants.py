"""A history that breaks an invariant is caught, each by its own; one that keeps all of them is not."""

from dataclasses import replace

import pytest

from chaos.effects import Effect
from chaos.history import Act, Event
from chaos.invariants import ASKED, ERROR, OK, RUN, breaches, tally

DIGEST = "d" * 32


class Told:
    """A history as it grows: each event a moment after the one before."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.effects: list[Effect] = []

    def start(self, act: Act, step: str, **said: str) -> "Told":
        self.events.append(Event(act=act, step=step, call="c1", at=float(len(self.events)), **said))
        return self

    def end(self, act: Act, step: str, outcome: str, **said: str) -> "Told":
        return self.start(act, step, outcome=outcome, **said)

    def asked(self, step: str = "s1") -> "Told":
        return self.start(Act.SUBMIT, step).end(Act.SUBMIT, step, ASKED, approval="a1")

    def answered(
        self,
        say: str = "once",
        by: str = "ana",
        outcome: str | None = OK,
        digest: str = DIGEST,
        *,
        shown: float = 0.0,
    ) -> "Told":
        step = f"answer-{by}-{len(self.events)}"
        said = {"approval": "a1", "digest": digest, "say": say, "by": by}
        self.start(Act.ANSWER, step, **said)
        self.events[-1] = replace(self.events[-1], shown=shown)
        return self if outcome is None else self.end(Act.ANSWER, step, outcome, **said)

    def taken(self, outcome: str | None = RUN, step: str = "t1") -> "Told":
        self.start(Act.TAKE, step, approval="a1")
        return self if outcome is None else self.end(Act.TAKE, step, outcome, approval="a1")

    def ran(self, step: str = "t1", digest: str = DIGEST) -> "Told":
        said = {"approval": "a1", "digest": digest}
        self.start(Act.RUN, step, **said).end(Act.RUN, step, OK, **said)
        self.effects.append(Effect("c1", "a1", digest, step))
        return self

    @property
    def now(self) -> float:
        """A moment after all that has happened, and before what comes next."""
        return len(self.events) - 0.5

    @property
    def broken(self) -> set[str]:
        return {breach.invariant for breach in breaches(self.events, self.effects)}


@pytest.mark.parametrize(
    "told",
    [
        Told().asked().answered().taken().ran(),
        Told().asked().answered("deny").taken("permission_denied"),
        Told().asked().answered(outcome=None).taken().ran(),
        Told().asked().answered(outcome=ERROR).answered().taken().ran(),
        Told().asked().answered().answered("deny", "ben", "moved:running:ana").taken().ran(),
        Told()
        .asked()
        .answered("deny")
        .answered("once", "ben", "moved:denied:ana")
        .taken("permission_denied"),
        Told().asked().answered().taken(None).taken("already_run", "t2"),
        Told().asked().answered().taken(ERROR).taken("already_run", "t2"),
        Told().asked().answered().taken().ran().taken("already_run", "t2"),
        Told().start(Act.SUBMIT, "s0").asked().answered().taken().ran(),
    ],
    ids=[
        "a yes",
        "a no",
        "an approver killed after the yes was safe",
        "an answer given again after an error",
        "a loser who was told of the yes",
        "a loser who was told of the no",
        "a caller killed in the middle of taking",
        "a taking whose echo was lost",
        "a caller who comes back",
        "a caller killed while asking",
    ],
)
def test_a_history_in_which_every_promise_is_kept_is_not_blamed(told: Told) -> None:
    assert told.broken == set()


def test_running_without_any_yes_breaks_the_first_and_the_fifth() -> None:
    assert Told().asked().taken().ran().broken == {"I1", "I5"}


def test_running_before_the_yes_breaks_the_first_and_the_fifth() -> None:
    assert Told().asked().taken().ran().answered().broken == {"I1", "I5"}


def test_running_other_arguments_than_were_shown_breaks_the_first() -> None:
    assert Told().asked().answered().taken().ran(digest="e" * 32).broken == {"I1"}


def test_running_by_an_answer_that_lost_breaks_the_first_and_the_fifth() -> None:
    told = Told().asked().answered("once", "ben", "moved:denied:ana").taken().ran()

    assert told.broken == {"I1", "I5"}


def test_two_answers_that_were_both_acknowledged_break_the_second() -> None:
    told = Told().asked().answered("once", "ana").answered("once", "ben").taken().ran()

    assert told.broken == {"I2"}


def test_a_loser_who_is_told_of_another_winner_breaks_the_second() -> None:
    told = Told().asked().answered("once", "ana").answered("deny", "ben", "moved:running:eve").taken().ran()

    assert told.broken == {"I2"}


def test_a_loser_who_is_told_of_another_decision_breaks_the_second() -> None:
    told = Told().asked().answered("once", "ana").answered("deny", "ben", "moved:denied:ana").taken().ran()

    assert told.broken == {"I2"}


def test_a_call_that_is_to_run_after_a_no_breaks_more_than_the_second() -> None:
    assert {"I1", "I2", "I5"} <= Told().asked().answered("deny").taken().ran().broken


def test_a_caller_who_is_denied_what_was_allowed_breaks_the_second_and_the_fourth() -> None:
    assert Told().asked().answered().taken("permission_denied").broken == {"I2", "I4"}


def test_running_twice_breaks_the_third() -> None:
    told = Told().asked().answered().taken().ran().taken(step="t2").ran("t2")

    assert told.broken == {"I3"}


def test_running_twice_on_one_permission_breaks_the_third() -> None:
    told = Told().asked().answered().taken().ran()
    told.effects.append(told.effects[0])

    assert told.broken == {"I3"}


@pytest.mark.parametrize(
    "told",
    [
        Told().asked(),
        Told().asked().answered(),
        Told().asked().answered().taken(None),
        Told().asked().answered("deny").taken("already_run"),
        Told().asked().taken("withdrawn"),
        Told().asked().taken("expired"),
        Told().asked().taken("already_run"),
        Told().asked().answered().taken("already_run"),
        Told().asked().taken(None).start(Act.TAKE, "t2").answered().end(Act.TAKE, "t2", "already_run"),
    ],
    ids=[
        "a question nobody ever heard of again",
        "a yes that never ran",
        "a yes whose caller was killed and never came back",
        "a no that nobody was told",
        "a question that was taken back",
        "a question that expired",
        "a question that is said to be taken though nobody answered it",
        "a yes that is gone though nobody took it",
        "a yes that is gone though whoever could have taken it was dead by then",
    ],
)
def test_what_was_acknowledged_and_is_gone_breaks_the_fourth(told: Told) -> None:
    assert told.broken == {"I4"}


def test_one_call_with_two_questions_breaks_the_fourth() -> None:
    told = Told().asked().answered().taken().ran()
    again = [replace(event, step="s2") for event in told.events[:2]]
    told.events += [again[0], replace(again[1], approval="a2")]

    assert told.broken == {"I4"}


def test_being_told_to_run_what_nobody_allowed_breaks_the_fifth_even_if_nothing_runs() -> None:
    assert "I5" in Told().asked().taken().broken


def test_running_without_being_told_to_breaks_the_fifth() -> None:
    assert Told().asked().answered().taken(ERROR).ran().broken == {"I5"}


def test_the_tally_counts_what_is_unknown() -> None:
    told = Told().asked().answered().taken(None).taken("already_run", "t2")

    counted = tally(told.events, told.effects)

    assert (counted.calls, counted.asked, counted.answered, counted.ran, counted.unknown) == (1, 1, 1, 0, 1)
