"""A restore ends exactly the calls that were approved before the backup; the checker reports each breach."""

import pytest

from chaos.history import Act
from chaos.invariants import ERROR, RUN, TAKEN, Breach, CallHistory, call_histories, find_breaches
from chaos.restores import (
    ENDED_BY_RESTORE,
    FinalState,
    Restore,
    find_runs_after_restore,
    find_unknown_approvals,
    find_wrong_final_states,
    is_ended_by_restore,
)
from tests.chaos.test_invariants import HistoryBuilder

ENDS = {"a1": ENDED_BY_RESTORE}


def call_history(history: HistoryBuilder) -> CallHistory:
    (story,) = call_histories(history.events, history.effects)
    return story


def restore_now(history: HistoryBuilder) -> Restore:
    """Restore the database at this point of the history."""
    return Restore(history.now, history.now + 0.1)


def broken_invariants(
    history: HistoryBuilder, restores: list[Restore], ends: dict[str, FinalState]
) -> set[str]:
    """The broken invariants, if only a restore excuses a yes that never ran."""
    found = find_breaches(
        history.events, history.effects, excuse=lambda story: is_ended_by_restore(story, restores, ends)
    )
    return {one.invariant for one in found}


def test_a_call_approved_at_the_backup_may_end_with_the_restore() -> None:
    history = HistoryBuilder().ask().answer()
    restore = restore_now(history)
    history.take_call(TAKEN)

    assert is_ended_by_restore(call_history(history), [restore], ENDS)
    assert broken_invariants(history, [restore], ENDS) == set()


def test_a_call_whose_claim_or_answer_was_interrupted_before_the_backup_may_end_with_the_restore() -> None:
    running, unheard = (
        HistoryBuilder().ask().answer().take_call(ERROR),
        HistoryBuilder().ask().answer(outcome=ERROR),
    )
    moments = [restore_now(running), restore_now(unheard)]
    running.take_call(TAKEN, "t2")
    unheard.take_call(TAKEN)

    assert is_ended_by_restore(call_history(running), [moments[0]], ENDS)
    assert is_ended_by_restore(call_history(unheard), [moments[1]], ENDS)


def test_a_restore_does_not_excuse_a_later_approval_without_a_run() -> None:
    history = HistoryBuilder().ask()
    restore = restore_now(history)
    history.answer().take_call(TAKEN)

    assert broken_invariants(history, [restore], ENDS) == {"I4"}


def test_a_restore_does_not_excuse_a_call_whose_question_was_open_afterwards() -> None:
    history = HistoryBuilder().ask().answer(outcome=ERROR)
    restore = restore_now(history)
    history.answer(by="ben", shown=restore.served).take_call(TAKEN)

    assert broken_invariants(history, [restore], ENDS) == {"I4"}


def test_a_restore_does_not_excuse_a_call_lost_before_the_backup() -> None:
    history = HistoryBuilder().ask().answer().take_call(TAKEN)
    restore = restore_now(history)
    history.take_call(TAKEN, "t2")

    assert broken_invariants(history, [restore], ENDS) == {"I4"}


def test_a_restore_does_not_excuse_a_call_that_ended_before_the_backup() -> None:
    history = HistoryBuilder().ask().answer().start(Act.TAKE, "t1", approval="a1")
    restore = restore_now(history)
    history.end(Act.TAKE, "t1", TAKEN, approval="a1")

    assert broken_invariants(history, [restore], ENDS) == {"I4"}


@pytest.mark.parametrize("outcome", ["withdrawn", "lapsed", "expired", "permission_denied"])
def test_a_restore_does_not_excuse_a_call_that_ended_in_another_way(outcome: str) -> None:
    history = HistoryBuilder().ask().answer()
    restore = restore_now(history)
    history.take_call(outcome)

    assert "I4" in broken_invariants(history, [restore], ENDS)


@pytest.mark.parametrize(
    "end",
    [
        FinalState("unknown", "the process that ran it is gone: check what it did"),
        FinalState("running", ENDED_BY_RESTORE.note),
        FinalState("done"),
        None,
    ],
)
def test_a_restore_excuses_only_calls_whose_state_names_the_restore(end: FinalState | None) -> None:
    history = HistoryBuilder().ask().answer()
    restore = restore_now(history)
    history.take_call(TAKEN)

    assert broken_invariants(history, [restore], {} if end is None else {"a1": end}) == {"I4"}


def test_without_a_restore_a_lost_reply_is_no_excuse_for_callers_with_a_nonce() -> None:
    history = HistoryBuilder().ask().answer().take_call(ERROR).take_call(TAKEN, "t2")

    assert history.broken_invariants == set()
    assert broken_invariants(history, [], ENDS) == {"I4"}


def test_a_restore_excuses_neither_a_second_question_nor_an_unreported_denial() -> None:
    twice, denied = HistoryBuilder().ask().answer(), HistoryBuilder().ask().answer("deny")
    moments = [restore_now(twice), restore_now(denied)]
    twice.start(Act.SUBMIT, "s2").end(Act.SUBMIT, "s2", "asked", approval="a2").take_call(TAKEN)
    denied.take_call(TAKEN)

    assert broken_invariants(twice, [moments[0]], {**ENDS, "a2": ENDED_BY_RESTORE}) == {"I4"}
    assert broken_invariants(denied, [moments[1]], ENDS) == {"I4"}


def test_a_call_approved_before_the_backup_that_runs_after_it_breaks_invariant_6() -> None:
    history = HistoryBuilder().ask().answer()
    restore = restore_now(history)
    history.take_call(RUN).run()

    (breach,) = find_runs_after_restore(call_history(history), [restore])
    assert breach.invariant == "I6"
    assert history.broken_invariants == set()


def test_a_claim_given_again_after_the_restore_breaks_invariant_6() -> None:
    history = HistoryBuilder().ask().answer().take_call(ERROR)
    restore = restore_now(history)
    history.take_call(RUN, "t2").run("t2")

    assert [one.invariant for one in find_runs_after_restore(call_history(history), [restore])] == ["I6"]


def test_a_run_before_the_backup_or_an_approval_after_it_keeps_invariant_6() -> None:
    before, after = HistoryBuilder().ask().answer().take_call(RUN).run(), HistoryBuilder().ask()
    moments = [restore_now(before), restore_now(after)]
    after.answer().take_call(RUN).run()

    assert list(find_runs_after_restore(call_history(before), [moments[0]])) == []
    assert list(find_runs_after_restore(call_history(after), [moments[1]])) == []


@pytest.mark.parametrize(
    ("history", "state"),
    [
        (HistoryBuilder().ask().answer().take_call().run(), "done"),
        (HistoryBuilder().ask().answer("deny").take_call("permission_denied"), "denied"),
        (HistoryBuilder().ask().answer().take_call(TAKEN), "unknown"),
    ],
)
def test_the_final_state_on_the_server_must_match_what_the_caller_saw(
    history: HistoryBuilder, state: str
) -> None:
    story = call_history(history)

    assert list(find_wrong_final_states(story, {"a1": FinalState(state)})) == []
    for other in {"pending", "running", "done", "denied", "unknown"} - {state}:
        assert [one.invariant for one in find_wrong_final_states(story, {"a1": FinalState(other)})] == ["I4"]
    assert [one.invariant for one in find_wrong_final_states(story, {})] == ["I4"]


def test_an_approval_unknown_to_all_callers_is_reported() -> None:
    history = call_histories(HistoryBuilder().ask().events, [])

    assert list(find_unknown_approvals(history, {"a1": FinalState("pending")})) == []
    assert list(
        find_unknown_approvals(history, {"a1": FinalState("pending"), "a2": FinalState("pending")})
    ) == [Breach("I4", "a2", "this approval belongs to no call that was acknowledged")]
