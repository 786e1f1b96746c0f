"""Calls of undeclared tools ask if an administrator set this for the agent, and are refused otherwise."""

import asyncio
from dataclasses import replace

import pytest

from assent.engine.base.tool import Call, Effect, Tool
from assent.engine.policy.verdict import Stage
from assent.errors import ForbiddenError, InputError
from assent.gate.access import Principal
from assent.gate.approval import Approval, State
from assent.gate.calls import Code, Outcome, Refuse, Run, Wait
from assent.gate.catalog import DeclaredTool, TrustLevel
from assent.gate.conversations import ConversationChanges
from assent.gate.gate import TurnOptions
from assent.gate.unknown_tools import (
    MAX_ARGUMENTS,
    MAX_NAME_LENGTH,
    MAX_UNDECLARED_TOOLS,
    UnknownAnswer,
    argument_names,
    undeclared_tool,
)
from tests.gate.samples import ADA, ANA, CLERK, ROBOT
from tests.gate.scene import ONCE, PUT, READ, GateHarness, to_review

ASK, REFUSE = UnknownAnswer.ASK, UnknownAnswer.REFUSE
LAUNCH = Call(tool="mcp__rocket__launch", args={"site": "a", "when": "now"})
REMOTE = TurnOptions(claimed=True)


async def submit(
    harness: GateHarness, call: Call = LAUNCH, *, agent: str = "clerk", mode: str | None = None
) -> Outcome:
    who = Principal(id=agent, kind=CLERK.kind, on_behalf="ana")
    conversation = f"c-{agent}-{mode}"
    if mode is not None:
        await harness.gate.begin(ANA, conversation=conversation, agent=agent)
        await harness.gate.conversations.change(ANA, conversation, ConversationChanges(mode=mode))
    turn = await harness.gate.begin(who, conversation=conversation, agent=agent, options=REMOTE)
    return await turn.submit(call)


async def submit_and_expect_wait(harness: GateHarness, call: Call = LAUNCH) -> Approval:
    outcome = await submit(harness, call)
    assert isinstance(outcome, Wait), outcome
    return outcome.approval


async def accept_tool(harness: GateHarness) -> None:
    (changed,) = await to_review(harness, ADA)
    await harness.gate.accept_definition(ADA, changed.tool, digest=changed.digest, origin=changed.origin)


def is_unknown(outcome: Outcome) -> bool:
    return isinstance(outcome, Refuse) and outcome.code is Code.UNKNOWN_TOOL


async def test_an_undeclared_tool_is_unknown_until_an_administrator_opens_the_agent(
    harness: GateHarness,
) -> None:
    before = await submit(harness)
    await harness.gate.unknown_tools.set_answer(ADA, "clerk", ASK)
    asked = await submit_and_expect_wait(harness)
    other = await submit(harness, agent="helper")

    assert is_unknown(before)
    assert (asked.decision.stage, asked.tool.effect) == (Stage.CHANGED, Effect.EXTERNAL)
    assert asked.decision.because.startswith("nobody declared the tool `mcp__rocket__launch`")
    assert asked.tool.origin == "undeclared/clerk/mcp__rocket__launch"
    assert argument_names(asked.tool) == {"site", "when"}
    assert is_unknown(other)


@pytest.mark.parametrize("who", [ANA, CLERK, ROBOT])
async def test_only_an_administrator_opens_an_agent(harness: GateHarness, who: Principal) -> None:
    with pytest.raises(ForbiddenError):
        await harness.gate.unknown_tools.set_answer(who, "clerk", ASK)

    assert await harness.gate.unknown_tools.answer("clerk") is REFUSE
    assert is_unknown(await submit(harness))


async def test_opening_an_agent_and_the_first_call_of_a_tool_are_in_the_audit(harness: GateHarness) -> None:
    await harness.gate.unknown_tools.set_answer(ADA, "clerk", ASK)
    await submit_and_expect_wait(harness)
    await harness.store.flush_audit()
    links, _ = await harness.store.audit()
    changes = [(one.entry.decision, one.entry.reason) for one in links if not one.entry.call]

    assert changes == [
        ("setting_changed", "unknown tools: ask"),
        ("tools_declared", "undeclared/clerk/mcp__rocket__launch"),
    ]


@pytest.mark.parametrize("mode", ["default", "accept_edits", "auto"])
async def test_it_asks_in_every_mode_but_plan_until_a_person_accepts_it(
    harness: GateHarness, mode: str
) -> None:
    await harness.gate.unknown_tools.set_answer(ADA, "clerk", ASK)
    first = await submit(harness, mode=mode)
    second = await submit(harness, mode=mode)
    plan = await submit(harness, mode="plan")

    assert isinstance(first, Wait)
    assert isinstance(second, Wait)
    assert isinstance(plan, Refuse)
    assert plan.code is Code.PLAN


async def test_an_accepted_tool_is_external_and_no_longer_asks_in_auto_mode(harness: GateHarness) -> None:
    await harness.gate.unknown_tools.set_answer(ADA, "clerk", ASK)
    await submit_and_expect_wait(harness)
    await accept_tool(harness)
    asked = await submit_and_expect_wait(harness)

    assert asked.decision.stage is Stage.MODE
    assert isinstance(await submit(harness, mode="auto"), Run)
    assert isinstance(await submit(harness, replace(LAUNCH, args={"site": "b"}), mode="auto"), Run)


async def test_a_new_argument_asks_again_until_it_is_accepted(harness: GateHarness) -> None:
    await harness.gate.unknown_tools.set_answer(ADA, "clerk", ASK)
    await submit_and_expect_wait(harness)
    await accept_tool(harness)
    wider = await submit(harness, replace(LAUNCH, args={"force": True}), mode="auto")
    known = await submit(harness, mode="auto")
    (changed,) = await to_review(harness, ADA)
    await accept_tool(harness)
    after = await submit(harness, replace(LAUNCH, args={"force": True, "site": "a"}), mode="auto")

    assert isinstance(wider, Wait)
    assert isinstance(known, Wait)
    assert [one.field for one in changed.differences] == ["parameters.properties.force"]
    assert isinstance(after, Run)


async def test_a_yes_runs_the_call_once_and_accepts_nothing(harness: GateHarness) -> None:
    await harness.gate.unknown_tools.set_answer(ADA, "clerk", ASK)
    asked = await submit_and_expect_wait(harness)
    await harness.answer(asked, ONCE)
    run = await (await harness.gate.rejoin(CLERK, asked.id)).resume(asked.id)
    again = await submit_and_expect_wait(harness)

    assert isinstance(run, Run)
    assert run.call.args == LAUNCH.args
    assert again.decision.stage is Stage.CHANGED


async def test_a_closed_agent_forgets_its_undeclared_tools(harness: GateHarness) -> None:
    await harness.gate.unknown_tools.set_answer(ADA, "clerk", ASK)
    asked = await submit_and_expect_wait(harness)
    await harness.answer(asked, ONCE)
    await harness.gate.unknown_tools.set_answer(ADA, "clerk", REFUSE)
    late = await (await harness.gate.rejoin(CLERK, asked.id)).resume(asked.id)

    assert is_unknown(late)
    assert (await harness.store.approval(asked.id)).state is State.REFUSED
    assert is_unknown(await submit(harness))
    assert await to_review(harness, ADA) == []


@pytest.mark.parametrize("agent", ["", "clerk"])
async def test_a_declaration_replaces_what_is_known_from_calls(harness: GateHarness, agent: str) -> None:
    await harness.gate.unknown_tools.set_answer(ADA, "clerk", ASK)
    await submit_and_expect_wait(harness)
    tool = Tool(name=LAUNCH.tool, effect=Effect.READ, origin="mcp:rocket")
    await harness.gate.publish(
        ADA, agent, "mcp:rocket", [DeclaredTool(tool=tool, trust=TrustLevel.TRUSTED, agent=agent)]
    )

    outcome = await submit(harness)
    assert isinstance(outcome, Run)
    assert outcome.decision.stage is Stage.READ


async def test_nobody_can_declare_a_tool_under_the_reserved_origin(harness: GateHarness) -> None:
    one = undeclared_tool("clerk", "rocket", ["a"])
    with pytest.raises(InputError, match="reserved"):
        await harness.gate.publish(ADA, "clerk", one.tool.origin, [one])


async def test_known_tools_are_not_affected(harness: GateHarness) -> None:
    await harness.gate.unknown_tools.set_answer(ADA, "clerk", ASK)

    assert isinstance(await submit(harness, READ), Run)
    assert (await submit_and_expect_wait(harness, PUT)).tool.origin == "server"
    assert list(await harness.store.declarations()) == []


async def test_the_number_of_undeclared_tools_and_arguments_is_limited(memory_harness: GateHarness) -> None:
    harness = memory_harness
    await harness.gate.unknown_tools.set_answer(ADA, "clerk", ASK)
    many = {f"a{number}": 1 for number in range(MAX_ARGUMENTS + 1)}
    for call in (
        Call(tool="x" * (MAX_NAME_LENGTH + 1), args={}),
        Call(tool="x", args={"y" * (MAX_NAME_LENGTH + 1): 1}),
        Call(tool="x", args={"y\n": 1}),
        Call(tool="x", args=many),
    ):
        assert is_unknown(await submit(harness, call))
    turn = await harness.turn(conversation="c-many")
    for number in range(MAX_UNDECLARED_TOOLS):
        await harness.gate.unknown_tools.declare(
            Call(tool=f"t{number}", args={}, agent="clerk"),
            "clerk",
            {f"t{n}": undeclared_tool("clerk", f"t{n}", ()) for n in range(number)},
        )

    assert is_unknown(await turn.submit(Call(tool="one-more", args={})))
    assert not is_unknown(await turn.submit(Call(tool="t0", args={})))


async def test_calls_of_one_undeclared_tool_at_the_same_time_are_all_asked(harness: GateHarness) -> None:
    await harness.gate.unknown_tools.set_answer(ADA, "clerk", ASK)
    found = await asyncio.gather(
        *(submit(harness, replace(LAUNCH, tool=f"t{number % 3}", id=f"i{number}")) for number in range(9))
    )

    assert {type(one) for one in found} == {Wait}
    assert {one.tool.name for one in await harness.store.declarations()} == {"t0", "t1", "t2"}
