"""Questions: asked once, answered once by somebody who may, taken once on what is true then."""

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from assent.engine.policy.rule import RuleList
from assent.engine.policy.tiers import Tier
from assent.errors import ConflictError, ForbiddenError, InputError, LimitError, NotFoundError, StateError
from assent.gate.access import Kind, Principal, Role
from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from assent.gate.approval_service import DENIAL_LIFETIME
from assent.gate.calls import Code, Outcome, Refuse, Run, Wait
from assent.gate.ids import digest_of_call
from assent.gate.policy import StoredGrant
from assent.gate.ports import Limits
from assent.gate.preset import Delivery, Lifetime, Scope
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
    Scene,
    ask_person,
    would_run,
)
from tests.waiting import wait_for_waiting_callers

MINUTE = timedelta(minutes=1)


# ---- who answers ----------------------------------------------------------------------------


@pytest.mark.proves("T-38", "R004-38")
async def test_a_stranger_finds_no_question_to_answer_or_put_off(scene: Scene) -> None:
    question = await ask_person(await scene.turn(), PUT)

    for attempt in (
        scene.answer(question, ONCE, BEN),
        scene.gate.postpone(BEN, question.id),
        scene.gate.approval(BEN, question.id),
    ):
        with pytest.raises(NotFoundError, match=f"there is no approval `{question.id}`"):
            await attempt
    assert (await scene.gate.pending(BEN)).approvals == ()
    assert (await scene.store.approval(question.id)).state is State.PENDING


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
async def test_no_agent_and_no_service_answers_whatever_it_owns(
    in_memory: Scene, agent: Principal, answer: Answer
) -> None:
    question = await ask_person(await in_memory.turn(), PUT)

    with pytest.raises((ForbiddenError, NotFoundError)):
        await in_memory.answer(question, answer, agent)
    with pytest.raises((ForbiddenError, NotFoundError)):
        await in_memory.gate.postpone(agent, question.id)
    assert (await in_memory.store.approval(question.id)).state is State.PENDING


async def test_a_viewer_sees_and_cannot_answer_an_approver_can(scene: Scene) -> None:
    question = await ask_person(await scene.turn(), PUT)

    assert (await scene.gate.approval(VERA, question.id)).id == question.id
    with pytest.raises(ForbiddenError, match="requires the role `approver`"):
        await scene.answer(question, ONCE, VERA)
    assert (await scene.answer(question, ONCE, CHRIS)).answer == replace(ONCE, by="chris")


async def test_an_agent_of_the_same_name_that_works_for_somebody_else_sees_nothing(scene: Scene) -> None:
    question = await ask_person(await scene.turn(), PUT)

    assert (await scene.gate.approval(CLERK, question.id)).id == question.id
    with pytest.raises(NotFoundError):
        await scene.gate.approval(replace(CLERK, on_behalf="ben"), question.id)


@pytest.mark.proves("T-9")
@pytest.mark.parametrize("scope", [Scope.AGENT, Scope.EVERYONE])
async def test_a_yes_for_other_people_needs_an_administrator(scene: Scene, scope: Scope) -> None:
    question = await ask_person(await scene.turn(), PUBLISH)

    with pytest.raises(ForbiddenError, match="requires an administrator"):
        await scene.answer(question, replace(ALWAYS, scope=scope), ANA)
    await scene.answer(question, replace(ALWAYS, scope=scope), ADA)
    assert len(await scene.store.rules()) == 1


@pytest.mark.proves("T-9")
@pytest.mark.parametrize("scope", [None, Scope.USER, Scope.USER_AGENT])
async def test_an_approver_says_yes_for_the_conversation_and_no_further(
    scene: Scene, scope: Scope | None
) -> None:
    question = await ask_person(await scene.turn(), PUBLISH)

    with pytest.raises(ForbiddenError, match="only the owner"):
        await scene.answer(question, replace(ALWAYS, scope=scope), CHRIS)
    assert await scene.store.rules() == ()
    await scene.answer(question, FOR_CHAT, CHRIS)
    (grant,) = await scene.store.grants()
    assert (grant.conversation, grant.by) == ("c1", "chris")


@pytest.mark.proves("T-9")
@pytest.mark.parametrize("preset", ["workbench", "tiers", "fleet"])
async def test_an_approver_says_yes_no_further_either_where_the_preset_says_how_far(
    scene: Scene, preset: str
) -> None:
    await scene.gate.policy.set_tiers(ADA, "clerk", {"sh": Tier.NEEDS_APPROVAL})
    question = await ask_person(await scene.turn(preset), PUBLISH)

    with pytest.raises(ForbiddenError, match="only the owner"):
        await scene.answer(question, ALWAYS, CHRIS)
    assert (await scene.store.rules(), await scene.store.grants()) == ((), ())
    assert (await scene.answer(question, ALWAYS)).state is State.APPROVED


async def test_in_the_fleet_an_administrators_yes_is_for_the_agent_and_an_owners_for_their_own(
    scene: Scene,
) -> None:
    ours, bens = await scene.turn("fleet"), await scene.turn("fleet", conversation="c9", principal=BEN)
    question = await ask_person(ours, PUBLISH)
    answered = await scene.answer(question, ALWAYS)
    assert isinstance(await ours.resume(question.id), Run)
    by_owner = await would_run(bens, PUBLISH)
    send = await ask_person(ours, SEND)
    await scene.answer(send, ALWAYS, ADA)
    assert isinstance(await ours.resume(send.id), Run)

    assert answered.answer == replace(ALWAYS, by="ana", scope=Scope.USER_AGENT)
    assert (by_owner, await would_run(bens, SEND)) == (False, True)


async def test_who_answered_is_who_answered_whatever_the_answer_says(scene: Scene) -> None:
    question = await ask_person(await scene.turn(), PUT)

    answered = await scene.answer(question, Answer(say=Say.ONCE, by="ada", released_by="q0"), ANA)

    assert answered.answer == Answer(say=Say.ONCE, by="ana")


# ---- what is answered -----------------------------------------------------------------------


@pytest.mark.proves("T-3", "T-4")
async def test_an_answer_to_another_digest_is_refused(scene: Scene) -> None:
    turn = await scene.turn()
    question, other = await ask_person(turn, PUT), await ask_person(turn, SEND)

    for digest in (other.digest, "", question.digest.upper(), question.digest[:-1]):
        with pytest.raises(ConflictError, match="a different call than the one shown"):
            await scene.answer(question, ONCE, digest=digest)
    assert (await scene.store.approval(question.id)).state is State.PENDING


@pytest.mark.proves("T-4", "R000-23")
async def test_an_answer_to_a_question_nobody_asked_has_no_effect(scene: Scene) -> None:
    for id in ("", "0" * 32, "q1", "../c1", "x" * 300):
        with pytest.raises(NotFoundError):
            await scene.gate.answer(ANA, id, "", ONCE)


@pytest.mark.proves("R-5", "R000-32")
async def test_of_two_people_who_answer_one_wins_and_the_other_learns_who(scene: Scene) -> None:
    question = await ask_person(await scene.turn(), PUT)

    outcomes = await asyncio.gather(
        *(
            scene.answer(question, answer, who)
            for answer, who in ((ONCE, ANA), (DENY, CHRIS), (ONCE, ADA), (DENY, ADA))
        ),
        return_exceptions=True,
    )

    winner = await scene.store.approval(question.id)
    assert winner.answer is not None
    lost = [one for one in outcomes if isinstance(one, StateError)]
    assert len(lost) == 3
    assert {one.by for one in lost} == {winner.answer.by}


@pytest.mark.proves("R-6", "R004-39")
async def test_the_same_answer_again_is_one_answer_one_rule_and_one_row(scene: Scene) -> None:
    question = await ask_person(await scene.turn(), PUBLISH)

    given = [await scene.answer(question, ALWAYS) for _ in range(3)]

    assert given[0] == given[1] == given[2]
    assert len(await scene.store.rules()) == 1
    assert [one["decision"] for one in await scene.entries()] == ["", "approved"]


async def test_a_revoked_rule_is_not_revived_by_the_same_answer_again(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, PUBLISH)
    await scene.answer(question, ALWAYS)
    (rule,) = await scene.store.rules()
    await scene.gate.policy.revoke(ANA, rule.id)

    await scene.answer(question, ALWAYS)

    assert await scene.store.rules() == ()


@pytest.mark.proves("R004-33")
async def test_a_reason_that_is_too_long_leaves_the_question_open(scene: Scene) -> None:
    question = await ask_person(await scene.turn(), PUT)

    with pytest.raises(InputError, match="longer than 2000"):
        await scene.answer(question, replace(DENY, reason="x" * 2001))
    assert (await scene.store.approval(question.id)).state is State.PENDING
    await scene.answer(question, replace(DENY, reason="x" * 2000))


@pytest.mark.proves("T-4")
async def test_no_answer_changes_what_was_said(scene: Scene) -> None:
    turn = await scene.turn()
    denied = await ask_person(turn, PUT)
    await scene.answer(denied, DENY)

    for answer in (ONCE, ALWAYS, FOR_CHAT, replace(DENY, reason="changed my mind")):
        with pytest.raises(StateError, match="it is denied by ana"):
            await scene.answer(denied, answer)
    outcome = await turn.resume(denied.id)
    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.DENIED


async def test_later_keeps_a_question_open_and_out_of_the_way(scene: Scene) -> None:
    turn = await scene.turn()
    question, other = await ask_person(turn, PUT), await ask_person(turn, SEND)

    put_off = await scene.gate.postpone(ANA, question.id)

    assert (put_off.state, put_off.later_at) == (State.PENDING, scene.clock.now)
    waiting = await scene.gate.pending(ANA, ApprovalFilter(postponed=False))
    assert [one.id for one in waiting.approvals] == [other.id]
    await scene.answer(question, ONCE)
    assert isinstance(await turn.resume(question.id), Run)


@pytest.mark.parametrize("args", [{"x": float("nan")}, {"x": "\ud800"}, {"x": object()}])
async def test_arguments_that_no_store_could_hold_are_no_answer(
    scene: Scene, args: dict[str, object]
) -> None:
    question = await ask_person(await scene.turn(), PUT)

    with pytest.raises(InputError):
        await scene.answer(question, replace(ONCE, args=args))
    assert (await scene.store.approval(question.id)).state is State.PENDING


async def test_a_yes_until_a_moment_that_is_over_is_refused(scene: Scene) -> None:
    question = await ask_person(await scene.turn(), PUBLISH)
    late = replace(ALWAYS, lifetime=Lifetime.UNTIL, until=scene.clock.now)

    with pytest.raises(InputError, match="in the past"):
        await scene.answer(question, late)
    assert (await scene.store.approval(question.id)).state is State.PENDING
    assert await scene.store.grants() == ()


# ---- taking ---------------------------------------------------------------------------------


@pytest.mark.proves("R000-32", "T-3", "R-6")
async def test_of_fifty_who_take_a_call_one_runs_it(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, PUT)
    await scene.answer(question, ONCE)

    outcomes = await asyncio.gather(*(turn.resume(question.id) for _ in range(50)))

    kinds = Counter(type(one) for one in outcomes)
    assert kinds == {Run: 1, Refuse: 49}
    assert {one.code for one in outcomes if isinstance(one, Refuse)} == {Code.ALREADY_RUN}


@pytest.mark.proves("T-4")
async def test_a_call_cannot_be_taken_before_somebody_answered(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, PUT)

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Wait)
    assert outcome.approval.state is State.PENDING


@pytest.mark.proves("R-8", "R000-45")
@pytest.mark.supports("R002-28")
@pytest.mark.parametrize("answer", [ONCE, ALWAYS, FOR_CHAT])
async def test_a_yes_to_a_question_that_was_withdrawn_grants_and_runs_nothing(
    scene: Scene, answer: Answer
) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, PUBLISH)
    await turn.end()

    with pytest.raises(StateError, match="it is withdrawn"):
        await scene.answer(question, answer)
    assert await scene.store.grants() == await scene.store.rules() == ()
    outcome = await turn.resume(question.id)
    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.WITHDRAWN


@pytest.mark.proves("T-14")
@pytest.mark.parametrize("change", ["block", "deny rule"])
async def test_what_was_forbidden_meanwhile_does_not_run(scene: Scene, change: str) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, PUT)
    await scene.answer(question, ONCE)
    if change == "block":
        await scene.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.BLOCKED})
    else:
        await scene.add_rule(RuleList.DENY, "note.put(key=a)")

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Refuse)
    assert outcome.code is (Code.UNKNOWN_TOOL if change == "block" else Code.DENIED)
    assert (await scene.store.approval(question.id)).state is State.REFUSED
    assert isinstance(await turn.resume(question.id), Refuse)


@pytest.mark.proves("T-14")
async def test_a_block_between_deciding_again_and_taking_is_seen(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, PUT)
    await scene.answer(question, ONCE)
    place = scene.workspace.place
    blocked: list[str] = []

    async def place_and_block(call: object) -> object:
        """The policy was read before the place: from here on it is outdated."""
        if not blocked:
            blocked.append("now")
            await scene.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.BLOCKED})
        return await place(call)  # type: ignore[arg-type]

    scene.workspace.place = place_and_block  # type: ignore[method-assign,assignment]

    outcome = await turn.resume(question.id)

    assert blocked
    assert isinstance(outcome, Refuse)
    assert (await scene.store.approval(question.id)).state is State.REFUSED


async def test_a_policy_that_never_stands_still_runs_nothing(in_memory: Scene) -> None:
    turn = await in_memory.turn()
    question = await ask_person(turn, PUT)
    await in_memory.answer(question, ONCE)
    place = in_memory.workspace.place

    async def place_and_change(call: object) -> object:
        await in_memory.gate.policy.set_tiers(ADA, "cook", {"note.put": Tier.BLOCKED})
        return await place(call)  # type: ignore[arg-type]

    in_memory.workspace.place = place_and_change  # type: ignore[method-assign,assignment]

    with pytest.raises(ConflictError, match="policy kept changing"):
        await turn.resume(question.id)
    assert (await in_memory.store.approval(question.id)).state is State.APPROVED


@pytest.mark.proves("T-3")
async def test_a_call_does_not_run_in_another_directory_than_it_was_shown_in(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, PUBLISH)
    await scene.answer(question, ONCE)
    scene.workspace.cwd = "/project/elsewhere"

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Refuse)
    assert "no longer the one that was approved" in outcome.message
    assert (await scene.store.approval(question.id)).state is State.REFUSED


@pytest.mark.proves("T-3", "T-4")
async def test_an_approval_that_was_changed_on_its_way_back_is_not_taken(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, PUBLISH)
    approved = await scene.answer(question, ONCE)
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


async def test_mode_and_grants_are_not_asked_again(scene: Scene) -> None:
    question = await ask_person(await scene.turn(), PUT)
    await scene.answer(question, ONCE)

    outcome = await (await scene.turn(mode="plan")).resume(question.id)

    assert isinstance(outcome, Run)


# ---- arguments that a person edits ----------------------------------------------------------


async def test_what_runs_is_what_the_person_wrote(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, PUBLISH)
    await scene.answer(question, replace(ONCE, args={"command": "make -n publish"}))

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Run)
    assert outcome.call.args == {"command": "make -n publish"}


@pytest.mark.proves("T-14")
async def test_what_the_person_wrote_is_decided_like_any_call(scene: Scene) -> None:
    await scene.add_rule(RuleList.DENY, "sh(rm *)")
    turn = await scene.turn()
    question = await ask_person(turn, PUBLISH)
    await scene.answer(question, replace(ONCE, args={"command": "rm -rf build"}))

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.DENIED


async def test_plan_mode_holds_for_what_the_person_wrote(scene: Scene) -> None:
    turn = await scene.turn(mode="plan")
    outside = replace(PUBLISH, args={"command": "cat /etc/shadow"})
    question = await ask_person(turn, outside)
    await scene.answer(question, replace(ONCE, args={"command": "make publish"}))

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Refuse)
    assert "plan mode only reads" in outcome.message


async def test_a_yes_to_other_arguments_is_never_for_longer(scene: Scene) -> None:
    question = await ask_person(await scene.turn(), PUBLISH)

    with pytest.raises(InputError, match="for this call only"):
        await scene.answer(question, replace(ALWAYS, args={"command": "make -n publish"}))
    assert await scene.store.rules() == ()
    assert (await scene.store.approval(question.id)).state is State.PENDING


# ---- releasing ------------------------------------------------------------------------------


async def test_a_yes_for_longer_releases_the_questions_it_covers_and_no_others(scene: Scene) -> None:
    turn, elsewhere = await scene.turn(), await scene.turn(agent="cook")
    first = await ask_person(turn, PUBLISH)
    same = await ask_person(turn, replace(PUBLISH, id="again"))
    other = await ask_person(turn, replace(PUBLISH, id="other", args={"command": "make clean"}))
    cooks = await ask_person(elsewhere, PUBLISH)

    await scene.answer(first, ALWAYS)

    states = [(await scene.store.approval(one.id)).state for one in (same, other, cooks)]
    assert states == [State.APPROVED, State.PENDING, State.PENDING]
    released = await scene.store.approval(same.id)
    assert released.answer == Answer(say=Say.ONCE, by="ana", released_by=first.id)
    assert isinstance(await turn.resume(same.id), Run)
    assert [one["decision"] for one in await scene.entries()][-3:] == ["approved", "released", "claimed"]


async def test_a_no_never_reaches_further(scene: Scene) -> None:
    turn = await scene.turn()
    first, same = await ask_person(turn, PUBLISH), await ask_person(turn, replace(PUBLISH, id="again"))

    await scene.answer(first, replace(DENY, rules=("sh",)))

    assert (await scene.store.approval(same.id)).state is State.PENDING


async def test_a_counted_yes_releases_nothing_by_itself(scene: Scene) -> None:
    turn = await scene.turn()
    questions = [await ask_person(turn, replace(PUBLISH, id=f"call-{number}")) for number in range(4)]

    await scene.answer(questions[0], replace(ALWAYS, lifetime=Lifetime.USES, uses=1))

    states = [(await scene.store.approval(one.id)).state for one in questions[1:]]
    assert states == [State.PENDING] * 3


async def test_a_question_that_is_locked_is_not_released(scene: Scene) -> None:
    turn = await scene.turn()
    question, locked = await ask_person(turn, PUBLISH), await ask_person(turn, REMOVE_ROOT)

    await scene.answer(question, replace(ALWAYS, rules=("sh",)))

    assert (await scene.store.approval(locked.id)).state is State.PENDING


@pytest.mark.proves("T-14")
async def test_what_was_released_is_asked_after_all_where_an_ask_rule_came_meanwhile(scene: Scene) -> None:
    turn = await scene.turn()
    first, same = await ask_person(turn, PUBLISH), await ask_person(turn, replace(PUBLISH, id="again"))
    await scene.add_rule(RuleList.ASK, "sh(make *)")
    await scene.answer(first, ALWAYS)

    assert isinstance(await turn.resume(first.id), Run)
    outcome = await turn.resume(same.id)

    assert isinstance(outcome, Refuse)
    assert "ask rule" in outcome.message


async def test_a_proposal_is_neither_answered_with_yes_nor_released(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, PUBLISH)
    proposed = replace(question, id="p" * 32, delivery=Delivery.PROPOSE)
    await scene.store.add_approval(proposed.id, lambda moment: proposed, Limits())

    await scene.answer(question, ALWAYS)
    assert (await scene.store.approval(proposed.id)).state is State.PENDING
    with pytest.raises(ConflictError, match="apply it, or deny it"):
        await scene.answer(proposed, ONCE)
    assert (await scene.answer(proposed, DENY)).state is State.DENIED


# ---- time -----------------------------------------------------------------------------------


@pytest.mark.proves("R-9", "T-43", "R003-63")
@pytest.mark.supports("R001-16")
async def test_expiry_is_by_the_stores_clock_whether_or_not_anybody_swept(scene: Scene) -> None:
    turn = await scene.turn("workbench")
    question = await ask_person(turn, PUT)
    assert question.expires_at == scene.clock.now + timedelta(seconds=300)

    scene.clock.advance(timedelta(seconds=299))
    assert isinstance(await turn.resume(question.id), Wait)
    scene.clock.advance(timedelta(seconds=1))

    with pytest.raises(StateError, match="it is expired"):
        await scene.answer(question, ONCE)
    outcome = await turn.resume(question.id)
    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.EXPIRED
    assert [one["decision"] for one in await scene.entries()] == ["", "expired"]


@pytest.mark.proves("T-43", "R-9")
async def test_a_clock_that_is_set_back_revives_nothing(scene: Scene) -> None:
    turn = await scene.turn("workbench")
    question = await ask_person(turn, PUT)
    scene.clock.advance(timedelta(seconds=301))
    assert isinstance(await turn.resume(question.id), Refuse)

    scene.clock.advance(timedelta(days=-1))

    with pytest.raises(StateError):
        await scene.answer(question, ONCE)


@pytest.mark.proves("T-3")
async def test_a_yes_that_is_not_used_in_time_lapses(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, PUT)
    await scene.answer(question, ONCE)
    scene.clock.advance(15 * MINUTE)

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.LAPSED
    assert (await scene.store.approval(question.id)).state is State.LAPSED


@pytest.mark.proves("R003-63")
async def test_who_waits_for_an_answer_that_does_not_come_in_time_is_refused(in_memory: Scene) -> None:
    turn = await in_memory.turn("workbench")
    question = await ask_person(turn, PUT)
    in_memory.clock.advance(timedelta(seconds=299.99))
    waiting = asyncio.create_task(turn.wait(question))
    await wait_for_waiting_callers(in_memory.store)
    in_memory.clock.advance(timedelta(seconds=0.01))

    outcome = await waiting

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.EXPIRED


@pytest.mark.proves("R004-50")
@pytest.mark.supports("R000-46")
@pytest.mark.parametrize("preset", ["chat", "fleet", "tiers"])
async def test_where_the_preset_sets_no_time_a_question_waits_for_ever(in_memory: Scene, preset: str) -> None:
    await in_memory.gate.policy.set_tiers(ADA, "clerk", {"sh": Tier.NEEDS_APPROVAL})
    turn = await in_memory.turn(preset)
    question = await ask_person(turn, PUBLISH)

    in_memory.clock.advance(timedelta(days=3650))

    assert isinstance(await turn.resume(question.id), Wait)
    await in_memory.answer(question, ONCE)
    assert isinstance(await turn.resume(question.id), Run)


# ---- caps -----------------------------------------------------------------------------------


@pytest.mark.proves("T-41")
async def test_sub_agents_share_the_cap_of_the_agent_that_started_them(scene: Scene) -> None:
    limited = Scene(scene.store, scene.clock, limits=Limits(pending=3))
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
async def test_an_agent_over_its_cap_is_told_so_and_others_are_not_affected(in_memory: Scene) -> None:
    scene = Scene(in_memory.store, in_memory.clock, limits=Limits(pending=3))
    clerk, cook = await scene.turn(), await scene.turn(agent="cook")
    for number in range(3):
        await ask_person(clerk, replace(PUT, id=f"call-{number}"))

    outcome = await clerk.submit(replace(PUT, id="one-more"))

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.LIMIT
    await ask_person(cook, PUT)


async def test_a_call_that_was_denied_three_times_in_a_turn_is_no_longer_asked(scene: Scene) -> None:
    turn = await scene.turn()
    for number in range(3):
        question = await ask_person(turn, replace(PUT, id=f"call-{number}"))
        await scene.answer(question, DENY)

    outcome = await turn.submit(replace(PUT, id="call-3"))

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.LIMIT
    await ask_person(turn, replace(PUT, id="call-4", args={"key": "b"}))
    await ask_person(await scene.turn(), replace(PUT, id="call-5"))


@pytest.mark.proves("T-41")
async def test_an_agent_does_not_get_around_that_by_beginning_another_turn(scene: Scene) -> None:
    for number in range(3):
        question = await ask_person(await scene.turn(principal=CLERK), replace(PUT, id=f"call-{number}"))
        await scene.answer(question, DENY)

    outcome = await (await scene.turn(principal=CLERK)).submit(replace(PUT, id="call-3"))

    assert outcome == Refuse(
        code=Code.LIMIT,
        message="this call was denied 3 times recently;"
        " do not try another way, ask the person what to do instead",
    )
    await ask_person(await scene.turn(principal=CLERK, conversation="c2"), replace(PUT, id="call-4"))
    await ask_person(await scene.turn(), replace(PUT, id="call-5"))


@pytest.mark.proves("T-41")
async def test_nor_by_another_conversation_and_a_meaningless_change_for_each_try(scene: Scene) -> None:
    async def tried(number: int, principal: Principal = CLERK) -> Outcome:
        turn = await scene.turn(principal=principal, conversation=f"c{number}")
        return await turn.submit(replace(PUT, id=f"call-{number}", args={"key": "a" + " " * number}))

    outcomes: list[Outcome] = []
    while isinstance(outcome := await tried(len(outcomes)), Wait):
        await scene.answer(outcome.approval, DENY)
        outcomes.append(outcome)

    assert len(outcomes) == 20
    assert outcome == Refuse(
        code=Code.LIMIT,
        message="calls of this tool were denied 20 times recently;"
        " do not try another way, ask the person what to do instead",
    )
    assert isinstance(await tried(21, ANA), Wait)
    scene.clock.advance(DENIAL_LIFETIME)
    assert isinstance(await tried(22), Wait)


@pytest.mark.proves("T-41")
async def test_an_agent_may_ask_again_when_an_hour_has_passed(scene: Scene) -> None:
    for number in range(3):
        question = await ask_person(await scene.turn(principal=CLERK), replace(PUT, id=f"call-{number}"))
        await scene.answer(question, DENY)

    scene.clock.advance(DENIAL_LIFETIME)

    await ask_person(await scene.turn(principal=CLERK), replace(PUT, id="call-3"))


@pytest.mark.proves("R-6")
async def test_another_call_under_a_known_id_is_a_conflict(scene: Scene) -> None:
    turn = await scene.turn()
    await ask_person(turn, PUT)

    with pytest.raises(ConflictError):
        await turn.submit(replace(PUT, args={"key": "b"}))


# ---- counted grants -------------------------------------------------------------------------


async def test_a_grant_for_three_calls_lets_exactly_three_of_fifty_run(scene: Scene) -> None:
    await scene.store.add_policy(
        [StoredGrant(id="g1", pattern="note.put", lifetime=Lifetime.USES, uses=3, by="ana", agent="clerk")]
    )
    turn = await scene.turn()

    outcomes = await asyncio.gather(*(turn.submit(replace(PUT, id=f"call-{one}")) for one in range(50)))

    assert Counter(type(one) for one in outcomes) == {Run: 3, Wait: 47}


async def test_a_counted_grant_is_not_used_where_another_one_does(scene: Scene) -> None:
    grants = [
        StoredGrant(id="counted", pattern="note.put", lifetime=Lifetime.USES, uses=1, by="ana"),
        StoredGrant(id="standing", pattern="note.put", lifetime=Lifetime.FOREVER, by="ana"),
    ]
    await scene.store.add_policy(grants)
    turn = await scene.turn()

    assert [await would_run(turn, PUT) for _ in range(3)] == [True] * 3
    assert [one.uses for one in await scene.store.grants()] == [1, None]


async def test_a_grant_until_a_moment_counts_until_then(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, PUBLISH)
    until = scene.clock.now + MINUTE
    await scene.answer(question, replace(ALWAYS, lifetime=Lifetime.UNTIL, until=until))

    before = await would_run(turn, PUBLISH)
    scene.clock.advance(MINUTE)

    assert (before, await would_run(turn, PUBLISH)) == (True, False)


async def test_the_store_refuses_limits_by_an_error_of_its_own(in_memory: Scene) -> None:
    question = await ask_person(await in_memory.turn(), PUT)

    with pytest.raises(LimitError):
        await in_memory.store.add_approval("q2", lambda moment: replace(question, id="q2"), Limits(pending=0))
