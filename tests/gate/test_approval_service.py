"""Approvals are asked once, answered once by a person with the right, and claimed once under the current policy."""

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from assent.engine.base.tool import Call
from assent.engine.policy.rule import RuleList
from assent.engine.policy.snapshot import Tier
from assent.errors import ConflictError, ForbiddenError, InputError, LimitError, NotFoundError, StateError
from assent.gate.access import Kind, Principal, Role
from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from assent.gate.calls import Code, Outcome, Refuse, Run, Wait
from assent.gate.ids import digest_of_call
from assent.gate.policy import StoredGrant
from assent.gate.preset import Delivery, Lifetime, Scope
from assent.gate.question import DENIAL_LIFETIME, Limits
from assent.gate.store import ApprovalFilter
from tests.gate.samples import ADA, ANA, BEN, CHRIS, CLERK, ROBOT, VERA
from tests.gate.scene import (
    ALWAYS,
    DENY,
    FOR_CHAT,
    ONCE,
    PUBLISH,
    PUT,
    REMOVE_ROOT,
    SEND,
    GateHarness,
    ask_person,
    does_call_run,
)
from tests.waiting import wait_for_waiting_callers

MINUTE = timedelta(minutes=1)


# ---- who answers ----------------------------------------------------------------------------


@pytest.mark.proves("T-38", "R004-38")
async def test_a_person_without_a_role_cannot_find_answer_or_postpone_an_approval(
    harness: GateHarness,
) -> None:
    question = await ask_person(await harness.turn(), PUT)

    for attempt in (
        harness.answer(question, ONCE, BEN),
        harness.gate.postpone(BEN, question.id),
        harness.gate.approval(BEN, question.id),
    ):
        with pytest.raises(NotFoundError, match=f"there is no approval `{question.id}`"):
            await attempt
    assert (await harness.gate.pending_approvals(BEN)).approvals == ()
    assert (await harness.store.approval(question.id)).state is State.PENDING


@pytest.mark.proves("T-5")
@pytest.mark.parametrize(
    "agent",
    [
        CLERK,
        replace(CLERK, administrator=True),
        replace(CLERK, roles={"conversation:c1": Role.OWNER, "agent:clerk": Role.OWNER}),
        Principal(id="ana", kind=Kind.AGENT, on_behalf="ana", administrator=True),
        Principal(id="cook", kind=Kind.AGENT, on_behalf="ana", roles={"conversation:c1": Role.APPROVER}),
        ROBOT,
        replace(ROBOT, roles={"conversation:c1": Role.APPROVER}),
    ],
)
@pytest.mark.parametrize("answer", [ONCE, ALWAYS, FOR_CHAT, DENY])
async def test_agents_and_services_can_never_answer(
    memory_harness: GateHarness, agent: Principal, answer: Answer
) -> None:
    question = await ask_person(await memory_harness.turn(), PUT)

    with pytest.raises((ForbiddenError, NotFoundError)):
        await memory_harness.answer(question, answer, agent)
    with pytest.raises((ForbiddenError, NotFoundError)):
        await memory_harness.gate.postpone(agent, question.id)
    assert (await memory_harness.store.approval(question.id)).state is State.PENDING


async def test_a_viewer_sees_an_approval_and_only_an_approver_can_answer(harness: GateHarness) -> None:
    question = await ask_person(await harness.turn(), PUT)

    assert (await harness.gate.approval(VERA, question.id)).id == question.id
    with pytest.raises(ForbiddenError, match="requires the role `approver`"):
        await harness.answer(question, ONCE, VERA)
    assert (await harness.answer(question, ONCE, CHRIS)).answer == replace(ONCE, by="chris")


async def test_an_agent_with_the_same_name_of_another_user_sees_nothing(harness: GateHarness) -> None:
    question = await ask_person(await harness.turn(), PUT)

    assert (await harness.gate.approval(CLERK, question.id)).id == question.id
    with pytest.raises(NotFoundError):
        await harness.gate.approval(replace(CLERK, on_behalf="ben"), question.id)


@pytest.mark.proves("T-9")
@pytest.mark.parametrize("scope", [Scope.AGENT, Scope.EVERYONE])
async def test_an_approval_for_other_people_requires_an_administrator(
    harness: GateHarness, scope: Scope
) -> None:
    question = await ask_person(await harness.turn(), PUBLISH)

    with pytest.raises(ForbiddenError, match="requires an administrator"):
        await harness.answer(question, replace(ALWAYS, scope=scope), ANA)
    await harness.answer(question, replace(ALWAYS, scope=scope), ADA)
    assert len(await harness.store.rules()) == 1


@pytest.mark.proves("T-9")
@pytest.mark.parametrize("scope", [None, Scope.USER, Scope.USER_AGENT])
async def test_an_approver_can_approve_for_the_conversation_but_not_beyond(
    harness: GateHarness, scope: Scope | None
) -> None:
    question = await ask_person(await harness.turn(), PUBLISH)

    with pytest.raises(ForbiddenError, match="only the owner"):
        await harness.answer(question, replace(ALWAYS, scope=scope), CHRIS)
    assert await harness.store.rules() == ()
    await harness.answer(question, FOR_CHAT, CHRIS)
    (grant,) = await harness.store.grants()
    assert (grant.conversation, grant.by) == ("c1", "chris")


@pytest.mark.proves("T-9")
@pytest.mark.parametrize("preset", ["workbench", "tiers", "fleet"])
async def test_an_approver_cannot_approve_beyond_the_conversation_under_a_fixed_scope(
    harness: GateHarness, preset: str
) -> None:
    await harness.gate.policy.set_tiers(ADA, "clerk", {"sh": Tier.NEEDS_APPROVAL})
    question = await ask_person(await harness.turn(preset), PUBLISH)

    with pytest.raises(ForbiddenError, match="only the owner"):
        await harness.answer(question, ALWAYS, CHRIS)
    assert (await harness.store.rules(), await harness.store.grants()) == ((), ())
    assert (await harness.answer(question, ALWAYS)).state is State.APPROVED


async def test_under_fleet_administrators_approve_for_the_agent_and_owners_for_their_own_agent(
    harness: GateHarness,
) -> None:
    ours, bens = await harness.turn("fleet"), await harness.turn("fleet", conversation="c9", principal=BEN)
    question = await ask_person(ours, PUBLISH)
    answered = await harness.answer(question, ALWAYS)
    assert isinstance(await ours.resume(question.id), Run)
    by_owner = await does_call_run(bens, PUBLISH)
    send = await ask_person(ours, SEND)
    await harness.answer(send, ALWAYS, ADA)
    assert isinstance(await ours.resume(send.id), Run)

    assert answered.answer == replace(ALWAYS, by="ana", scope=Scope.USER_AGENT)
    assert (by_owner, await does_call_run(bens, SEND)) == (False, True)


async def test_the_author_of_an_answer_is_the_principal_whatever_the_answer_contains(
    harness: GateHarness,
) -> None:
    question = await ask_person(await harness.turn(), PUT)

    answered = await harness.answer(question, Answer(say=Say.ONCE, by="ada", released_by="q0"), ANA)

    assert answered.answer == Answer(say=Say.ONCE, by="ana")


# ---- what is answered -----------------------------------------------------------------------


@pytest.mark.proves("T-3", "T-4")
async def test_an_answer_to_another_digest_is_refused(harness: GateHarness) -> None:
    turn = await harness.turn()
    question, other = await ask_person(turn, PUT), await ask_person(turn, SEND)

    for digest in (other.digest, "", question.digest.upper(), question.digest[:-1]):
        with pytest.raises(ConflictError, match="a different call than the one shown"):
            await harness.answer(question, ONCE, digest=digest)
    assert (await harness.store.approval(question.id)).state is State.PENDING


@pytest.mark.proves("T-4", "R000-23")
async def test_an_answer_to_an_unknown_approval_has_no_effect(harness: GateHarness) -> None:
    for id in ("", "0" * 32, "q1", "../c1", "x" * 300):
        with pytest.raises(NotFoundError):
            await harness.gate.answer(ANA, id, "", ONCE)


@pytest.mark.proves("R-5", "R000-32")
async def test_of_two_answers_the_first_wins_and_the_second_gets_the_name_of_its_author(
    harness: GateHarness,
) -> None:
    question = await ask_person(await harness.turn(), PUT)

    outcomes = await asyncio.gather(
        *(
            harness.answer(question, answer, who)
            for answer, who in ((ONCE, ANA), (DENY, CHRIS), (ONCE, ADA), (DENY, ADA))
        ),
        return_exceptions=True,
    )

    winner = await harness.store.approval(question.id)
    assert winner.answer is not None
    lost = [one for one in outcomes if isinstance(one, StateError)]
    assert len(lost) == 3
    assert {one.by for one in lost} == {winner.answer.by}


@pytest.mark.proves("R-6", "R004-39")
async def test_a_repeated_answer_writes_one_rule_and_one_audit_row(harness: GateHarness) -> None:
    question = await ask_person(await harness.turn(), PUBLISH)

    given = [await harness.answer(question, ALWAYS) for _ in range(3)]

    assert given[0] == given[1] == given[2]
    assert len(await harness.store.rules()) == 1
    assert [one["decision"] for one in await harness.entries()] == ["", "approved"]


async def test_a_revoked_rule_is_not_revived_by_the_same_answer_again(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUBLISH)
    await harness.answer(question, ALWAYS)
    (rule,) = await harness.store.rules()
    await harness.gate.policy.revoke(ANA, rule.id)

    await harness.answer(question, ALWAYS)

    assert await harness.store.rules() == ()


@pytest.mark.proves("R004-33")
async def test_a_reason_that_is_too_long_leaves_the_question_open(harness: GateHarness) -> None:
    question = await ask_person(await harness.turn(), PUT)

    with pytest.raises(InputError, match="longer than 2000"):
        await harness.answer(question, replace(DENY, reason="x" * 2001))
    assert (await harness.store.approval(question.id)).state is State.PENDING
    await harness.answer(question, replace(DENY, reason="x" * 2000))


@pytest.mark.proves("T-4")
async def test_a_later_answer_does_not_change_an_earlier_one(harness: GateHarness) -> None:
    turn = await harness.turn()
    denied = await ask_person(turn, PUT)
    await harness.answer(denied, DENY)

    for answer in (ONCE, ALWAYS, FOR_CHAT, replace(DENY, reason="changed my mind")):
        with pytest.raises(StateError, match="it is denied by ana"):
            await harness.answer(denied, answer)
    outcome = await turn.resume(denied.id)
    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.DENIED


async def test_a_postponed_approval_stays_pending_and_can_be_filtered_out(harness: GateHarness) -> None:
    turn = await harness.turn()
    question, other = await ask_person(turn, PUT), await ask_person(turn, SEND)

    put_off = await harness.gate.postpone(ANA, question.id)

    assert (put_off.state, put_off.later_at) == (State.PENDING, harness.clock.now)
    waiting = await harness.gate.pending_approvals(ANA, ApprovalFilter(postponed=False))
    assert [one.id for one in waiting.approvals] == [other.id]
    await harness.answer(question, ONCE)
    assert isinstance(await turn.resume(question.id), Run)


@pytest.mark.parametrize("args", [{"x": float("nan")}, {"x": "\ud800"}, {"x": object()}])
async def test_edited_arguments_that_cannot_be_stored_are_refused(
    harness: GateHarness, args: dict[str, object]
) -> None:
    question = await ask_person(await harness.turn(), PUT)

    with pytest.raises(InputError):
        await harness.answer(question, replace(ONCE, args=args))
    assert (await harness.store.approval(question.id)).state is State.PENDING


async def test_an_approval_until_a_time_in_the_past_is_refused(harness: GateHarness) -> None:
    question = await ask_person(await harness.turn(), PUBLISH)
    late = replace(ALWAYS, lifetime=Lifetime.UNTIL, until=harness.clock.now)

    with pytest.raises(InputError, match="in the past"):
        await harness.answer(question, late)
    assert (await harness.store.approval(question.id)).state is State.PENDING
    assert await harness.store.grants() == ()


# ---- taking ---------------------------------------------------------------------------------


@pytest.mark.proves("R000-32", "T-3", "R-6")
async def test_of_fifty_concurrent_claims_one_succeeds(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUT)
    await harness.answer(question, ONCE)

    outcomes = await asyncio.gather(*(turn.resume(question.id) for _ in range(50)))

    kinds = Counter(type(one) for one in outcomes)
    assert kinds == {Run: 1, Refuse: 49}
    assert {one.code for one in outcomes if isinstance(one, Refuse)} == {Code.ALREADY_RUN}


async def test_what_an_approved_call_makes_outside_is_noted_when_it_is_claimed(harness: GateHarness) -> None:
    turn = await harness.turn()
    line = "mkdir /tmp/new && ./tool /tmp/other > /tmp/new/out.txt 2> .git/log"
    question = await ask_person(turn, Call(tool="sh", args={"command": line}, id="make-files"))

    assert harness.workspace.made == []
    await harness.answer(question, ONCE)
    await turn.resume(question.id)
    assert harness.workspace.made == ["/tmp/new", "/tmp/new/out.txt"]


async def test_a_denied_call_makes_nothing(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(
        turn, Call(tool="sh", args={"command": "./tool > /tmp/out.txt"}, id="make-file")
    )
    await harness.answer(question, Answer(say=Say.DENY))
    await turn.resume(question.id)

    assert harness.workspace.made == []


@pytest.mark.proves("T-4")
async def test_a_call_cannot_be_claimed_before_it_is_approved(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUT)

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Wait)
    assert outcome.approval.state is State.PENDING


@pytest.mark.proves("R-8", "R000-45")
@pytest.mark.supports("R002-28")
@pytest.mark.parametrize("answer", [ONCE, ALWAYS, FOR_CHAT])
async def test_an_answer_to_a_withdrawn_approval_grants_and_runs_nothing(
    harness: GateHarness, answer: Answer
) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUBLISH)
    await turn.end()

    with pytest.raises(StateError, match="it is withdrawn"):
        await harness.answer(question, answer)
    assert await harness.store.grants() == await harness.store.rules() == ()
    outcome = await turn.resume(question.id)
    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.WITHDRAWN


@pytest.mark.proves("T-14")
@pytest.mark.parametrize("change", ["block", "deny rule"])
async def test_a_call_that_was_forbidden_after_the_answer_does_not_run(
    harness: GateHarness, change: str
) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUT)
    await harness.answer(question, ONCE)
    if change == "block":
        await harness.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.BLOCKED})
    else:
        await harness.add_rule(RuleList.DENY, "note.put(key=a)")

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Refuse)
    assert outcome.code is (Code.UNKNOWN_TOOL if change == "block" else Code.DENIED)
    assert (await harness.store.approval(question.id)).state is State.REFUSED
    assert isinstance(await turn.resume(question.id), Refuse)


@pytest.mark.proves("T-14")
async def test_a_block_between_the_second_decision_and_the_claim_is_respected(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUT)
    await harness.answer(question, ONCE)
    locate = harness.workspace.locate
    blocked: list[str] = []

    async def block_while_locating(*given: object) -> object:
        """The policy was read before this call of `locate`, so it is outdated from here on."""
        if not blocked:
            blocked.append("now")
            await harness.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.BLOCKED})
        return await locate(*given)  # type: ignore[arg-type]

    harness.workspace.locate = block_while_locating  # type: ignore[method-assign,assignment]

    outcome = await turn.resume(question.id)

    assert blocked
    assert isinstance(outcome, Refuse)
    assert (await harness.store.approval(question.id)).state is State.REFUSED


async def test_a_claim_fails_if_policy_keeps_changing(memory_harness: GateHarness) -> None:
    turn = await memory_harness.turn()
    question = await ask_person(turn, PUT)
    await memory_harness.answer(question, ONCE)
    locate = memory_harness.workspace.locate

    async def change_while_locating(*given: object) -> object:
        await memory_harness.gate.policy.set_tiers(ADA, "cook", {"note.put": Tier.BLOCKED})
        return await locate(*given)  # type: ignore[arg-type]

    memory_harness.workspace.locate = change_while_locating  # type: ignore[method-assign,assignment]

    with pytest.raises(ConflictError, match="policy kept changing"):
        await turn.resume(question.id)
    assert (await memory_harness.store.approval(question.id)).state is State.APPROVED


@pytest.mark.proves("T-3")
async def test_a_call_does_not_run_in_another_directory_than_was_shown(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUBLISH)
    await harness.answer(question, ONCE)
    harness.workspace.cwd = "/project/elsewhere"

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Refuse)
    assert "no longer the one that was approved" in outcome.message
    assert (await harness.store.approval(question.id)).state is State.REFUSED


@pytest.mark.proves("T-3", "T-4")
async def test_an_approval_whose_call_was_changed_is_not_claimed(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUBLISH)
    approved = await harness.answer(question, ONCE)
    other = replace(approved.call, args={"command": "rm -rf build"})
    forged = replace(approved, call=other, call_digest=digest_of_call(other, approved.cwd, approved.tool))
    assert approved.answer is not None
    edited = replace(approved, answer=replace(approved.answer, args={"command": "rm -rf build"}))

    for one in (forged, edited):
        with pytest.raises(ConflictError, match="a different call"):
            await turn.wait(one)
    pending = replace(forged, state=State.PENDING, answer=None)
    outcome = await turn.wait(pending)
    assert isinstance(outcome, Run)
    assert outcome.call.args == PUBLISH.args


async def test_mode_and_grants_are_not_checked_again_before_the_claim(harness: GateHarness) -> None:
    question = await ask_person(await harness.turn(), PUT)
    await harness.answer(question, ONCE)

    outcome = await (await harness.turn(mode="plan")).resume(question.id)

    assert isinstance(outcome, Run)


# ---- arguments that a person edits ----------------------------------------------------------


async def test_a_call_runs_with_the_edited_arguments(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUBLISH)
    await harness.answer(question, replace(ONCE, args={"command": "make -n publish"}))

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Run)
    assert outcome.call.args == {"command": "make -n publish"}


@pytest.mark.proves("T-14")
async def test_edited_arguments_are_decided_like_any_call(harness: GateHarness) -> None:
    await harness.add_rule(RuleList.DENY, "sh(rm *)")
    turn = await harness.turn()
    question = await ask_person(turn, PUBLISH)
    await harness.answer(question, replace(ONCE, args={"command": "rm -rf build"}))

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.DENIED


async def test_plan_mode_denies_edited_arguments(harness: GateHarness) -> None:
    turn = await harness.turn(mode="plan")
    outside = replace(PUBLISH, args={"command": "cat /etc/shadow"})
    question = await ask_person(turn, outside)
    await harness.answer(question, replace(ONCE, args={"command": "make publish"}))

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Refuse)
    assert "plan mode only reads" in outcome.message


async def test_an_approval_of_edited_arguments_never_lasts(harness: GateHarness) -> None:
    question = await ask_person(await harness.turn(), PUBLISH)

    with pytest.raises(InputError, match="for this call only"):
        await harness.answer(question, replace(ALWAYS, args={"command": "make -n publish"}))
    assert await harness.store.rules() == ()
    assert (await harness.store.approval(question.id)).state is State.PENDING


# ---- releasing ------------------------------------------------------------------------------


async def test_a_lasting_approval_releases_only_the_pending_calls_it_covers(harness: GateHarness) -> None:
    turn, elsewhere = await harness.turn(), await harness.turn(agent="cook")
    first = await ask_person(turn, PUBLISH)
    same = await ask_person(turn, replace(PUBLISH, id="again"))
    other = await ask_person(turn, replace(PUBLISH, id="other", args={"command": "make clean"}))
    cooks = await ask_person(elsewhere, PUBLISH)

    await harness.answer(first, ALWAYS)

    states = [(await harness.store.approval(one.id)).state for one in (same, other, cooks)]
    assert states == [State.APPROVED, State.PENDING, State.PENDING]
    released = await harness.store.approval(same.id)
    assert released.answer == Answer(say=Say.ONCE, by="ana", released_by=first.id)
    assert isinstance(await turn.resume(same.id), Run)
    assert [one["decision"] for one in await harness.entries()][-3:] == ["approved", "released", "claimed"]


async def test_a_denial_does_not_affect_other_approvals(harness: GateHarness) -> None:
    turn = await harness.turn()
    first, same = await ask_person(turn, PUBLISH), await ask_person(turn, replace(PUBLISH, id="again"))

    await harness.answer(first, replace(DENY, rules=("sh",)))

    assert (await harness.store.approval(same.id)).state is State.PENDING


async def test_a_grant_with_counted_uses_releases_no_other_approval(harness: GateHarness) -> None:
    turn = await harness.turn()
    questions = [await ask_person(turn, replace(PUBLISH, id=f"call-{number}")) for number in range(4)]

    await harness.answer(questions[0], replace(ALWAYS, lifetime=Lifetime.USES, uses=1))

    states = [(await harness.store.approval(one.id)).state for one in questions[1:]]
    assert states == [State.PENDING] * 3


async def test_a_locked_approval_is_not_released(harness: GateHarness) -> None:
    turn = await harness.turn()
    question, locked = await ask_person(turn, PUBLISH), await ask_person(turn, REMOVE_ROOT)

    await harness.answer(question, replace(ALWAYS, rules=("sh",)))

    assert (await harness.store.approval(locked.id)).state is State.PENDING


@pytest.mark.proves("T-14")
async def test_a_released_call_is_asked_again_if_an_ask_rule_was_added_since(harness: GateHarness) -> None:
    turn = await harness.turn()
    first, same = await ask_person(turn, PUBLISH), await ask_person(turn, replace(PUBLISH, id="again"))
    await harness.add_rule(RuleList.ASK, "sh(make *)")
    await harness.answer(first, ALWAYS)

    assert isinstance(await turn.resume(first.id), Run)
    outcome = await turn.resume(same.id)

    assert isinstance(outcome, Refuse)
    assert "ask rule" in outcome.message


async def test_a_proposal_is_neither_approved_by_an_answer_nor_released(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUBLISH)
    proposed = replace(question, id="p" * 32, delivery=Delivery.PROPOSE)
    await harness.store.add_approval(proposed.id, lambda moment: proposed, Limits())

    await harness.answer(question, ALWAYS)
    assert (await harness.store.approval(proposed.id)).state is State.PENDING
    with pytest.raises(ConflictError, match="apply it, or deny it"):
        await harness.answer(proposed, ONCE)
    assert (await harness.answer(proposed, DENY)).state is State.DENIED


# ---- time -----------------------------------------------------------------------------------


@pytest.mark.proves("R-9", "T-43", "R003-63")
@pytest.mark.supports("R001-16")
async def test_expiry_follows_the_stores_clock_even_before_a_sweep(harness: GateHarness) -> None:
    turn = await harness.turn("workbench")
    question = await ask_person(turn, PUT)
    assert question.expires_at == harness.clock.now + timedelta(seconds=300)

    harness.clock.advance(timedelta(seconds=299))
    assert isinstance(await turn.resume(question.id), Wait)
    harness.clock.advance(timedelta(seconds=1))

    with pytest.raises(StateError, match="it is expired"):
        await harness.answer(question, ONCE)
    outcome = await turn.resume(question.id)
    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.EXPIRED
    assert [one["decision"] for one in await harness.entries()] == ["", "expired"]


@pytest.mark.proves("T-43", "R-9")
async def test_a_clock_that_is_set_back_revives_nothing(harness: GateHarness) -> None:
    turn = await harness.turn("workbench")
    question = await ask_person(turn, PUT)
    harness.clock.advance(timedelta(seconds=301))
    assert isinstance(await turn.resume(question.id), Refuse)

    harness.clock.advance(timedelta(days=-1))

    with pytest.raises(StateError):
        await harness.answer(question, ONCE)


@pytest.mark.proves("T-3")
async def test_an_approved_call_that_is_not_claimed_in_time_lapses(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUT)
    await harness.answer(question, ONCE)
    harness.clock.advance(15 * MINUTE)

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.LAPSED
    assert (await harness.store.approval(question.id)).state is State.LAPSED


@pytest.mark.proves("R003-63")
async def test_a_caller_whose_approval_expires_is_refused(memory_harness: GateHarness) -> None:
    turn = await memory_harness.turn("workbench")
    question = await ask_person(turn, PUT)
    memory_harness.clock.advance(timedelta(seconds=299.99))
    waiting = asyncio.create_task(turn.wait(question))
    await wait_for_waiting_callers(memory_harness.store)
    memory_harness.clock.advance(timedelta(seconds=0.01))

    outcome = await waiting

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.EXPIRED


@pytest.mark.proves("R004-50")
@pytest.mark.supports("R000-46")
@pytest.mark.parametrize("preset", ["chat", "fleet", "tiers"])
async def test_an_approval_never_expires_if_the_preset_sets_no_expiry(
    memory_harness: GateHarness, preset: str
) -> None:
    await memory_harness.gate.policy.set_tiers(ADA, "clerk", {"sh": Tier.NEEDS_APPROVAL})
    turn = await memory_harness.turn(preset)
    question = await ask_person(turn, PUBLISH)

    memory_harness.clock.advance(timedelta(days=3650))

    assert isinstance(await turn.resume(question.id), Wait)
    await memory_harness.answer(question, ONCE)
    assert isinstance(await turn.resume(question.id), Run)


# ---- caps -----------------------------------------------------------------------------------


@pytest.mark.proves("T-41")
async def test_sub_agents_share_the_limit_of_their_root_agent(harness: GateHarness) -> None:
    limited = GateHarness(harness.store, harness.clock, limits=Limits(pending=3))
    clerk = await limited.turn()
    helper = await limited.turn(agent="helper", parent=clerk)
    scout = await limited.turn(agent="scout", parent=helper)
    for number, turn in enumerate((clerk, helper, scout)):
        await ask_person(turn, replace(PUT, id=f"call-{number}"))

    outcomes = [await turn.submit(replace(PUT, id="one-more")) for turn in (clerk, helper, scout)]

    assert (
        outcomes
        == [
            Refuse(
                code=Code.LIMIT,
                message="agent `clerk`, with its sub-agents, already has 3 open questions",
            )
        ]
        * 3
    )
    await ask_person(await limited.turn(agent="helper", conversation="c2"), replace(PUT, id="one-more"))


@pytest.mark.proves("T-41")
async def test_an_agent_over_its_limit_is_refused_and_others_are_not_affected(
    memory_harness: GateHarness,
) -> None:
    harness = GateHarness(memory_harness.store, memory_harness.clock, limits=Limits(pending=3))
    clerk, cook = await harness.turn(), await harness.turn(agent="cook")
    for number in range(3):
        await ask_person(clerk, replace(PUT, id=f"call-{number}"))

    outcome = await clerk.submit(replace(PUT, id="one-more"))

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.LIMIT
    await ask_person(cook, PUT)


async def test_a_call_that_was_denied_three_times_in_a_turn_is_refused_without_asking(
    harness: GateHarness,
) -> None:
    turn = await harness.turn()
    for number in range(3):
        question = await ask_person(turn, replace(PUT, id=f"call-{number}"))
        await harness.answer(question, DENY)

    outcome = await turn.submit(replace(PUT, id="call-3"))

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.LIMIT
    await ask_person(turn, replace(PUT, id="call-4", args={"key": "b"}))
    await ask_person(await harness.turn(), replace(PUT, id="call-5"))


@pytest.mark.proves("T-41")
async def test_an_agent_cannot_avoid_the_denial_limit_with_a_new_turn(harness: GateHarness) -> None:
    for number in range(3):
        question = await ask_person(await harness.turn(principal=CLERK), replace(PUT, id=f"call-{number}"))
        await harness.answer(question, DENY)

    outcome = await (await harness.turn(principal=CLERK)).submit(replace(PUT, id="call-3"))

    assert outcome == Refuse(
        code=Code.LIMIT,
        message="this call was denied 3 times recently;"
        " do not try another way, ask the person what to do instead",
    )
    await ask_person(await harness.turn(principal=CLERK, conversation="c2"), replace(PUT, id="call-4"))
    await ask_person(await harness.turn(), replace(PUT, id="call-5"))


@pytest.mark.proves("T-41")
async def test_an_agent_cannot_avoid_the_denial_limit_with_new_conversations_and_arguments(
    harness: GateHarness,
) -> None:
    async def try_call(number: int, principal: Principal = CLERK) -> Outcome:
        turn = await harness.turn(principal=principal, conversation=f"c{number}")
        return await turn.submit(replace(PUT, id=f"call-{number}", args={"key": "a" + " " * number}))

    outcomes: list[Outcome] = []
    while isinstance(outcome := await try_call(len(outcomes)), Wait):
        await harness.answer(outcome.approval, DENY)
        outcomes.append(outcome)

    assert len(outcomes) == 20
    assert outcome == Refuse(
        code=Code.LIMIT,
        message="calls of this tool were denied 20 times recently;"
        " do not try another way, ask the person what to do instead",
    )
    assert isinstance(await try_call(21, ANA), Wait)
    harness.clock.advance(DENIAL_LIFETIME)
    assert isinstance(await try_call(22), Wait)


@pytest.mark.proves("T-41")
async def test_an_agent_may_ask_again_after_an_hour(harness: GateHarness) -> None:
    for number in range(3):
        question = await ask_person(await harness.turn(principal=CLERK), replace(PUT, id=f"call-{number}"))
        await harness.answer(question, DENY)

    harness.clock.advance(DENIAL_LIFETIME)

    await ask_person(await harness.turn(principal=CLERK), replace(PUT, id="call-3"))


@pytest.mark.proves("R-6")
async def test_another_call_with_a_used_id_is_a_conflict(harness: GateHarness) -> None:
    turn = await harness.turn()
    await ask_person(turn, PUT)

    with pytest.raises(ConflictError):
        await turn.submit(replace(PUT, args={"key": "b"}))


# ---- counted grants -------------------------------------------------------------------------


async def test_a_grant_for_three_uses_allows_exactly_three_of_fifty_calls(harness: GateHarness) -> None:
    await harness.store.add_policy(
        [StoredGrant(id="g1", pattern="note.put", lifetime=Lifetime.USES, uses=3, by="ana", agent="clerk")]
    )
    turn = await harness.turn()

    outcomes = await asyncio.gather(*(turn.submit(replace(PUT, id=f"call-{one}")) for one in range(50)))

    assert Counter(type(one) for one in outcomes) == {Run: 3, Wait: 47}


async def test_a_counted_grant_is_not_used_if_another_grant_covers_the_call(harness: GateHarness) -> None:
    grants = [
        StoredGrant(id="counted", pattern="note.put", lifetime=Lifetime.USES, uses=1, by="ana"),
        StoredGrant(id="standing", pattern="note.put", lifetime=Lifetime.FOREVER, by="ana"),
    ]
    await harness.store.add_policy(grants)
    turn = await harness.turn()

    assert [await does_call_run(turn, PUT) for _ in range(3)] == [True] * 3
    assert [one.uses for one in await harness.store.grants()] == [1, None]


async def test_a_grant_with_an_end_time_is_valid_until_then(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUBLISH)
    until = harness.clock.now + MINUTE
    await harness.answer(question, replace(ALWAYS, lifetime=Lifetime.UNTIL, until=until))

    before = await does_call_run(turn, PUBLISH)
    harness.clock.advance(MINUTE)

    assert (before, await does_call_run(turn, PUBLISH)) == (True, False)


async def test_the_store_raises_a_limit_error_over_a_limit(memory_harness: GateHarness) -> None:
    question = await ask_person(await memory_harness.turn(), PUT)

    with pytest.raises(LimitError):
        await memory_harness.store.add_approval(
            "q2", lambda moment: replace(question, id="q2"), Limits(pending=0)
        )
