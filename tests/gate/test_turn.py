"""A turn: what a call comes to, who it is made for, and that nothing runs twice or behind anybody's back."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from assent.engine.base.tool import Call, Effect, Tool
from assent.engine.policy.rule import RuleList
from assent.engine.policy.tiers import Tier
from assent.errors import ConflictError, InputError, NotFoundError, UnknownWordError
from assent.gate.approval import State
from assent.gate.calls import Code, Refuse, Run, Wait
from assent.gate.catalog import DeclaredTool
from assent.gate.conversations import ConversationChanges
from assent.gate.gate import TurnOptions
from assent.gate.policy import StoredGrant
from assent.gate.ports import Limits
from assent.gate.preset import Lifetime
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
    Scene,
    a_scene,
    ask_person,
    would_run,
)
from tests.waiting import wait_for_waiting_callers

# ---- submitting -----------------------------------------------------------------------------


OUTCOMES = {
    # In the modes default, plan, accept_edits and auto.
    "note.read": (Run, Run, Run, Run),
    "note.save": (Wait, Refuse, Run, Run),
    "note.put": (Wait, Refuse, Wait, Run),
    "mail.send": (Wait, Refuse, Wait, Run),
    "sh": (Wait, Refuse, Wait, Run),
    "note.drop": (Wait, Refuse, Wait, Wait),
}


@pytest.mark.proves("R000-16", "R000-41")
@pytest.mark.supports("R000-51", "R000-17")
@pytest.mark.parametrize("tool", OUTCOMES)
async def test_a_call_comes_to_what_its_mode_says(in_memory: Scene, tool: str) -> None:
    args = {"command": "make publish"} if tool == "sh" else {"path": "notes/a.md"}
    turns = [await in_memory.turn(mode=mode) for mode in ("default", "plan", "accept_edits", "auto")]

    found = [type(await turn.submit(Call(tool=tool, args=args))) for turn in turns]

    assert tuple(found) == OUTCOMES[tool]


@pytest.mark.proves("R001-21")
async def test_a_tool_that_nobody_declared_does_not_exist(scene: Scene) -> None:
    outcome = await (await scene.turn(mode="auto")).submit(Call(tool="note.burn", args={}))

    assert outcome == Refuse(code=Code.UNKNOWN_TOOL, message="there is no such tool")


@pytest.mark.proves("R002-30")
async def test_a_tool_of_another_agent_does_not_exist(scene: Scene) -> None:
    scene.gate.offer(DeclaredTool(tool=Tool(name="spawn", effect=Effect.READ), agent="lead"))
    worker, lead = await scene.turn(mode="auto", agent="worker"), await scene.turn(mode="auto", agent="lead")

    refused = await worker.submit(Call(tool="spawn", args={}))

    assert refused == Refuse(code=Code.UNKNOWN_TOOL, message="there is no such tool")
    assert isinstance(await lead.submit(Call(tool="spawn", args={})), Run)
    assert "spawn" not in {tool.name for tool in await worker.visible_tools()}


@pytest.mark.proves("T-5")
async def test_who_calls_is_what_the_turn_says_whatever_the_call_says(scene: Scene) -> None:
    forged = replace(PUT, agent="cook", conversation="c9", user="ada")

    question = await ask_person(await scene.turn(), forged)

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
async def test_what_no_store_should_hold_is_refused_at_the_edge(in_memory: Scene, call: Call) -> None:
    turn = await in_memory.turn(mode="auto")

    with pytest.raises(InputError):
        await turn.submit(call)


@pytest.mark.proves("R-18")
async def test_arguments_nested_too_deep_are_refused_and_crash_nothing(in_memory: Scene) -> None:
    deep: object = 0
    for _ in range(10_000):
        deep = [deep]

    with pytest.raises(InputError, match="deeper than 64"):
        await (await in_memory.turn(mode="auto")).submit(replace(PUT, args={"x": deep}))


@pytest.mark.proves("T-3")
async def test_what_was_decided_is_what_runs_however_the_caller_changes_it(scene: Scene) -> None:
    inner = ["a"]
    args: dict[str, object] = {"command": "make publish", "files": inner}
    turn = await scene.turn(mode="auto")

    outcome = await turn.submit(replace(PUBLISH, args=args))
    args["command"] = "rm -rf /"
    inner.append("b")

    assert isinstance(outcome, Run)
    assert outcome.call.args == {"command": "make publish", "files": ["a"]}


@pytest.mark.proves("T-3")
async def test_what_was_asked_is_what_runs_however_the_caller_changes_it(scene: Scene) -> None:
    args: dict[str, object] = {"command": "make publish"}
    turn = await scene.turn()
    question = await ask_person(turn, replace(PUBLISH, args=args))
    args["command"] = "rm -rf /"
    await scene.answer(question, ONCE)

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Run)
    assert outcome.call.args == {"command": "make publish"}


# ---- at most once ---------------------------------------------------------------------------


@pytest.mark.proves("R-6")
async def test_the_same_call_again_is_the_same_question(scene: Scene) -> None:
    turn = await scene.turn()

    first, again = await ask_person(turn, PUT), await ask_person(turn, PUT)

    assert first == again


@pytest.mark.proves("R-6", "R000-32")
@pytest.mark.parametrize("answer", [ONCE, ALWAYS, FOR_CHAT])
async def test_a_call_that_was_asked_runs_once_however_often_it_is_made_again(
    scene: Scene, answer: object
) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, PUBLISH)
    await scene.answer(question, answer)  # type: ignore[arg-type]

    outcomes = [await turn.submit(PUBLISH), await turn.resume(question.id), await turn.submit(PUBLISH)]
    outcomes.append(await (await scene.turn()).submit(PUBLISH))
    outcomes.append(await (await scene.turn(mode="auto")).submit(PUBLISH))

    assert [type(one) for one in outcomes] == [Run, Refuse, Refuse, Refuse, Refuse]


async def test_a_call_that_was_denied_stays_denied_in_a_wider_mode(scene: Scene) -> None:
    question = await ask_person(await scene.turn(), PUT)
    await scene.answer(question, DENY)

    outcome = await (await scene.turn(mode="auto")).submit(PUT)

    assert isinstance(outcome, Refuse)


@pytest.mark.proves("R-6")
async def test_another_call_under_the_id_of_a_question_conflicts_even_where_it_could_run(
    scene: Scene,
) -> None:
    await ask_person(await scene.turn(), PUT)

    with pytest.raises(ConflictError):
        await (await scene.turn(mode="auto")).submit(replace(PUT, args={"key": "b"}))


@pytest.mark.proves("R001-26")
async def test_a_wider_mode_does_not_run_a_question_that_is_open(scene: Scene) -> None:
    question = await ask_person(await scene.turn(), PUT)

    outcome = await (await scene.turn(mode="auto")).submit(PUT)

    assert isinstance(outcome, Wait)
    assert outcome.approval.id == question.id


# ---- whose it is ----------------------------------------------------------------------------


@pytest.mark.proves("T-38", "T-4")
async def test_outside_of_a_conversation_two_people_with_an_agent_of_one_name_share_nothing(
    scene: Scene,
) -> None:
    anas = await scene.turn(conversation="")
    bens = await scene.turn(conversation="", principal=BEN)
    question, other = await ask_person(anas, PUT), await ask_person(bens, PUT)
    await scene.answer(question, ONCE)

    assert question.id != other.id
    with pytest.raises(NotFoundError):
        await bens.resume(question.id)
    with pytest.raises(NotFoundError):
        await bens.wait(await scene.store.approval(question.id))
    assert isinstance(await anas.resume(question.id), Run)


@pytest.mark.proves("T-4", "T-38")
@pytest.mark.parametrize("place", [{"conversation": "c2"}, {"agent": "cook"}])
async def test_a_question_of_another_conversation_or_agent_cannot_be_taken_here(
    scene: Scene, place: dict[str, str]
) -> None:
    question = await ask_person(await scene.turn(), PUT)
    elsewhere = await scene.turn(**place)  # type: ignore[arg-type]

    with pytest.raises(NotFoundError):
        await elsewhere.resume(question.id)
    await scene.answer(question, ONCE)
    with pytest.raises(NotFoundError):
        await elsewhere.resume(question.id)
    assert (await scene.store.approval(question.id)).state is State.APPROVED


# ---- waiting --------------------------------------------------------------------------------


@pytest.mark.proves("R000-17", "R000-22")
@pytest.mark.supports("R002-13")
async def test_a_call_that_waits_pauses_alone_and_goes_on_with_the_answer(scene: Scene) -> None:
    turn = await scene.turn()
    waiting = asyncio.create_task(turn.check(PUT))
    await wait_for_waiting_callers(scene.store)
    page = await scene.gate.pending(ANA)

    sibling = await turn.check(READ)
    await scene.answer(page.approvals[0], ONCE)
    outcome = await waiting

    assert isinstance(sibling, Run)
    assert isinstance(outcome, Run)
    assert outcome.call.args == PUT.args


@pytest.mark.proves("R000-31", "R000-30", "R002-27")
async def test_answers_in_any_order_each_reach_their_own_call(scene: Scene) -> None:
    turn = await scene.turn()
    calls = [replace(PUT, id=f"call-{number}", args={"key": number}) for number in range(6)]
    waiting = [asyncio.create_task(turn.check(call)) for call in calls]
    await wait_for_waiting_callers(scene.store, 6)
    page = await scene.gate.pending(ANA)
    assert [one.asked_at for one in page.approvals] == sorted(one.asked_at for one in page.approvals)

    for question in reversed(page.approvals):
        await scene.answer(question, ONCE if int(str(question.call.args["key"])) % 2 else DENY)
    outcomes = await asyncio.gather(*waiting)

    assert [type(one) for one in outcomes] == [Refuse, Run] * 3
    assert [one.call.args["key"] for one in outcomes if isinstance(one, Run)] == [1, 3, 5]


@pytest.mark.proves("R000-45", "R-8")
async def test_a_caller_that_gives_up_takes_its_question_with_it(scene: Scene) -> None:
    turn = await scene.turn()
    waiting = asyncio.create_task(turn.check(PUT))
    await wait_for_waiting_callers(scene.store)
    page = await scene.gate.pending(ANA)

    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    left = await scene.store.approval(page.approvals[0].id)
    assert (left.state, left.note) == (State.WITHDRAWN, "its caller is gone")
    assert (await scene.gate.pending(ANA)).approvals == ()


@pytest.mark.proves("R-8")
async def test_a_caller_that_gives_up_while_its_question_is_being_written_leaves_none_behind(
    in_memory: Scene,
) -> None:
    turn = await in_memory.turn()
    add, written = in_memory.store.add_approval, asyncio.Event()

    async def add_and_hang(*given: object) -> object:
        await add(*given)  # type: ignore[arg-type]
        written.set()
        return await asyncio.Event().wait()

    in_memory.store.add_approval = add_and_hang  # type: ignore[method-assign,assignment]
    calling = asyncio.create_task(turn.check(replace(PUT, id="")))
    await written.wait()

    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling

    assert (await in_memory.gate.pending(ANA)).approvals == ()


async def test_a_caller_that_gives_up_while_the_store_is_gone_is_still_cancelled(in_memory: Scene) -> None:
    turn = await in_memory.turn()
    question = await ask_person(turn, PUT)
    waiting = asyncio.create_task(turn.wait(question))
    await wait_for_waiting_callers(in_memory.store)

    waiting.cancel()
    await in_memory.store.close()

    with pytest.raises(asyncio.CancelledError):
        await waiting


@pytest.mark.proves("R000-45", "R000-49")
async def test_the_end_of_a_turn_takes_back_what_it_still_asks_and_nothing_else(scene: Scene) -> None:
    turn, other = await scene.turn(), await scene.turn()
    questions = [await ask_person(turn, replace(PUT, id=f"call-{number}")) for number in range(3)]
    kept = await ask_person(other, SEND)
    await scene.answer(questions[0], ONCE)
    await scene.answer(questions[1], ONCE)
    assert isinstance(await turn.resume(questions[1].id), Run)

    await turn.end("a newer message")

    states = [(await scene.store.approval(one.id)).state for one in (*questions, kept)]
    assert states == [State.WITHDRAWN, State.RUNNING, State.WITHDRAWN, State.PENDING]


@pytest.mark.proves("R004-50")
async def test_a_suspended_question_outlives_its_turn(scene: Scene) -> None:
    await scene.gate.policy.set_tiers(ADA, "clerk", {"mail.send": Tier.NEEDS_APPROVAL})
    turn = await scene.turn("tiers")
    question = await ask_person(turn, SEND)

    await turn.end()
    await scene.answer(question, ONCE)

    assert isinstance(await (await scene.turn("tiers")).resume(question.id), Run)


async def test_stop_takes_back_the_suspended_ones_too(scene: Scene) -> None:
    await scene.gate.policy.set_tiers(ADA, "clerk", {"mail.send": Tier.NEEDS_APPROVAL})
    question = await ask_person(await scene.turn("tiers"), SEND)

    await scene.gate.withdraw_all(ApprovalFilter(conversation="c1"), "stopped")

    assert (await scene.store.approval(question.id)).state is State.WITHDRAWN


@pytest.mark.proves("R-2", "R-8")
async def test_a_caller_that_comes_back_in_another_process_gets_the_answer(tmp_path: Path) -> None:
    async with a_scene("sqlite", tmp_path) as before:
        question = await ask_person(await before.turn(), PUT)
    async with a_scene("sqlite", tmp_path) as after:
        turn = await after.turn()
        waiting = asyncio.create_task(turn.check(PUT))
        await wait_for_waiting_callers(after.store)
        after.clock.advance(timedelta(seconds=90))
        await after.store.record_heartbeat()
        await after.store.sweep(timedelta(seconds=60))
        await after.answer(question, ONCE)

        assert isinstance(await waiting, Run)


async def test_a_yes_releases_and_an_end_takes_back_more_than_one_page(in_memory: Scene) -> None:
    scene = Scene(in_memory.store, in_memory.clock, limits=Limits(pending=1000))
    turn = await scene.turn()
    first, *rest = [await ask_person(turn, replace(PUBLISH, id=f"call-{number}")) for number in range(251)]

    await scene.answer(first, ALWAYS)
    released = {(await scene.store.approval(one.id)).state for one in rest}
    await turn.end()

    assert released == {State.APPROVED}
    assert {(await scene.store.approval(one.id)).state for one in rest} == {State.WITHDRAWN}


# ---- what stays as it began -----------------------------------------------------------------


@pytest.mark.proves("R000-36")
async def test_a_turn_keeps_the_mode_it_began_with(scene: Scene) -> None:
    turn = await scene.turn()
    await scene.gate.conversations.change(ANA, "c1", ConversationChanges(mode="auto"))

    now, next_one = await would_run(turn, PUT), await would_run(await scene.turn(), PUT)

    assert (now, next_one) == (False, True)


@pytest.mark.proves("R004-21", "R004-26")
async def test_a_suspended_turn_keeps_the_tiers_and_overrides_it_began_with(scene: Scene) -> None:
    await scene.gate.policy.set_tiers(
        ADA, "clerk", {"mail.send": Tier.NEEDS_APPROVAL, "note.put": Tier.ALWAYS_ALLOW}
    )
    turn = await scene.turn("tiers")
    question = await ask_person(turn, SEND)
    await scene.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.NEEDS_APPROVAL})

    await scene.answer(question, ALWAYS)

    assert [await would_run(turn, call) for call in (SEND, PUT)] == [False, True]
    later = await scene.turn("tiers")
    assert [await would_run(later, call) for call in (SEND, PUT)] == [True, False]


@pytest.mark.proves("R004-12", "T-14", "R004-14")
async def test_a_suspended_turn_sees_at_once_what_is_taken_away(scene: Scene) -> None:
    tiers = dict.fromkeys(("mail.send", "note.put", "sh"), Tier.NEEDS_APPROVAL)
    await scene.gate.policy.set_tiers(ADA, "clerk", tiers)
    for call in (SEND, PUT, PUBLISH):
        await scene.answer(await ask_person(await scene.turn("tiers"), call), ALWAYS)
    turn = await scene.turn("tiers")
    assert [await would_run(turn, call) for call in (SEND, PUT, PUBLISH)] == [True] * 3

    overrides = {one.pattern: one.id for one in await scene.store.grants()}
    await scene.gate.policy.revoke(ANA, overrides["mail.send"])
    await scene.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.BLOCKED})
    await scene.add_rule(RuleList.DENY, "sh")

    assert isinstance(await turn.submit(replace(SEND, id="")), Wait)
    assert [await would_run(turn, call) for call in (PUT, PUBLISH)] == [False, False]


async def test_a_counted_grant_that_is_used_up_asks_again_in_a_suspended_turn(scene: Scene) -> None:
    await scene.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.NEEDS_APPROVAL})
    await scene.store.add_policy(
        [StoredGrant(id="g1", pattern="note.put", lifetime=Lifetime.USES, uses=2, by="ana")]
    )
    turn = await scene.turn("tiers")

    found = [await would_run(turn, PUT) for _ in range(4)]

    assert found == [True, True, False, False]


@pytest.mark.proves("T-14")
async def test_a_turn_that_waits_sees_new_rules_grants_and_revocations_at_once(scene: Scene) -> None:
    turn = await scene.turn()
    await scene.answer(await ask_person(turn, PUBLISH), ALWAYS)
    (rule,) = await scene.store.rules()
    granted = await would_run(turn, PUBLISH)
    await scene.gate.policy.revoke(ANA, rule.id)
    revoked = await would_run(turn, PUBLISH)
    await scene.add_rule(RuleList.DENY, "note.read")

    assert (granted, revoked, await would_run(turn, READ)) == (True, False, False)


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
async def test_a_sub_agent_never_has_more_than_its_parent(
    in_memory: Scene, parent: str, child: str, expected: type
) -> None:
    above = await in_memory.turn(mode=parent, agent="lead")
    below = await in_memory.turn(mode=child, agent="worker", parent=above)
    lowest = await in_memory.turn(mode="auto", agent="runner", parent=below)

    assert [type(await turn.submit(PUT)) for turn in (below, lowest)] == [expected, expected]


@pytest.mark.proves("T-31")
async def test_what_is_blocked_or_denied_above_is_so_below(scene: Scene) -> None:
    await scene.gate.policy.set_tiers(
        ADA, "lead", {"note.put": Tier.BLOCKED, "mail.send": Tier.NEEDS_APPROVAL}
    )
    await scene.add_rule(RuleList.DENY, "sh", agent="lead")
    above = await scene.turn(mode="auto", agent="lead")
    below = await scene.turn(mode="auto", agent="worker", parent=above)

    outcomes = [await below.submit(call) for call in (PUT, SEND, PUBLISH)]

    assert [type(one) for one in outcomes] == [Refuse, Wait, Refuse]
    assert "note.put" not in {tool.name for tool in await below.visible_tools()}


@pytest.mark.proves("T-31", "T-14")
async def test_what_is_blocked_above_while_a_question_waits_stops_the_one_below(scene: Scene) -> None:
    above = await scene.turn(agent="lead")
    below = await scene.turn(agent="worker", parent=above)
    question = await ask_person(below, PUT)
    await scene.answer(question, ONCE)
    await scene.gate.policy.set_tiers(ADA, "lead", {"note.put": Tier.BLOCKED})

    assert isinstance(await below.resume(question.id), Refuse)


@pytest.mark.proves("R000-44")
async def test_a_sub_agent_asks_in_its_parents_conversation_and_names_its_line(scene: Scene) -> None:
    above = await scene.turn(agent="lead")
    below = await scene.gate.begin(ANA, agent="worker", parent=above)
    lowest = await scene.gate.begin(ANA, agent="runner", parent=below)

    question = await ask_person(lowest, PUBLISH)

    assert (question.call.conversation, question.preset) == ("c1", "assent")
    assert question.lineage == ("worker", "lead")


@pytest.mark.proves("R000-44")
async def test_a_conversations_grant_is_shared_below_and_an_agents_own_is_not(scene: Scene) -> None:
    above = await scene.turn(agent="lead")
    below = await scene.turn(agent="worker", parent=above)
    await scene.answer(await ask_person(above, PUBLISH), FOR_CHAT)
    await scene.answer(await ask_person(above, SEND), ALWAYS)

    assert [await would_run(above, call) for call in (PUBLISH, SEND)] == [True, True]
    assert [await would_run(below, call) for call in (PUBLISH, SEND)] == [True, False]


# ---- nobody there ---------------------------------------------------------------------------


@pytest.mark.proves("R001-40", "R001-41", "R000-54", "R004-49")
async def test_where_nobody_can_be_reached_what_would_ask_is_denied_and_destructive_tools_are_absent(
    scene: Scene,
) -> None:
    turn = await scene.turn(attended=False)
    below = await scene.turn(agent="worker", parent=turn)

    for one in (turn, below):
        put, drop = await one.submit(PUT), await one.submit(DROP)
        assert isinstance(put, Refuse)
        assert put.code is Code.UNATTENDED
        assert drop == Refuse(code=Code.UNKNOWN_TOOL, message="there is no such tool")
        assert "note.drop" not in {tool.name for tool in await one.visible_tools()}
    assert (await scene.gate.pending(ANA)).approvals == ()


# ---- what the model sees --------------------------------------------------------------------


@pytest.mark.proves("R004-4", "R004-2", "R004-3")
@pytest.mark.supports("R004-25")
async def test_the_model_sees_every_tool_but_the_absent_ones(scene: Scene) -> None:
    await scene.gate.policy.set_tiers(
        ADA, "clerk", {"note.put": Tier.BLOCKED, "mail.send": Tier.NEEDS_APPROVAL, "sh": Tier.ALWAYS_ALLOW}
    )
    turn = await scene.turn("tiers")

    seen = {tool.name for tool in await turn.visible_tools()}

    assert seen == {"note.read", "note.save", "note.drop", "mail.send", "sh"}
    assert isinstance(await turn.submit(SEND), Wait)
    assert isinstance(await turn.submit(PUBLISH), Run)
    assert isinstance(await turn.submit(PUT), Refuse)


@pytest.mark.proves("R004-24")
async def test_looking_at_the_tools_gives_each_as_it_was_declared_and_leaves_no_trace(scene: Scene) -> None:
    await scene.gate.policy.set_tiers(
        ADA, "clerk", {"note.put": Tier.BLOCKED, "mail.send": Tier.NEEDS_APPROVAL}
    )
    turn = await scene.turn("tiers")

    first, again = await turn.visible_tools(), await turn.visible_tools()

    assert first == again == tuple(tool for tool in first if tool in TOOLS)
    assert {tool.name for tool in TOOLS} - {tool.name for tool in first} == {"note.put"}
    assert (await scene.gate.pending(ANA)).approvals == ()
    assert [one["decision"] for one in await scene.entries()] == ["tiers_set"]
    assert isinstance(await turn.submit(SEND), Wait)


@pytest.mark.proves("R004-28")
async def test_what_a_call_is_decided_on_is_not_told_by_what_comes_of_it(scene: Scene) -> None:
    await scene.gate.policy.set_tiers(
        ADA, "clerk", {"note.put": Tier.BLOCKED, "mail.send": Tier.NEEDS_APPROVAL}
    )
    await scene.add_rule(RuleList.ASK, "sh(secret-program *)")
    turn = await scene.turn("tiers")

    outcomes = [await turn.submit(call) for call in (READ, SEND, PUT, PUBLISH)]

    told = json.dumps([outcome_to_json(one, turn.id) for one in outcomes])
    assert [type(one) for one in outcomes] == [Run, Wait, Refuse, Run]
    assert [word for word in ("secret-program", "note.save", "note.drop", "cook") if word in told] == []


async def test_in_plan_mode_the_tools_stay_in_sight(in_memory: Scene) -> None:
    turn = await in_memory.turn(mode="plan")

    assert len(await turn.visible_tools()) == 6


async def test_a_locked_question_is_asked_in_every_mode_but_plan(in_memory: Scene) -> None:
    for mode in ("default", "accept_edits", "auto"):
        question = await ask_person(await in_memory.turn(mode=mode, conversation=f"c-{mode}"), REMOVE_ROOT)
        with pytest.raises(ConflictError, match="asks every time"):
            await in_memory.answer(question, ALWAYS)


@pytest.mark.proves("T-47", "R000-34")
@pytest.mark.parametrize("word", ["yolo", "AUTO", "x" * 10_000, "auto ", "paln"])
@pytest.mark.parametrize("claimed", [True, False])
async def test_a_mode_nobody_knows_begins_nothing(in_memory: Scene, word: str, *, claimed: bool) -> None:
    opening = TurnOptions(mode=word, claimed=claimed)
    with pytest.raises(UnknownWordError):
        await in_memory.gate.begin(ANA, conversation="c1", agent="clerk", options=opening)

    assert await in_memory.store.conversation("c1") is None


@pytest.mark.proves("R000-34")
async def test_an_empty_mode_is_the_conversations(in_memory: Scene) -> None:
    await in_memory.turn()
    await in_memory.gate.conversations.change(ANA, "c1", ConversationChanges(mode="plan"))
    turn = await in_memory.gate.begin(ANA, conversation="c1", agent="clerk", options=TurnOptions(mode=""))

    assert turn.context.mode_name == "plan"
