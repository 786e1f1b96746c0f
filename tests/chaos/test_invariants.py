"""The checker reports each broken invariant, and none for a correct history."""

from dataclasses import replace

import pytest

from chaos.effects import Effect
from chaos.history import Act, Event
from chaos.invariants import ASKED, ERROR, OK, RUN, count_acts, find_breaches

DIGEST = "d" * 32


class HistoryBuilder:
    """Builds a history; each event is later than the one before."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.effects: list[Effect] = []

    def start(self, act: Act, step: str, **fields: str) -> "HistoryBuilder":
        self.events.append(Event(act=act, step=step, call="c1", at=float(len(self.events)), **fields))
        return self

    def end(self, act: Act, step: str, outcome: str, **fields: str) -> "HistoryBuilder":
        return self.start(act, step, outcome=outcome, **fields)

    def ask(self, step: str = "s1") -> "HistoryBuilder":
        return self.start(Act.SUBMIT, step).end(Act.SUBMIT, step, ASKED, approval="a1")

    def answer(
        self,
        say: str = "once",
        by: str = "ana",
        outcome: str | None = OK,
        digest: str = DIGEST,
        *,
        shown: float = 0.0,
    ) -> "HistoryBuilder":
        step = f"answer-{by}-{len(self.events)}"
        fields = {"approval": "a1", "digest": digest, "say": say, "by": by}
        self.start(Act.ANSWER, step, **fields)
        self.events[-1] = replace(self.events[-1], shown=shown)
        return self if outcome is None else self.end(Act.ANSWER, step, outcome, **fields)

    def take_call(self, outcome: str | None = RUN, step: str = "t1") -> "HistoryBuilder":
        self.start(Act.TAKE, step, approval="a1")
        return self if outcome is None else self.end(Act.TAKE, step, outcome, approval="a1")

    def run(self, step: str = "t1", digest: str = DIGEST) -> "HistoryBuilder":
        fields = {"approval": "a1", "digest": digest}
        self.start(Act.RUN, step, **fields).end(Act.RUN, step, OK, **fields)
        self.effects.append(Effect("c1", "a1", digest, step))
        return self

    @property
    def now(self) -> float:
        """A time after all events so far."""
        return len(self.events) - 0.5

    @property
    def broken_invariants(self) -> set[str]:
        return {breach.invariant for breach in find_breaches(self.events, self.effects)}


@pytest.mark.parametrize(
    "history",
    [
        HistoryBuilder().ask().answer().take_call().run(),
        HistoryBuilder().ask().answer("deny").take_call("permission_denied"),
        HistoryBuilder().ask().answer(outcome=None).take_call().run(),
        HistoryBuilder().ask().answer(outcome=ERROR).answer().take_call().run(),
        HistoryBuilder().ask().answer().answer("deny", "ben", "moved:running:ana").take_call().run(),
        HistoryBuilder()
        .ask()
        .answer("deny")
        .answer("once", "ben", "moved:denied:ana")
        .take_call("permission_denied"),
        HistoryBuilder().ask().answer().take_call(None).take_call("already_run", "t2"),
        HistoryBuilder().ask().answer().take_call(ERROR).take_call("already_run", "t2"),
        HistoryBuilder().ask().answer().take_call().run().take_call("already_run", "t2"),
        HistoryBuilder().start(Act.SUBMIT, "s0").ask().answer().take_call().run(),
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
def test_a_correct_history_has_no_breach(history: HistoryBuilder) -> None:
    assert history.broken_invariants == set()


def test_a_run_without_approval_breaks_invariants_1_and_5() -> None:
    assert HistoryBuilder().ask().take_call().run().broken_invariants == {"I1", "I5"}


def test_a_run_before_the_approval_breaks_invariants_1_and_5() -> None:
    assert HistoryBuilder().ask().take_call().run().answer().broken_invariants == {"I1", "I5"}


def test_a_run_with_other_arguments_breaks_invariant_1() -> None:
    assert HistoryBuilder().ask().answer().take_call().run(digest="e" * 32).broken_invariants == {"I1"}


def test_a_run_by_an_answer_that_lost_the_race_breaks_invariants_1_and_5() -> None:
    history = HistoryBuilder().ask().answer("once", "ben", "moved:denied:ana").take_call().run()

    assert history.broken_invariants == {"I1", "I5"}


def test_two_acknowledged_answers_break_invariant_2() -> None:
    history = HistoryBuilder().ask().answer("once", "ana").answer("once", "ben").take_call().run()

    assert history.broken_invariants == {"I2"}


def test_a_wrong_winner_in_a_conflict_breaks_invariant_2() -> None:
    history = (
        HistoryBuilder()
        .ask()
        .answer("once", "ana")
        .answer("deny", "ben", "moved:running:eve")
        .take_call()
        .run()
    )

    assert history.broken_invariants == {"I2"}


def test_a_wrong_decision_in_a_conflict_breaks_invariant_2() -> None:
    history = (
        HistoryBuilder()
        .ask()
        .answer("once", "ana")
        .answer("deny", "ben", "moved:denied:ana")
        .take_call()
        .run()
    )

    assert history.broken_invariants == {"I2"}


def test_a_call_allowed_after_a_denial_breaks_invariant_2_and_others() -> None:
    assert {"I1", "I2", "I5"} <= HistoryBuilder().ask().answer("deny").take_call().run().broken_invariants


def test_a_denial_of_an_approved_call_breaks_invariants_2_and_4() -> None:
    assert HistoryBuilder().ask().answer().take_call("permission_denied").broken_invariants == {"I2", "I4"}


def test_two_runs_of_a_call_break_invariant_3() -> None:
    history = HistoryBuilder().ask().answer().take_call().run().take_call(step="t2").run("t2")

    assert history.broken_invariants == {"I3"}


def test_two_runs_of_one_claim_break_invariant_3() -> None:
    history = HistoryBuilder().ask().answer().take_call().run()
    history.effects.append(history.effects[0])

    assert history.broken_invariants == {"I3"}


@pytest.mark.parametrize(
    "history",
    [
        HistoryBuilder().ask(),
        HistoryBuilder().ask().answer(),
        HistoryBuilder().ask().answer().take_call(None),
        HistoryBuilder().ask().answer("deny").take_call("already_run"),
        HistoryBuilder().ask().take_call("withdrawn"),
        HistoryBuilder().ask().take_call("expired"),
        HistoryBuilder().ask().take_call("already_run"),
        HistoryBuilder().ask().answer().take_call("already_run"),
        HistoryBuilder()
        .ask()
        .take_call(None)
        .start(Act.TAKE, "t2")
        .answer()
        .end(Act.TAKE, "t2", "already_run"),
    ],
    ids=[
        "a question nobody ever heard of again",
        "a yes that never ran",
        "a yes whose caller was killed and never came back",
        "a no that nobody was told",
        "a question that was taken back",
        "a question that expired",
        "a question that is fields to be taken though nobody answered it",
        "a yes that is gone though nobody took it",
        "a yes that is gone though whoever could have taken it was dead by then",
    ],
)
def test_a_lost_acknowledged_answer_breaks_invariant_4(history: HistoryBuilder) -> None:
    assert history.broken_invariants == {"I4"}


def test_a_call_with_two_questions_breaks_invariant_4() -> None:
    history = HistoryBuilder().ask().answer().take_call().run()
    again = [replace(event, step="s2") for event in history.events[:2]]
    history.events += [again[0], replace(again[1], approval="a2")]

    assert history.broken_invariants == {"I4"}


def test_permission_without_approval_breaks_invariant_5_even_if_nothing_runs() -> None:
    assert "I5" in HistoryBuilder().ask().take_call().broken_invariants


def test_a_run_without_permission_breaks_invariant_5() -> None:
    assert HistoryBuilder().ask().answer().take_call(ERROR).run().broken_invariants == {"I5"}


def test_the_tally_counts_calls_with_unknown_outcome() -> None:
    history = HistoryBuilder().ask().answer().take_call(None).take_call("already_run", "t2")

    counted = count_acts(history.events, history.effects)

    assert (counted.calls, counted.asked, counted.answered, counted.ran, counted.unknown) == (1, 1, 1, 0, 1)
