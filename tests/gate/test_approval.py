"""The life of an approval: every step from every state, and nothing else."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from assent.engine.lines.specifier import DisclosedInput, InputSource
from assent.errors import ConflictError, ForbiddenError, InputError, NotFoundError, StateError
from assent.gate.access import Principal
from assent.gate.answer import MAX_REASON_LENGTH, Answer, Say
from assent.gate.approval import (
    OPEN,
    Approval,
    State,
    answer,
    apply_time,
    attach,
    claim,
    claim_pending,
    ended_at,
    postpone,
    refuse,
    release,
    report,
    withdraw,
    withhold,
    without_arguments,
)
from assent.gate.preset import Delivery
from tests.gate.samples import (
    ADA,
    ALWAYS,
    ANA,
    BEN,
    CHRIS,
    CLERK,
    DAY,
    DECISION,
    NO,
    NOW,
    ROBOT,
    SECOND,
    VERA,
    YES,
    an_approval,
    in_state,
)

Step = Callable[[Approval], Approval]
LATER = NOW + SECOND

STEPS: dict[str, Step] = {
    "yes": lambda one: answer(one, ALWAYS, ANA, one.digest, at=LATER),
    "no": lambda one: answer(one, replace(NO, reason="never"), ANA, one.digest, at=LATER),
    "release": lambda one: release(one, replace(YES, released_by="q7"), at=LATER),
    "put off": lambda one: postpone(one, ANA, at=LATER),
    "claim": lambda one: claim(one, "claim-2", "boot-2", at=LATER),
    "claim again": lambda one: claim(one, "claim-1", "boot-2", at=LATER),
    "claim automatically": lambda one: claim_pending(one, "claim-2", "boot-2", at=LATER),
    "claim automatically again": lambda one: claim_pending(one, "claim-1", "boot-2", at=LATER),
    "withhold": lambda one: withhold(one, "blocked"),
    "refuse": lambda one: refuse(one, "blocked", at=LATER),
    "done": lambda one: report(one, "claim-1", failed=False, note="", at=LATER),
    "failed": lambda one: report(one, "claim-1", failed=True, note="", at=LATER),
    "done by another": lambda one: report(one, "claim-2", failed=False, note="", at=LATER),
    "withdraw": lambda one: withdraw(one, "stop", at=LATER),
    "attach": lambda one: attach(one, "boot-2", at=LATER),
    "alive": lambda one: apply_time(one, at=LATER, alive=True),
    "gone": lambda one: apply_time(one, at=LATER, alive=False),
    "expiry": lambda one: apply_time(replace(one, expires_at=LATER), at=LATER, alive=True),
    "lapse": lambda one: apply_time(replace(one, usable_for=SECOND), at=LATER, alive=True),
}

P, A, R, D, F, N, E, W, L, X, U = State
MOVES: dict[str, dict[State, State]] = {
    "yes": {P: A},
    "no": {P: N},
    "release": {P: A},
    "put off": {P: P},
    "claim": {A: R},
    "claim again": {A: R, R: R},
    "claim automatically": {P: R},
    "claim automatically again": {P: R, R: R},
    "withhold": {R: U},
    "refuse": {P: X, A: X},
    "done": {R: D, U: D, D: D},
    "failed": {R: F, U: F, F: F},
    "done by another": {},
    "withdraw": {P: W, A: W} | {state: state for state in (R, D, F, N, E, W, L, X, U)},
    "attach": {state: state for state in State},
    "alive": {state: state for state in State},
    "gone": {state: state for state in State} | {P: W, A: W, R: U},
    "expiry": {state: state for state in State} | {P: E},
    "lapse": {state: state for state in State} | {A: L},
}
"""Where each step leads; from a state that is not named it is refused."""


def test_the_table_names_every_state_and_every_step() -> None:
    assert [state.value for state in (P, A, R, D, F, N, E, W, L, X, U)] == [
        "pending", "approved", "running", "done", "failed", "denied", "expired", "withdrawn", "lapsed",
        "refused", "unknown",
    ]  # fmt: skip
    assert MOVES.keys() == STEPS.keys()


@pytest.mark.proves("T-4")
@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("step", STEPS)
def test_a_step_leads_where_the_table_says_or_is_refused(step: str, state: State) -> None:
    before = in_state(state)

    if state in MOVES[step]:
        assert STEPS[step](before).state is MOVES[step][state]
    else:
        with pytest.raises(StateError) as caught:
            STEPS[step](before)
        assert (caught.value.id, caught.value.state) == ("q1", state)


@pytest.mark.parametrize("state", sorted(set(State) - OPEN - {State.UNKNOWN}))
@pytest.mark.parametrize("step", STEPS)
def test_what_is_over_stays_as_it_is(step: str, state: State) -> None:
    before = in_state(state)

    try:
        after = STEPS[step](before)
    except StateError:
        after = before

    kept = {"expiry": {"expires_at": LATER}, "lapse": {"usable_for": SECOND}}.get(step, {})
    assert after == replace(before, **kept)


# ---- answering ----------------------------------------------------------------------------------


def test_a_yes_is_kept_with_whoever_said_it_and_when() -> None:
    after = answer(an_approval(), replace(ALWAYS, by="somebody"), CHRIS, an_approval().digest, at=LATER)

    assert after == an_approval(state=State.APPROVED, answer=replace(ALWAYS, by="chris"), answered_at=LATER)


def test_a_no_ends_it() -> None:
    after = answer(an_approval(), NO, ANA, an_approval().digest, at=LATER)

    assert after == an_approval(
        state=State.DENIED, answer=replace(NO, by="ana"), answered_at=LATER, closed_at=LATER
    )


@pytest.mark.parametrize("say", Say)
def test_everything_but_deny_is_a_yes(say: Say) -> None:
    after = answer(an_approval(), Answer(say=say), ANA, an_approval().digest, at=LATER)

    assert after.state is (State.DENIED if say is Say.DENY else State.APPROVED)


@pytest.mark.proves("T-5", "T-4")
@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize(
    ("who", "refusal"),
    [(CLERK, ForbiddenError), (ROBOT, ForbiddenError), (VERA, ForbiddenError), (BEN, NotFoundError)],
    ids=lambda one: getattr(one, "id", ""),
)
def test_who_has_no_right_is_refused_before_they_learn_anything(
    state: State, who: Principal, refusal: type[Exception]
) -> None:
    for attempt in (answer, postpone):
        given = (YES, who, an_approval().digest) if attempt is answer else (who,)
        with pytest.raises(refusal):
            attempt(in_state(state), *given, at=LATER)  # type: ignore[operator]


@pytest.mark.parametrize("who", [ANA, CHRIS, ADA], ids=lambda one: one.id)
def test_owner_approver_and_administrator_answer(who: Principal) -> None:
    after = answer(an_approval(), YES, who, an_approval().digest, at=LATER)

    assert after.answer == replace(YES, by=who.id)


@pytest.mark.proves("T-3", "T-4")
@pytest.mark.parametrize("digest", ["", "0" * 64, an_approval().digest[:-1], an_approval().digest.upper()])
def test_an_answer_to_another_call_than_the_one_that_was_shown_is_refused(digest: str) -> None:
    with pytest.raises(ConflictError, match="a different call"):
        answer(an_approval(), YES, ANA, digest, at=LATER)


@pytest.mark.proves("R-6", "R004-39")
@pytest.mark.parametrize("given", [YES, NO, ALWAYS])
def test_the_same_answer_again_changes_nothing(given: Answer) -> None:
    once = answer(an_approval(), given, ANA, an_approval().digest, at=LATER)

    assert answer(once, given, ANA, once.digest, at=LATER + DAY) == once


@pytest.mark.proves("R-6")
def test_the_same_answer_with_another_digest_or_from_another_person_is_not_the_same() -> None:
    once = answer(an_approval(), YES, ANA, an_approval().digest, at=LATER)

    for who, digest in ((CHRIS, once.digest), (ANA, "0" * 64)):
        with pytest.raises(StateError):
            answer(once, YES, who, digest, at=LATER)


@pytest.mark.proves("R-5", "R000-32")
def test_whoever_comes_second_learns_what_was_said_and_by_whom() -> None:
    once = answer(an_approval(), NO, CHRIS, an_approval().digest, at=LATER)

    with pytest.raises(StateError) as caught:
        answer(once, YES, ANA, once.digest, at=LATER)

    assert str(caught.value) == "approval `q1` cannot be answered: it is denied by chris"
    assert (caught.value.state, caught.value.by) == ("denied", "chris")


def test_a_reason_has_a_limit_and_one_that_is_too_long_leaves_the_question_open() -> None:
    longest = answer(
        an_approval(), replace(NO, reason="x" * MAX_REASON_LENGTH), ANA, an_approval().digest, at=LATER
    )

    assert longest.state is State.DENIED
    with pytest.raises(InputError, match="longer than 2000 characters"):
        answer(
            an_approval(),
            replace(NO, reason="x" * (MAX_REASON_LENGTH + 1)),
            ANA,
            an_approval().digest,
            at=LATER,
        )


@pytest.mark.proves("T-3")
def test_a_call_runs_with_the_arguments_the_person_preferred() -> None:
    edited = replace(YES, args={"command": "npm publish --dry-run"})

    assert an_approval().approved_call == an_approval().call
    assert in_state(State.APPROVED).approved_call == an_approval().call
    assert in_state(State.APPROVED, answer=edited).approved_call == replace(
        an_approval().call, args={"command": "npm publish --dry-run"}
    )


def test_a_release_says_which_question_it_came_from() -> None:
    after = release(an_approval(), replace(YES, by="ana", released_by="q7"), at=LATER)

    assert after.answer == replace(YES, by="ana", released_by="q7")
    assert after.answered_at == LATER


def test_later_keeps_it_open() -> None:
    assert postpone(an_approval(), ANA, at=LATER) == an_approval(later_at=LATER)


# ---- running ------------------------------------------------------------------------------------


def test_a_claim_that_is_withheld_says_why_and_a_second_time_changes_nothing() -> None:
    after = withhold(in_state(State.RUNNING), "blocked")

    assert after.note == "not handed out again (blocked): check whether it ran"
    assert withhold(after, "blocked") is after


def test_a_claim_says_who_runs_it_and_where() -> None:
    after = claim(in_state(State.APPROVED), "claim-1", "boot-2", at=LATER)

    assert (after.state, after.claim, after.boot) == (State.RUNNING, "claim-1", "boot-2")


@pytest.mark.proves("T-3")
@pytest.mark.parametrize("state", State)
def test_an_empty_claim_is_like_any_other_and_takes_a_call_once(state: State) -> None:
    approval = in_state(state, claim="")

    if state is State.APPROVED:
        approval = claim(approval, "", "boot-2", at=LATER)
    with pytest.raises(StateError):
        claim(approval, "", "boot-2", at=LATER)


@pytest.mark.proves("R-25")
@pytest.mark.parametrize("state", [State.RUNNING, State.UNKNOWN])
def test_only_whoever_ran_it_tells_what_came_of_it(state: State) -> None:
    after = report(in_state(state), "claim-1", failed=True, note="x" * 5000, at=LATER)

    assert (after.state, len(after.note), after.closed_at) == (State.FAILED, MAX_REASON_LENGTH, LATER)
    with pytest.raises(StateError, match=f"cannot be reported with this claim: it is {state}"):
        report(in_state(state), "claim-2", failed=True, note="", at=LATER)


@pytest.mark.proves("R-6")
def test_a_report_that_comes_again_changes_nothing_and_another_one_is_refused() -> None:
    once = report(in_state(State.RUNNING), "claim-1", failed=False, note="fine", at=LATER)

    assert report(once, "claim-1", failed=False, note="other", at=LATER + DAY) == once
    with pytest.raises(StateError):
        report(once, "claim-1", failed=True, note="no", at=LATER + DAY)


def test_what_was_decided_again_and_stopped_says_why() -> None:
    after = refuse(in_state(State.APPROVED), "the tool is blocked", at=LATER)

    assert (after.state, after.note, after.closed_at) == (State.REFUSED, "the tool is blocked", LATER)


# ---- time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("late", "state"), [(-SECOND, P), (timedelta(0), E), (SECOND, E)])
def test_a_question_expires_when_its_time_has_come(late: timedelta, state: State) -> None:
    asked = an_approval(expires_at=NOW + DAY)

    assert apply_time(asked, at=NOW + DAY + late, alive=True).state is state


def test_a_question_without_a_limit_never_expires() -> None:
    assert apply_time(an_approval(), at=NOW + 10_000 * DAY, alive=True) == an_approval()


@pytest.mark.proves("T-3")
@pytest.mark.parametrize(("late", "state"), [(-SECOND, A), (timedelta(0), L), (SECOND, L)])
def test_a_yes_may_be_used_for_its_own_time(late: timedelta, state: State) -> None:
    approved = in_state(State.APPROVED, usable_for=DAY)

    assert apply_time(approved, at=NOW + DAY + late, alive=True).state is state


@pytest.mark.proves("R-9")
@pytest.mark.parametrize(
    ("before", "step", "state"),
    [
        (an_approval(expires_at=NOW), "yes", E),
        (an_approval(expires_at=NOW), "no", E),
        (an_approval(expires_at=NOW), "release", E),
        (an_approval(expires_at=NOW), "put off", E),
        (in_state(State.APPROVED, usable_for=timedelta(0)), "claim", L),
        (in_state(State.APPROVED, usable_for=timedelta(0)), "refuse", L),
    ],
)
def test_time_counts_whether_or_not_anybody_swept(before: Approval, step: str, state: State) -> None:
    with pytest.raises(StateError) as caught:
        STEPS[step](before)

    assert caught.value.state == state


@pytest.mark.proves("R-8", "R-25")
@pytest.mark.parametrize("delivery", Delivery)
@pytest.mark.parametrize("state", State)
def test_when_its_process_is_gone_a_wait_is_withdrawn_and_what_ran_is_unknown(
    state: State, delivery: Delivery
) -> None:
    expected = state
    if state is State.RUNNING:
        expected = State.UNKNOWN
    elif delivery is Delivery.WAIT and state in (State.PENDING, State.APPROVED):
        expected = State.WITHDRAWN

    assert apply_time(in_state(state, delivery=delivery), at=LATER, alive=False).state is expected


def test_what_is_unknown_is_not_closed_because_its_end_may_still_be_reported() -> None:
    after = apply_time(in_state(State.RUNNING), at=LATER, alive=False)

    assert (after.closed_at, after.note) == (None, "the process that ran it is gone: check what it did")


@pytest.mark.parametrize("state", State)
def test_a_caller_that_comes_back_takes_the_wait_to_its_own_process(state: State) -> None:
    after = attach(in_state(state), "boot-2", at=LATER)

    moved = state in (State.PENDING, State.APPROVED)
    assert after == in_state(state, **({"boot": "boot-2"} if moved else {}))


def test_a_caller_that_comes_back_too_late_finds_it_expired() -> None:
    after = attach(an_approval(expires_at=NOW), "boot-2", at=LATER)

    assert (after.state, after.boot) == (State.EXPIRED, "boot-1")


@pytest.mark.parametrize("state", [State.PENDING, State.APPROVED])
def test_what_is_taken_back_says_why_and_when(state: State) -> None:
    after = withdraw(in_state(state), "stop", at=LATER)

    assert (after.state, after.note, after.closed_at) == (State.WITHDRAWN, "stop", LATER)


def test_a_yes_knows_until_when() -> None:
    moment: datetime | None = in_state(State.APPROVED, usable_for=DAY).usable_until

    assert (an_approval().usable_until, moment) == (None, NOW + DAY)


# ---- forgetting -----------------------------------------------------------------------------


@pytest.mark.proves("T-39")
@pytest.mark.parametrize("state", State)
def test_what_is_scrubbed_keeps_its_digest_and_its_end_and_nothing_of_the_call(state: State) -> None:
    edited = Answer(say=Say.ALWAYS, by="ana", rules=("terminal.exec(secret)",), args={"command": "secret"})
    whole = in_state(
        state,
        args={"command": "secret"},
        answer=edited,
        preview={"would": "secret"},
        note="secret" if state in (State.DONE, State.FAILED) else "nobody answered in time",
        decision=DECISION._replace(inputs=(DisclosedInput(source=InputSource.TEXT, text="secret"),)),
    )

    left = without_arguments(whole)

    assert "secret" not in repr(left)
    assert "npm publish" not in repr(left)
    assert (left.id, left.digest, left.state, left.call.tool, left.decision.stage, left.decision.verdict) == (
        whole.id, whole.digest, state, "terminal.exec", whole.decision.stage, whole.decision.verdict,
    )  # fmt: skip
    assert left.answer == Answer(say=Say.ALWAYS, by="ana")
    assert without_arguments(left) == left


@pytest.mark.parametrize("state", State)
def test_what_is_open_has_not_ended(state: State) -> None:
    assert (ended_at(in_state(state)) is None) == (state in OPEN)
