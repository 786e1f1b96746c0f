"""Tests of a turn: the outcome of a call, its caller, and that no call runs twice or without approval."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from assent.engine.base.tool import Call, Effect, Tool
from assent.engine.policy.rule import RuleList
from assent.engine.policy.snapshot import Tier
from assent.errors import ConflictError, InputError, NotFoundError, UnknownWordError
from assent.gate.approval import State
from assent.gate.calls import Code, Refuse, Run, Wait
from assent.gate.catalog import DeclaredTool
from assent.gate.conversations import ConversationChanges
from assent.gate.gate import TurnOptions
from assent.gate.policy import StoredGrant
from assent.gate.preset import Lifetime
from assent.gate.question import Limits
from assent.gate.store import ApprovalFilter
from assent.wire.approval import outcome_to_json
from tests.gate.samples import ADA, ANA, BEN
from tests.gate.scene import (
    ALWAYS,
    DENY,
    DROP,
    FOR_CHAT,
    ONCE,
    PUBLISH,
    PUT,
    READ,
    REMOVE_ROOT,
    SEND,
    TOOLS,
    GateHarness,
    ask_person,
    does_call_run,
    open_harness,
)
from tests.waiting import wait_for_waiting_callers

# ---- submitting -----------------------------------------------------------------------------


EXPECTED_OUTCOMES = {
    # In the modes default, plan, accept_edits and auto.
    "note.read": (Run, Run, Run, Run),
    "note.save": (Wait, Refuse, Run, Run),
    "note.put": (Wait, Refuse, Wait, Run),
    "mail.send": (Wait, Refuse, Wait, Run),
    "sh": (Wait, Refuse, Wait, Run),
    "note.drop": (Wait, Refuse, Wait, Wait),
}


@pytest.mark.proves("R000-16", "R000-41")
@pytest.mark.supports("R000-17")
@pytest.mark.parametrize("tool", EXPECTED_OUTCOMES)
async def test_the_outcome_of_a_call_depends_on_the_mode(memory_harness: GateHarness, tool: str) -> None:
    args = {"command": "make publish"} if tool == "sh" else {"path": "notes/a.md"}
    turns = [await memory_harness.turn(mode=mode) for mode in ("default", "plan", "accept_edits", "auto")]

    found = [type(await turn.submit(Call(tool=tool, args=args))) for turn in turns]

    assert tuple(found) == EXPECTED_OUTCOMES[tool]


@pytest.mark.proves("R001-21")
async def test_an_undeclared_tool_is_unknown(harness: GateHarness) -> None:
    outcome = await (await harness.turn(mode="auto")).submit(Call(tool="note.burn", args={}))

    assert outcome == Refuse(code=Code.UNKNOWN_TOOL, message="there is no such tool")


@pytest.mark.proves("R002-30")
async def test_a_tool_of_another_agent_is_unknown(harness: GateHarness) -> None:
    harness.gate.offer(DeclaredTool(tool=Tool(name="spawn", effect=Effect.READ), agent="lead"))
    worker, lead = (
        await harness.turn(mode="auto", agent="worker"),
        await harness.turn(mode="auto", agent="lead"),
    )

    refused = await worker.submit(Call(tool="spawn", args={}))

    assert refused == Refuse(code=Code.UNKNOWN_TOOL, message="there is no such tool")
    assert isinstance(await lead.submit(Call(tool="spawn", args={})), Run)
    assert "spawn" not in {tool.name for tool in await worker.visible_tools()}


@pytest.mark.proves("T-5")
async def test_the_identity_of_a_call_comes_from_its_turn(harness: GateHarness) -> None:
    forged = replace(PUT, agent="cook", conversation="c9", user="ada")

    question = await ask_person(await harness.turn(), forged)

    call = question.call
    assert (call.agent, call.conversation, call.user, question.owner) == ("clerk", "c1", "ana", "ana")


@pytest.mark.proves("T-35", "R-18")
@pytest.mark.parametrize(
    "call",
    [
        replace(PUT, args={"x": float("nan")}),
        replace(PUT, args={"x": "\ud800"}),
        replace(PUT, args={"x": 10**5000}),
        replace(PUT, args={1: "x"}),  # type: ignore[dict-item]
        replace(PUT, args={"x": b"bytes"}),
        replace(PUT, tool="note.put\u202e"),
        replace(PUT, tool=""),
        replace(PUT, id="x" * 257),
        replace(PUT, id="a\x00b"),
    ],
)
async def test_an_invalid_call_is_refused(memory_harness: GateHarness, call: Call) -> None:
    turn = await memory_harness.turn(mode="auto")

    with pytest.raises(InputError):
        await turn.submit(call)


@pytest.mark.proves("R-18")
async def test_arguments_that_are_nested_too_deeply_are_refused(memory_harness: GateHarness) -> None:
    deep: object = 0
    for _ in range(10_000):
        deep = [deep]

    with pytest.raises(InputError, match="deeper than 64"):
        await (await memory_harness.turn(mode="auto")).submit(replace(PUT, args={"x": deep}))


@pytest.mark.proves("T-3")
async def test_changing_a_decided_call_does_not_change_what_runs(harness: GateHarness) -> None:
    inner = ["a"]
    args: dict[str, object] = {"command": "make publish", "files": inner}
    turn = await harness.turn(mode="auto")

    outcome = await turn.submit(replace(PUBLISH, args=args))
    args["command"] = "rm -rf /"
    inner.append("b")

    assert isinstance(outcome, Run)
    assert outcome.call.args == {"command": "make publish", "files": ["a"]}


@pytest.mark.proves("T-3")
async def test_changing_an_asked_call_does_not_change_what_runs(harness: GateHarness) -> None:
    args: dict[str, object] = {"command": "make publish"}
    turn = await harness.turn()
    question = await ask_person(turn, replace(PUBLISH, args=args))
    args["command"] = "rm -rf /"
    await harness.answer(question, ONCE)

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Run)
    assert outcome.call.args == {"command": "make publish"}


# ---- at most once ---------------------------------------------------------------------------


@pytest.mark.proves("R-6")
async def test_a_repeated_call_has_the_same_approval(harness: GateHarness) -> None:
    turn = await harness.turn()

    first, again = await ask_person(turn, PUT), await ask_person(turn, PUT)

    assert first == again


@pytest.mark.proves("R-6", "R000-32")
@pytest.mark.parametrize("answer", [ONCE, ALWAYS, FOR_CHAT])
async def test_an_approved_call_runs_once_however_often_it_is_submitted(
    harness: GateHarness, answer: object
) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUBLISH)
    await harness.answer(question, answer)  # type: ignore[arg-type]

    outcomes = [await turn.submit(PUBLISH), await turn.resume(question.id), await turn.submit(PUBLISH)]
    outcomes.append(await (await harness.turn()).submit(PUBLISH))
    outcomes.append(await (await harness.turn(mode="auto")).submit(PUBLISH))

    assert [type(one) for one in outcomes] == [Run, Refuse, Refuse, Refuse, Refuse]


async def test_a_denied_call_stays_denied_in_a_wider_mode(harness: GateHarness) -> None:
    question = await ask_person(await harness.turn(), PUT)
    await harness.answer(question, DENY)

    outcome = await (await harness.turn(mode="auto")).submit(PUT)

    assert isinstance(outcome, Refuse)


@pytest.mark.proves("R-6")
async def test_another_call_with_the_id_of_an_approval_is_a_conflict_even_if_it_is_allowed(
    harness: GateHarness,
) -> None:
    await ask_person(await harness.turn(), PUT)

    with pytest.raises(ConflictError):
        await (await harness.turn(mode="auto")).submit(replace(PUT, args={"key": "b"}))


@pytest.mark.proves("R001-26")
async def test_a_wider_mode_does_not_run_a_pending_call(harness: GateHarness) -> None:
    question = await ask_person(await harness.turn(), PUT)

    outcome = await (await harness.turn(mode="auto")).submit(PUT)

    assert isinstance(outcome, Wait)
    assert outcome.approval.id == question.id


# ---- whose it is ----------------------------------------------------------------------------


@pytest.mark.proves("T-38", "T-4")
async def test_without_a_conversation_agents_with_the_same_name_of_two_people_share_nothing(
    harness: GateHarness,
) -> None:
    anas = await harness.turn(conversation="")
    bens = await harness.turn(conversation="", principal=BEN)
    question, other = await ask_person(anas, PUT), await ask_person(bens, PUT)
    await harness.answer(question, ONCE)

    assert question.id != other.id
    with pytest.raises(NotFoundError):
        await bens.resume(question.id)
    with pytest.raises(NotFoundError):
        await bens.wait(await harness.store.approval(question.id))
    assert isinstance(await anas.resume(question.id), Run)


@pytest.mark.proves("T-4", "T-38")
@pytest.mark.parametrize("target", [{"conversation": "c2"}, {"agent": "cook"}])
async def test_an_approval_of_another_conversation_or_agent_cannot_be_claimed(
    harness: GateHarness, target: dict[str, str]
) -> None:
    question = await ask_person(await harness.turn(), PUT)
    elsewhere = await harness.turn(**target)  # type: ignore[arg-type]

    with pytest.raises(NotFoundError):
        await elsewhere.resume(question.id)
    await harness.answer(question, ONCE)
    with pytest.raises(NotFoundError):
        await elsewhere.resume(question.id)
    assert (await harness.store.approval(question.id)).state is State.APPROVED


# ---- waiting --------------------------------------------------------------------------------


@pytest.mark.proves("R000-17", "R000-22")
@pytest.mark.supports("R002-13")
async def test_a_waiting_call_blocks_no_other_call_and_continues_with_the_answer(
    harness: GateHarness,
) -> None:
    turn = await harness.turn()
    waiting = asyncio.create_task(turn.check(PUT))
    await wait_for_waiting_callers(harness.store)
    page = await harness.gate.pending_approvals(ANA)

    sibling = await turn.check(READ)
    await harness.answer(page.approvals[0], ONCE)
    outcome = await waiting

    assert isinstance(sibling, Run)
    assert isinstance(outcome, Run)
    assert outcome.call.args == PUT.args


@pytest.mark.proves("R000-31", "R000-30", "R002-27")
async def test_answers_reach_their_calls_in_any_order(harness: GateHarness) -> None:
    turn = await harness.turn()
    calls = [replace(PUT, id=f"call-{number}", args={"key": number}) for number in range(6)]
    waiting = [asyncio.create_task(turn.check(call)) for call in calls]
    await wait_for_waiting_callers(harness.store, 6)
    page = await harness.gate.pending_approvals(ANA)
    assert [one.asked_at for one in page.approvals] == sorted(one.asked_at for one in page.approvals)

    for question in reversed(page.approvals):
        await harness.answer(question, ONCE if int(str(question.call.args["key"])) % 2 else DENY)
    outcomes = await asyncio.gather(*waiting)

    assert [type(one) for one in outcomes] == [Refuse, Run] * 3
    assert [one.call.args["key"] for one in outcomes if isinstance(one, Run)] == [1, 3, 5]


@pytest.mark.proves("R000-45", "R-8")
async def test_a_cancelled_caller_withdraws_its_approval(harness: GateHarness) -> None:
    turn = await harness.turn()
    waiting = asyncio.create_task(turn.check(PUT))
    await wait_for_waiting_callers(harness.store)
    page = await harness.gate.pending_approvals(ANA)

    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    left = await harness.store.approval(page.approvals[0].id)
    assert (left.state, left.note) == (State.WITHDRAWN, "its caller is gone")
    assert (await harness.gate.pending_approvals(ANA)).approvals == ()


@pytest.mark.proves("R-8")
async def test_a_caller_that_is_cancelled_while_asking_leaves_no_pending_approval(
    memory_harness: GateHarness,
) -> None:
    turn = await memory_harness.turn()
    add, written = memory_harness.store.add_approval, asyncio.Event()

    async def add_then_never_return(*given: object) -> object:
        await add(*given)  # type: ignore[arg-type]
        written.set()
        return await asyncio.Event().wait()

    memory_harness.store.add_approval = add_then_never_return  # type: ignore[method-assign,assignment]
    calling = asyncio.create_task(turn.check(replace(PUT, id="")))
    await written.wait()

    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling

    assert (await memory_harness.gate.pending_approvals(ANA)).approvals == ()


async def test_a_caller_can_be_cancelled_while_the_store_is_unavailable(memory_harness: GateHarness) -> None:
    turn = await memory_harness.turn()
    question = await ask_person(turn, PUT)
    waiting = asyncio.create_task(turn.wait(question))
    await wait_for_waiting_callers(memory_harness.store)

    waiting.cancel()
    await memory_harness.store.close()

    with pytest.raises(asyncio.CancelledError):
        await waiting


@pytest.mark.proves("R000-45", "R000-49")
async def test_ending_a_turn_withdraws_only_its_pending_approvals(harness: GateHarness) -> None:
    turn, other = await harness.turn(), await harness.turn()
    questions = [await ask_person(turn, replace(PUT, id=f"call-{number}")) for number in range(3)]
    kept = await ask_person(other, SEND)
    await harness.answer(questions[0], ONCE)
    await harness.answer(questions[1], ONCE)
    assert isinstance(await turn.resume(questions[1].id), Run)

    await turn.end("a newer message")

    states = [(await harness.store.approval(one.id)).state for one in (*questions, kept)]
    assert states == [State.WITHDRAWN, State.RUNNING, State.WITHDRAWN, State.PENDING]


@pytest.mark.proves("R004-50")
async def test_a_suspended_approval_outlives_its_turn(harness: GateHarness) -> None:
    await harness.gate.policy.set_tiers(ADA, "clerk", {"mail.send": Tier.NEEDS_APPROVAL})
    turn = await harness.turn("tiers")
    question = await ask_person(turn, SEND)

    await turn.end()
    await harness.answer(question, ONCE)

    assert isinstance(await (await harness.turn("tiers")).resume(question.id), Run)


async def test_withdrawing_all_includes_suspended_approvals(harness: GateHarness) -> None:
    await harness.gate.policy.set_tiers(ADA, "clerk", {"mail.send": Tier.NEEDS_APPROVAL})
    question = await ask_person(await harness.turn("tiers"), SEND)

    await harness.gate.withdraw_all(ApprovalFilter(conversation="c1"), "stopped")

    assert (await harness.store.approval(question.id)).state is State.WITHDRAWN


@pytest.mark.proves("R-2", "R-8")
async def test_a_caller_that_continues_in_another_process_gets_the_answer(tmp_path: Path) -> None:
    async with open_harness("sqlite", tmp_path) as before:
        question = await ask_person(await before.turn(), PUT)
    async with open_harness("sqlite", tmp_path) as after:
        turn = await after.turn()
        waiting = asyncio.create_task(turn.check(PUT))
        await wait_for_waiting_callers(after.store)
        after.clock.advance(timedelta(seconds=90))
        await after.store.record_heartbeat()
        await after.store.sweep(timedelta(seconds=60))
        await after.answer(question, ONCE)

        assert isinstance(await waiting, Run)


async def test_releasing_and_withdrawing_work_for_more_than_one_page(memory_harness: GateHarness) -> None:
    harness = GateHarness(memory_harness.store, memory_harness.clock, limits=Limits(pending=1000))
    turn = await harness.turn()
    first, *rest = [await ask_person(turn, replace(PUBLISH, id=f"call-{number}")) for number in range(251)]

    await harness.answer(first, ALWAYS)
    released = {(await harness.store.approval(one.id)).state for one in rest}
    await turn.end()

    assert released == {State.APPROVED}
    assert {(await harness.store.approval(one.id)).state for one in rest} == {State.WITHDRAWN}


# ---- what stays as it began -----------------------------------------------------------------


@pytest.mark.proves("R000-36")
async def test_a_turn_keeps_the_mode_it_began_with(harness: GateHarness) -> None:
    turn = await harness.turn()
    await harness.gate.conversations.change(ANA, "c1", ConversationChanges(mode="auto"))

    now, next_one = await does_call_run(turn, PUT), await does_call_run(await harness.turn(), PUT)

    assert (now, next_one) == (False, True)


@pytest.mark.proves("R004-21", "R004-26")
async def test_a_suspended_turn_keeps_its_initial_tiers_and_overrides(harness: GateHarness) -> None:
    await harness.gate.policy.set_tiers(
        ADA, "clerk", {"mail.send": Tier.NEEDS_APPROVAL, "note.put": Tier.ALWAYS_ALLOW}
    )
    turn = await harness.turn("tiers")
    question = await ask_person(turn, SEND)
    await harness.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.NEEDS_APPROVAL})

    await harness.answer(question, ALWAYS)

    assert [await does_call_run(turn, call) for call in (SEND, PUT)] == [False, True]
    later = await harness.turn("tiers")
    assert [await does_call_run(later, call) for call in (SEND, PUT)] == [True, False]


@pytest.mark.proves("R004-12", "T-14", "R004-14")
async def test_a_suspended_turn_immediately_respects_blocks_and_revocations(harness: GateHarness) -> None:
    tiers = dict.fromkeys(("mail.send", "note.put", "sh"), Tier.NEEDS_APPROVAL)
    await harness.gate.policy.set_tiers(ADA, "clerk", tiers)
    for call in (SEND, PUT, PUBLISH):
        await harness.answer(await ask_person(await harness.turn("tiers"), call), ALWAYS)
    turn = await harness.turn("tiers")
    assert [await does_call_run(turn, call) for call in (SEND, PUT, PUBLISH)] == [True] * 3

    overrides = {one.pattern: one.id for one in await harness.store.grants()}
    await harness.gate.policy.revoke(ANA, overrides["mail.send"])
    await harness.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.BLOCKED})
    await harness.add_rule(RuleList.DENY, "sh")

    assert isinstance(await turn.submit(replace(SEND, id="")), Wait)
    assert [await does_call_run(turn, call) for call in (PUT, PUBLISH)] == [False, False]


async def test_a_counted_grant_that_is_used_up_asks_again_in_a_suspended_turn(harness: GateHarness) -> None:
    await harness.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.NEEDS_APPROVAL})
    await harness.store.add_policy(
        [StoredGrant(id="g1", pattern="note.put", lifetime=Lifetime.USES, uses=2, by="ana")]
    )
    turn = await harness.turn("tiers")

    found = [await does_call_run(turn, PUT) for _ in range(4)]

    assert found == [True, True, False, False]


@pytest.mark.proves("T-14")
async def test_a_waiting_turn_immediately_respects_new_rules_grants_and_revocations(
    harness: GateHarness,
) -> None:
    turn = await harness.turn()
    await harness.answer(await ask_person(turn, PUBLISH), ALWAYS)
    (rule,) = await harness.store.rules()
    granted = await does_call_run(turn, PUBLISH)
    await harness.gate.policy.revoke(ANA, rule.id)
    revoked = await does_call_run(turn, PUBLISH)
    await harness.add_rule(RuleList.DENY, "note.read")

    assert (granted, revoked, await does_call_run(turn, READ)) == (True, False, False)


# ---- sub-agents -----------------------------------------------------------------------------


@pytest.mark.proves("R000-43", "T-31")
@pytest.mark.parametrize(
    ("parent", "child", "expected"),
    [
        ("plan", "auto", Refuse),
        ("default", "auto", Wait),
        ("accept_edits", "auto", Wait),
        ("auto", "auto", Run),
        ("auto", "default", Wait),
        ("auto", "plan", Refuse),
    ],
)
async def test_a_sub_agent_never_has_more_rights_than_its_parent(
    memory_harness: GateHarness, parent: str, child: str, expected: type
) -> None:
    above = await memory_harness.turn(mode=parent, agent="lead")
    below = await memory_harness.turn(mode=child, agent="worker", parent=above)
    lowest = await memory_harness.turn(mode="auto", agent="runner", parent=below)

    assert [type(await turn.submit(PUT)) for turn in (below, lowest)] == [expected, expected]


@pytest.mark.proves("T-31")
async def test_a_tool_that_is_blocked_or_denied_for_a_parent_is_so_for_its_sub_agent(
    harness: GateHarness,
) -> None:
    await harness.gate.policy.set_tiers(
        ADA, "lead", {"note.put": Tier.BLOCKED, "mail.send": Tier.NEEDS_APPROVAL}
    )
    await harness.add_rule(RuleList.DENY, "sh", agent="lead")
    above = await harness.turn(mode="auto", agent="lead")
    below = await harness.turn(mode="auto", agent="worker", parent=above)

    outcomes = [await below.submit(call) for call in (PUT, SEND, PUBLISH)]

    assert [type(one) for one in outcomes] == [Refuse, Wait, Refuse]
    assert "note.put" not in {tool.name for tool in await below.visible_tools()}


@pytest.mark.proves("T-31", "T-14")
async def test_blocking_a_tool_for_a_parent_stops_the_pending_call_of_its_sub_agent(
    harness: GateHarness,
) -> None:
    above = await harness.turn(agent="lead")
    below = await harness.turn(agent="worker", parent=above)
    question = await ask_person(below, PUT)
    await harness.answer(question, ONCE)
    await harness.gate.policy.set_tiers(ADA, "lead", {"note.put": Tier.BLOCKED})

    assert isinstance(await below.resume(question.id), Refuse)


@pytest.mark.proves("R000-44")
async def test_a_sub_agent_asks_in_its_parents_conversation_and_names_its_parents(
    harness: GateHarness,
) -> None:
    above = await harness.turn(agent="lead")
    below = await harness.gate.begin(ANA, agent="worker", parent=above)
    lowest = await harness.gate.begin(ANA, agent="runner", parent=below)

    question = await ask_person(lowest, PUBLISH)

    assert (question.call.conversation, question.preset) == ("c1", "assent")
    assert question.lineage == ("worker", "lead")


@pytest.mark.proves("R000-44")
async def test_a_sub_agent_shares_grants_of_the_conversation_but_not_of_its_parent(
    harness: GateHarness,
) -> None:
    above = await harness.turn(agent="lead")
    below = await harness.turn(agent="worker", parent=above)
    await harness.answer(await ask_person(above, PUBLISH), FOR_CHAT)
    await harness.answer(await ask_person(above, SEND), ALWAYS)

    assert [await does_call_run(above, call) for call in (PUBLISH, SEND)] == [True, True]
    assert [await does_call_run(below, call) for call in (PUBLISH, SEND)] == [True, False]


# ---- unattended turns -----------------------------------------------------------------------


@pytest.mark.proves("R001-40", "R001-41", "R000-54", "R004-49", "R003-70")
async def test_in_an_unattended_turn_calls_that_would_ask_are_denied_and_destructive_tools_are_absent(
    harness: GateHarness,
) -> None:
    turn = await harness.turn(attended=False)
    below = await harness.turn(agent="worker", parent=turn)

    for one in (turn, below):
        put, drop = await one.submit(PUT), await one.submit(DROP)
        assert isinstance(put, Refuse)
        assert put.code is Code.UNATTENDED
        assert drop == Refuse(code=Code.UNKNOWN_TOOL, message="there is no such tool")
        assert "note.drop" not in {tool.name for tool in await one.visible_tools()}
    assert (await harness.gate.pending_approvals(ANA)).approvals == ()


@pytest.mark.proves("R003-70")
async def test_an_unattended_turn_keeps_its_mode(harness: GateHarness) -> None:
    by_mode = {mode: await harness.turn(mode=mode, attended=False) for mode in ("plan", "default", "auto")}

    does_run = {mode: await does_call_run(turn, PUT) for mode, turn in by_mode.items()}

    assert does_run == {"plan": False, "default": False, "auto": True}


# ---- what the model sees --------------------------------------------------------------------


@pytest.mark.proves("R004-4", "R004-2", "R004-3")
@pytest.mark.supports("R004-25")
async def test_the_model_sees_every_tool_except_absent_ones(harness: GateHarness) -> None:
    await harness.gate.policy.set_tiers(
        ADA, "clerk", {"note.put": Tier.BLOCKED, "mail.send": Tier.NEEDS_APPROVAL, "sh": Tier.ALWAYS_ALLOW}
    )
    turn = await harness.turn("tiers")

    seen = {tool.name for tool in await turn.visible_tools()}

    assert seen == {"note.read", "note.save", "note.drop", "mail.send", "sh"}
    assert isinstance(await turn.submit(SEND), Wait)
    assert isinstance(await turn.submit(PUBLISH), Run)
    assert isinstance(await turn.submit(PUT), Refuse)


@pytest.mark.proves("R004-24")
async def test_listing_tools_returns_their_declarations_and_stores_nothing(harness: GateHarness) -> None:
    await harness.gate.policy.set_tiers(
        ADA, "clerk", {"note.put": Tier.BLOCKED, "mail.send": Tier.NEEDS_APPROVAL}
    )
    turn = await harness.turn("tiers")

    first, again = await turn.visible_tools(), await turn.visible_tools()

    assert first == again == tuple(tool for tool in first if tool in TOOLS)
    assert {tool.name for tool in TOOLS} - {tool.name for tool in first} == {"note.put"}
    assert (await harness.gate.pending_approvals(ANA)).approvals == ()
    assert [one["decision"] for one in await harness.entries()] == ["tiers_set"]
    assert isinstance(await turn.submit(SEND), Wait)


@pytest.mark.proves("R004-28")
async def test_an_outcome_does_not_reveal_other_tools_or_rules(harness: GateHarness) -> None:
    await harness.gate.policy.set_tiers(
        ADA, "clerk", {"note.put": Tier.BLOCKED, "mail.send": Tier.NEEDS_APPROVAL}
    )
    await harness.add_rule(RuleList.ASK, "sh(secret-program *)")
    turn = await harness.turn("tiers")

    outcomes = [await turn.submit(call) for call in (READ, SEND, PUT, PUBLISH)]

    told = json.dumps([outcome_to_json(one, turn.id) for one in outcomes])
    assert [type(one) for one in outcomes] == [Run, Wait, Refuse, Run]
    assert [word for word in ("secret-program", "note.save", "note.drop", "cook") if word in told] == []


async def test_in_plan_mode_all_tools_stay_visible(memory_harness: GateHarness) -> None:
    turn = await memory_harness.turn(mode="plan")

    assert len(await turn.visible_tools()) == 6


async def test_a_locked_question_is_asked_in_every_mode_but_plan(memory_harness: GateHarness) -> None:
    for mode in ("default", "accept_edits", "auto"):
        question = await ask_person(
            await memory_harness.turn(mode=mode, conversation=f"c-{mode}"), REMOVE_ROOT
        )
        with pytest.raises(ConflictError, match="asks every time"):
            await memory_harness.answer(question, ALWAYS)


@pytest.mark.proves("T-47", "R000-34")
@pytest.mark.parametrize("word", ["yolo", "AUTO", "x" * 10_000, "auto ", "paln"])
@pytest.mark.parametrize("claimed", [True, False])
async def test_a_turn_with_an_unknown_mode_is_refused(
    memory_harness: GateHarness, word: str, *, claimed: bool
) -> None:
    opening = TurnOptions(mode=word, claimed=claimed)
    with pytest.raises(UnknownWordError):
        await memory_harness.gate.begin(ANA, conversation="c1", agent="clerk", options=opening)

    assert await memory_harness.store.conversation("c1") is None


@pytest.mark.proves("R000-34")
async def test_an_empty_mode_means_the_mode_of_the_conversation(memory_harness: GateHarness) -> None:
    await memory_harness.turn()
    await memory_harness.gate.conversations.change(ANA, "c1", ConversationChanges(mode="plan"))
    turn = await memory_harness.gate.begin(
        ANA, conversation="c1", agent="clerk", options=TurnOptions(mode="")
    )

    assert turn.context.mode_name == "plan"
