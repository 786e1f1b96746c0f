"""A restored database ends what was approved before the backup and nothing else: the checker sees each breach."""

import pytest

from chaos.history import Act
from chaos.invariants import ERROR, RUN, TAKEN, Breach, Story, breaches, stories
from chaos.restores import (
    BY_RESTORE,
    End,
    Restore,
    is_ended_by_restore,
    ran_after_restore,
    unasked,
    unsettled,
)
from tests.chaos.test_invariants import Told

ENDS = {"a1": BY_RESTORE}


def story_of(told: Told) -> Story:
    (story,) = stories(told.events, told.effects)
    return story


def restored(told: Told) -> Restore:
    """The database is moved now."""
    return Restore(told.now, told.now + 0.1)


def broken(told: Told, restores: list[Restore], ends: dict[str, End]) -> set[str]:
    """The invariants that do not hold, where only a restore excuses a yes that never ran."""
    found = breaches(
        told.events, told.effects, excuse=lambda story: is_ended_by_restore(story, restores, ends)
    )
    return {one.invariant for one in found}


def test_a_call_that_was_approved_at_the_backup_may_end_by_its_restore() -> None:
    told = Told().asked().answered()
    restore = restored(told)
    told.taken(TAKEN)

    assert is_ended_by_restore(story_of(told), [restore], ENDS)
    assert broken(told, [restore], ENDS) == set()


def test_so_may_one_whose_taking_or_whose_yes_was_cut_off_before_the_backup() -> None:
    running, unheard = Told().asked().answered().taken(ERROR), Told().asked().answered(outcome=ERROR)
    moments = [restored(running), restored(unheard)]
    running.taken(TAKEN, "t2")
    unheard.taken(TAKEN)

    assert is_ended_by_restore(story_of(running), [moments[0]], ENDS)
    assert is_ended_by_restore(story_of(unheard), [moments[1]], ENDS)


def test_a_yes_after_the_restore_is_not_excused_by_it() -> None:
    told = Told().asked()
    restore = restored(told)
    told.answered().taken(TAKEN)

    assert broken(told, [restore], ENDS) == {"I4"}


def test_nor_is_one_to_a_question_that_was_seen_open_after_it_though_somebody_had_tried_before() -> None:
    told = Told().asked().answered(outcome=ERROR)
    restore = restored(told)
    told.answered(by="ben", shown=restore.served).taken(TAKEN)

    assert broken(told, [restore], ENDS) == {"I4"}


def test_nor_is_a_call_that_was_gone_before_the_backup() -> None:
    told = Told().asked().answered().taken(TAKEN)
    restore = restored(told)
    told.taken(TAKEN, "t2")

    assert broken(told, [restore], ENDS) == {"I4"}


def test_nor_is_one_that_its_caller_was_told_of_before_the_backup_however_late_it_heard() -> None:
    told = Told().asked().answered().start(Act.TAKE, "t1", approval="a1")
    restore = restored(told)
    told.end(Act.TAKE, "t1", TAKEN, approval="a1")

    assert broken(told, [restore], ENDS) == {"I4"}


@pytest.mark.parametrize("outcome", ["withdrawn", "lapsed", "expired", "permission_denied"])
def test_nor_is_one_that_ended_in_another_way(outcome: str) -> None:
    told = Told().asked().answered()
    restore = restored(told)
    told.taken(outcome)

    assert "I4" in broken(told, [restore], ENDS)


@pytest.mark.parametrize(
    "end",
    [
        End("unknown", "the process that ran it is gone: check what it did"),
        End("running", BY_RESTORE.note),
        End("done"),
        None,
    ],
)
def test_nor_is_one_of_which_the_server_does_not_say_that_a_restore_ended_it(end: End | None) -> None:
    told = Told().asked().answered()
    restore = restored(told)
    told.taken(TAKEN)

    assert broken(told, [restore], {} if end is None else {"a1": end}) == {"I4"}


def test_without_a_restore_a_lost_reply_excuses_nothing_where_callers_repeat_with_a_nonce() -> None:
    told = Told().asked().answered().taken(ERROR).taken(TAKEN, "t2")

    assert told.broken == set()
    assert broken(told, [], ENDS) == {"I4"}


def test_a_restore_excuses_neither_a_second_question_nor_a_no_that_nobody_was_told() -> None:
    twice, denied = Told().asked().answered(), Told().asked().answered("deny")
    moments = [restored(twice), restored(denied)]
    twice.start(Act.SUBMIT, "s2").end(Act.SUBMIT, "s2", "asked", approval="a2").taken(TAKEN)
    denied.taken(TAKEN)

    assert broken(twice, [moments[0]], {**ENDS, "a2": BY_RESTORE}) == {"I4"}
    assert broken(denied, [moments[1]], ENDS) == {"I4"}


def test_a_call_that_was_approved_before_the_backup_and_runs_after_it_breaks_the_sixth() -> None:
    told = Told().asked().answered()
    restore = restored(told)
    told.taken(RUN).ran()

    (breach,) = ran_after_restore(story_of(told), [restore])
    assert breach.invariant == "I6"
    assert told.broken == set()


def test_so_does_one_whose_claim_is_given_again_by_the_restored_database() -> None:
    told = Told().asked().answered().taken(ERROR)
    restore = restored(told)
    told.taken(RUN, "t2").ran("t2")

    assert [one.invariant for one in ran_after_restore(story_of(told), [restore])] == ["I6"]


def test_one_that_ran_before_the_backup_or_was_approved_after_it_does_not() -> None:
    before, after = Told().asked().answered().taken(RUN).ran(), Told().asked()
    moments = [restored(before), restored(after)]
    after.answered().taken(RUN).ran()

    assert list(ran_after_restore(story_of(before), [moments[0]])) == []
    assert list(ran_after_restore(story_of(after), [moments[1]])) == []


@pytest.mark.parametrize(
    ("told", "state"),
    [
        (Told().asked().answered().taken().ran(), "done"),
        (Told().asked().answered("deny").taken("permission_denied"), "denied"),
        (Told().asked().answered().taken(TAKEN), "unknown"),
    ],
)
def test_what_the_server_says_in_the_end_is_what_the_caller_saw(told: Told, state: str) -> None:
    story = story_of(told)

    assert list(unsettled(story, {"a1": End(state)})) == []
    for other in {"pending", "running", "done", "denied", "unknown"} - {state}:
        assert [one.invariant for one in unsettled(story, {"a1": End(other)})] == ["I4"]
    assert [one.invariant for one in unsettled(story, {})] == ["I4"]


def test_a_question_that_nobody_was_told_of_is_found() -> None:
    told = stories(Told().asked().events, [])

    assert list(unasked(told, {"a1": End("pending")})) == []
    assert list(unasked(told, {"a1": End("pending"), "a2": End("pending")})) == [
        Breach("I4", "a2", "this approval belongs to no call that was acknowledged")
    ]
