"""Tests of the states of an approval: every change from every state."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from assent.engine.lines.specifier import DisclosedInput, InputSource
from assent.errors import ConflictError, ForbiddenError, InputError, NotFoundError, StateError
from assent.gate.access import Principal
from assent.gate.answer import MAX_REASON_LENGTH, Answer, Say
from assent.gate.approval import (
    OPEN_STATES,
    Approval,
    State,
    answer,
    attach_to_process,
    claim,
    claim_pending,
    end_if_due,
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
    approval_in_state,
    sample_approval,
)

ChangeFunction = Callable[[Approval], Approval]
LATER = NOW + SECOND

CHANGES: dict[str, ChangeFunction] = {
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
    "attach": lambda one: attach_to_process(one, "boot-2", at=LATER),
    "alive": lambda one: end_if_due(one, at=LATER, alive=True),
    "gone": lambda one: end_if_due(one, at=LATER, alive=False),
    "expiry": lambda one: end_if_due(replace(one, expires_at=LATER), at=LATER, alive=True),
    "lapse": lambda one: end_if_due(replace(one, usable_for=SECOND), at=LATER, alive=True),
}

P, A, R, D, F, N, E, W, L, X, U = State
NEXT_STATES: dict[str, dict[State, State]] = {
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
"""The next state for each change; from any other state the change is refused."""


def test_the_table_contains_every_state_and_every_change() -> None:
    assert [state.value for state in (P, A, R, D, F, N, E, W, L, X, U)] == [
        "pending", "approved", "running", "done", "failed", "denied", "expired", "withdrawn", "lapsed",
        "refused", "unknown",
    ]  # fmt: skip
    assert NEXT_STATES.keys() == CHANGES.keys()


@pytest.mark.proves("T-4")
@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("step", CHANGES)
def test_a_change_leads_to_the_state_in_the_table_or_is_refused(step: str, state: State) -> None:
    before = approval_in_state(state)

    if state in NEXT_STATES[step]:
        assert CHANGES[step](before).state is NEXT_STATES[step][state]
    else:
        with pytest.raises(StateError) as caught:
            CHANGES[step](before)
        assert (caught.value.id, caught.value.state) == ("q1", state)


@pytest.mark.parametrize("state", sorted(set(State) - OPEN_STATES - {State.UNKNOWN}))
@pytest.mark.parametrize("step", CHANGES)
def test_a_final_state_never_changes(step: str, state: State) -> None:
    before = approval_in_state(state)

    try:
        after = CHANGES[step](before)
    except StateError:
        after = before

    kept = {"expiry": {"expires_at": LATER}, "lapse": {"usable_for": SECOND}}.get(step, {})
    assert after == replace(before, **kept)


# ---- answering ----------------------------------------------------------------------------------


def test_an_answer_is_stored_with_its_author_and_time() -> None:
    after = answer(
        sample_approval(), replace(ALWAYS, by="somebody"), CHRIS, sample_approval().digest, at=LATER
    )

    assert after == sample_approval(
        state=State.APPROVED, answer=replace(ALWAYS, by="chris"), answered_at=LATER
    )


def test_a_denial_ends_the_approval() -> None:
    after = answer(sample_approval(), NO, ANA, sample_approval().digest, at=LATER)

    assert after == sample_approval(
        state=State.DENIED, answer=replace(NO, by="ana"), answered_at=LATER, closed_at=LATER
    )


@pytest.mark.parametrize("say", Say)
def test_every_answer_except_deny_is_an_approval(say: Say) -> None:
    after = answer(sample_approval(), Answer(say=say), ANA, sample_approval().digest, at=LATER)

    assert after.state is (State.DENIED if say is Say.DENY else State.APPROVED)


@pytest.mark.proves("T-5", "T-4")
@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize(
    ("who", "refusal"),
    [(CLERK, ForbiddenError), (ROBOT, ForbiddenError), (VERA, ForbiddenError), (BEN, NotFoundError)],
    ids=lambda one: getattr(one, "id", ""),
)
def test_a_principal_without_the_right_is_refused_before_the_state_is_checked(
    state: State, who: Principal, refusal: type[Exception]
) -> None:
    for attempt in (answer, postpone):
        given = (YES, who, sample_approval().digest) if attempt is answer else (who,)
        with pytest.raises(refusal):
            attempt(approval_in_state(state), *given, at=LATER)  # type: ignore[operator]


@pytest.mark.parametrize("who", [ANA, CHRIS, ADA], ids=lambda one: one.id)
def test_owner_approver_and_administrator_answer(who: Principal) -> None:
    after = answer(sample_approval(), YES, who, sample_approval().digest, at=LATER)

    assert after.answer == replace(YES, by=who.id)


@pytest.mark.proves("T-3", "T-4")
@pytest.mark.parametrize(
    "digest", ["", "0" * 64, sample_approval().digest[:-1], sample_approval().digest.upper()]
)
def test_an_answer_with_another_digest_than_the_shown_one_is_refused(digest: str) -> None:
    with pytest.raises(ConflictError, match="a different call"):
        answer(sample_approval(), YES, ANA, digest, at=LATER)


@pytest.mark.proves("R-6", "R004-39")
@pytest.mark.parametrize("given", [YES, NO, ALWAYS])
def test_the_same_answer_again_changes_nothing(given: Answer) -> None:
    once = answer(sample_approval(), given, ANA, sample_approval().digest, at=LATER)

    assert answer(once, given, ANA, once.digest, at=LATER + DAY) == once


@pytest.mark.proves("R-6")
def test_the_same_answer_with_another_digest_or_author_is_refused() -> None:
    once = answer(sample_approval(), YES, ANA, sample_approval().digest, at=LATER)

    for who, digest in ((CHRIS, once.digest), (ANA, "0" * 64)):
        with pytest.raises(StateError):
            answer(once, YES, who, digest, at=LATER)


@pytest.mark.proves("R-5", "R000-32")
def test_the_error_for_a_second_answer_names_the_first_answer_and_its_author() -> None:
    once = answer(sample_approval(), NO, CHRIS, sample_approval().digest, at=LATER)

    with pytest.raises(StateError) as caught:
        answer(once, YES, ANA, once.digest, at=LATER)

    assert str(caught.value) == "approval `q1` cannot be answered: it is denied by chris"
    assert (caught.value.state, caught.value.by) == ("denied", "chris")


def test_a_reason_that_is_too_long_leaves_the_approval_pending() -> None:
    longest = answer(
        sample_approval(),
        replace(NO, reason="x" * MAX_REASON_LENGTH),
        ANA,
        sample_approval().digest,
        at=LATER,
    )

    assert longest.state is State.DENIED
    with pytest.raises(InputError, match="longer than 2000 characters"):
        answer(
            sample_approval(),
            replace(NO, reason="x" * (MAX_REASON_LENGTH + 1)),
            ANA,
            sample_approval().digest,
            at=LATER,
        )


@pytest.mark.proves("T-3")
def test_a_call_runs_with_the_arguments_that_the_person_edited() -> None:
    edited = replace(YES, args={"command": "npm publish --dry-run"})

    assert sample_approval().approved_call == sample_approval().call
    assert approval_in_state(State.APPROVED).approved_call == sample_approval().call
    assert approval_in_state(State.APPROVED, answer=edited).approved_call == replace(
        sample_approval().call, args={"command": "npm publish --dry-run"}
    )


def test_a_released_approval_names_the_approval_that_released_it() -> None:
    after = release(sample_approval(), replace(YES, by="ana", released_by="q7"), at=LATER)

    assert after.answer == replace(YES, by="ana", released_by="q7")
    assert after.answered_at == LATER


def test_a_postponed_approval_stays_pending() -> None:
    assert postpone(sample_approval(), ANA, at=LATER) == sample_approval(later_at=LATER)


# ---- running ------------------------------------------------------------------------------------


def test_a_withheld_claim_has_a_reason_and_withholding_again_changes_nothing() -> None:
    after = withhold(approval_in_state(State.RUNNING), "blocked")

    assert after.note == "not handed out again (blocked): check whether it ran"
    assert withhold(after, "blocked") is after


def test_a_claim_stores_the_caller_and_its_process() -> None:
    after = claim(approval_in_state(State.APPROVED), "claim-1", "boot-2", at=LATER)

    assert (after.state, after.claim, after.boot) == (State.RUNNING, "claim-1", "boot-2")


@pytest.mark.proves("T-3")
@pytest.mark.parametrize("state", State)
def test_an_empty_claim_id_claims_a_call_only_once(state: State) -> None:
    approval = approval_in_state(state, claim="")

    if state is State.APPROVED:
        approval = claim(approval, "", "boot-2", at=LATER)
    with pytest.raises(StateError):
        claim(approval, "", "boot-2", at=LATER)


@pytest.mark.proves("R-25")
@pytest.mark.parametrize("state", [State.RUNNING, State.UNKNOWN])
def test_only_the_caller_that_claimed_a_call_can_report_its_result(state: State) -> None:
    after = report(approval_in_state(state), "claim-1", failed=True, note="x" * 5000, at=LATER)

    assert (after.state, len(after.note), after.closed_at) == (State.FAILED, MAX_REASON_LENGTH, LATER)
    with pytest.raises(StateError, match=f"cannot be reported with this claim: it is {state}"):
        report(approval_in_state(state), "claim-2", failed=True, note="", at=LATER)


@pytest.mark.proves("R-6")
def test_a_repeated_report_changes_nothing_and_a_different_one_is_refused() -> None:
    once = report(approval_in_state(State.RUNNING), "claim-1", failed=False, note="fine", at=LATER)

    assert report(once, "claim-1", failed=False, note="other", at=LATER + DAY) == once
    with pytest.raises(StateError):
        report(once, "claim-1", failed=True, note="no", at=LATER + DAY)


def test_a_call_that_policy_stopped_stores_the_reason() -> None:
    after = refuse(approval_in_state(State.APPROVED), "the tool is blocked", at=LATER)

    assert (after.state, after.note, after.closed_at) == (State.REFUSED, "the tool is blocked", LATER)


# ---- time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("late", "state"), [(-SECOND, P), (timedelta(0), E), (SECOND, E)])
def test_a_pending_approval_expires_at_its_time(late: timedelta, state: State) -> None:
    asked = sample_approval(expires_at=NOW + DAY)

    assert end_if_due(asked, at=NOW + DAY + late, alive=True).state is state


def test_an_approval_without_an_expiry_never_expires() -> None:
    assert end_if_due(sample_approval(), at=NOW + 10_000 * DAY, alive=True) == sample_approval()


@pytest.mark.proves("T-3")
@pytest.mark.parametrize(("late", "state"), [(-SECOND, A), (timedelta(0), L), (SECOND, L)])
def test_an_approved_call_lapses_after_its_own_time(late: timedelta, state: State) -> None:
    approved = approval_in_state(State.APPROVED, usable_for=DAY)

    assert end_if_due(approved, at=NOW + DAY + late, alive=True).state is state


@pytest.mark.proves("R-9")
@pytest.mark.parametrize(
    ("before", "step", "state"),
    [
        (sample_approval(expires_at=NOW), "yes", E),
        (sample_approval(expires_at=NOW), "no", E),
        (sample_approval(expires_at=NOW), "release", E),
        (sample_approval(expires_at=NOW), "put off", E),
        (approval_in_state(State.APPROVED, usable_for=timedelta(0)), "claim", L),
        (approval_in_state(State.APPROVED, usable_for=timedelta(0)), "refuse", L),
    ],
)
def test_expiry_counts_even_before_a_sweep(before: Approval, step: str, state: State) -> None:
    with pytest.raises(StateError) as caught:
        CHANGES[step](before)

    assert caught.value.state == state


@pytest.mark.proves("R-8", "R-25")
@pytest.mark.parametrize("delivery", Delivery)
@pytest.mark.parametrize("state", State)
def test_if_its_process_is_gone_a_waiting_call_is_withdrawn_and_a_running_one_is_unknown(
    state: State, delivery: Delivery
) -> None:
    expected = state
    if state is State.RUNNING:
        expected = State.UNKNOWN
    elif delivery is Delivery.WAIT and state in (State.PENDING, State.APPROVED):
        expected = State.WITHDRAWN

    assert end_if_due(approval_in_state(state, delivery=delivery), at=LATER, alive=False).state is expected


def test_an_unknown_call_is_not_closed_because_its_result_may_still_be_reported() -> None:
    after = end_if_due(approval_in_state(State.RUNNING), at=LATER, alive=False)

    assert (after.closed_at, after.note) == (None, "the process that ran it is gone: check what it did")


@pytest.mark.parametrize("state", State)
def test_a_caller_that_waits_again_moves_the_approval_to_its_own_process(state: State) -> None:
    after = attach_to_process(approval_in_state(state), "boot-2", at=LATER)

    moved = state in (State.PENDING, State.APPROVED)
    assert after == approval_in_state(state, **({"boot": "boot-2"} if moved else {}))


def test_a_caller_that_waits_again_too_late_finds_the_approval_expired() -> None:
    after = attach_to_process(sample_approval(expires_at=NOW), "boot-2", at=LATER)

    assert (after.state, after.boot) == (State.EXPIRED, "boot-1")


@pytest.mark.parametrize("state", [State.PENDING, State.APPROVED])
def test_a_withdrawn_approval_stores_reason_and_time(state: State) -> None:
    after = withdraw(approval_in_state(state), "stop", at=LATER)

    assert (after.state, after.note, after.closed_at) == (State.WITHDRAWN, "stop", LATER)


def test_an_approved_call_has_an_end_of_use() -> None:
    moment: datetime | None = approval_in_state(State.APPROVED, usable_for=DAY).usable_until

    assert (sample_approval().usable_until, moment) == (None, NOW + DAY)


# ---- forgetting -----------------------------------------------------------------------------


@pytest.mark.proves("T-39")
@pytest.mark.parametrize("state", State)
def test_a_scrubbed_approval_keeps_its_digest_and_state_but_no_arguments(state: State) -> None:
    edited = Answer(say=Say.ALWAYS, by="ana", rules=("terminal.exec(secret)",), args={"command": "secret"})
    whole = approval_in_state(
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
def test_an_open_approval_has_no_end_time(state: State) -> None:
    assert (ended_at(approval_in_state(state)) is None) == (state in OPEN_STATES)
