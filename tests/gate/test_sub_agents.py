"""A remote caller names its sub-agents: people see them, the audit keeps them, and they can only narrow."""

from dataclasses import replace

import pytest

from assent.engine.policy.rule import RuleList
from assent.engine.policy.snapshot import Tier
from assent.errors import InputError
from assent.gate.access import (
    MAX_SUB_AGENTS,
    SubAgent,
    check_sub_agents,
    sub_agents_from_text,
    sub_agents_to_text,
)
from assent.gate.approval import State
from assent.gate.calls import Code, Outcome, Refuse, Run, Wait
from assent.gate.gate import TurnOptions
from assent.gate.turn import Turn
from tests.gate.samples import ADA, ANA, CLERK
from tests.gate.scene import ALWAYS, ONCE, PUT, READ, GateHarness, ask_person

EXPLORE = SubAgent("a1b2", "Explore")
PLAN = SubAgent("c3", "Plan")
UNNAMED = SubAgent("d4")


async def begin_turn(
    harness: GateHarness, *named: SubAgent, conversation: str = "c1", mode: str | None = None
) -> Turn:
    options = TurnOptions(claimed=True, sub_agents=named, mode=mode)
    return await harness.gate.begin(CLERK, conversation=conversation, agent="clerk", options=options)


async def submit_as_sub_agent(harness: GateHarness, *named: SubAgent) -> Outcome:
    return await (await begin_turn(harness, *named)).submit(replace(PUT, id=""))


def test_the_kind_names_the_policy_of_a_sub_agent_or_else_its_id() -> None:
    assert EXPLORE.policy_name("clerk") == "clerk/Explore"
    assert UNNAMED.policy_name("clerk") == "clerk/d4"


@pytest.mark.parametrize("named", [(), (EXPLORE,), (EXPLORE, PLAN, UNNAMED), (SubAgent('"ñ,', "日 🙂"),)])
def test_sub_agents_are_parsed_from_their_text(named: tuple[SubAgent, ...]) -> None:
    assert sub_agents_from_text(sub_agents_to_text(named)) == named


@pytest.mark.parametrize(
    "named",
    [(EXPLORE,) * (MAX_SUB_AGENTS + 1), (SubAgent(""),), (SubAgent("a\n"),), (SubAgent("a", "\x1b"),)],
)
def test_too_many_or_unusable_sub_agents_are_refused(named: tuple[SubAgent, ...]) -> None:
    with pytest.raises(InputError):
        check_sub_agents(named)
    check_sub_agents((EXPLORE,) * MAX_SUB_AGENTS)


async def test_the_question_and_the_audit_name_the_sub_agents(harness: GateHarness) -> None:
    turn = await begin_turn(harness, EXPLORE, PLAN)
    asked = await ask_person(turn, PUT)
    await harness.answer(asked, ONCE)
    stored = await harness.store.approval(asked.id)
    await harness.store.flush_audit()
    links, _ = await harness.store.audit()

    assert (stored.call.agent, stored.lineage, stored.sub_agents) == ("clerk", (), (EXPLORE, PLAN))
    assert {(one.entry.agent, one.entry.sub_agents, one.version) for one in links} == {
        ("clerk", '[["a1b2","Explore"],["c3","Plan"]]', 2)
    }


async def test_the_turn_of_a_sub_agents_call_can_be_rejoined(harness: GateHarness) -> None:
    asked = await ask_person(await begin_turn(harness, EXPLORE), PUT)
    turn = await harness.gate.rejoin(CLERK, asked.id)
    await harness.answer(asked, ONCE)

    assert turn.context.sub_agents == (EXPLORE,)
    assert isinstance(await turn.resume(asked.id), Run)


@pytest.mark.proves("T-29")
@pytest.mark.parametrize("named", [(EXPLORE,), (PLAN, EXPLORE), (EXPLORE, PLAN)])
async def test_a_deny_rule_for_a_kind_of_sub_agents_stops_only_those(
    harness: GateHarness, named: tuple[SubAgent, ...]
) -> None:
    await harness.add_rule(RuleList.ALLOW, "note.put", agent="clerk")
    await harness.add_rule(RuleList.DENY, "note.put", agent="clerk/Explore")
    below = await submit_as_sub_agent(harness, *named)

    assert isinstance(below, Refuse)
    assert below.code is Code.DENIED
    assert isinstance(await submit_as_sub_agent(harness), Run)
    assert isinstance(await submit_as_sub_agent(harness, PLAN), Run)


@pytest.mark.proves("T-29")
async def test_no_rule_grant_or_tier_of_a_sub_agent_widens(harness: GateHarness) -> None:
    await harness.add_rule(RuleList.ALLOW, "note.put", agent="clerk/Explore")
    await harness.gate.policy.set_tiers(ADA, "clerk/Explore", {"note.put": Tier.ALWAYS_ALLOW})

    assert isinstance(await submit_as_sub_agent(harness), Wait)
    assert isinstance(await submit_as_sub_agent(harness, EXPLORE), Wait)


async def test_a_tier_of_a_sub_agent_narrows(harness: GateHarness) -> None:
    await harness.add_rule(RuleList.ALLOW, "note.put", agent="clerk")
    await harness.gate.policy.set_tiers(ADA, "clerk/Explore", {"note.put": Tier.NEEDS_APPROVAL})
    await harness.gate.policy.set_tiers(ADA, "clerk/Plan", {"note.put": Tier.BLOCKED})

    assert isinstance(await submit_as_sub_agent(harness), Run)
    assert isinstance(await submit_as_sub_agent(harness, EXPLORE), Wait)
    assert isinstance(await submit_as_sub_agent(harness, EXPLORE, PLAN), Refuse)


async def test_always_for_a_sub_agents_call_is_for_its_agent(harness: GateHarness) -> None:
    asked = await ask_person(await begin_turn(harness, EXPLORE), PUT)
    await harness.answer(asked, ALWAYS)

    assert isinstance(await submit_as_sub_agent(harness), Run)
    assert isinstance(await submit_as_sub_agent(harness, PLAN), Run)


async def test_reads_of_sub_agents_run_as_before(harness: GateHarness) -> None:
    await harness.add_rule(RuleList.DENY, "mail.send", agent="clerk/Explore")

    assert isinstance(await (await begin_turn(harness, EXPLORE)).submit(READ), Run)


async def test_a_deny_rule_that_came_after_the_yes_stops_the_sub_agents_call(harness: GateHarness) -> None:
    asked = await ask_person(await begin_turn(harness, EXPLORE), PUT)
    await harness.answer(asked, ONCE)
    await harness.add_rule(RuleList.DENY, "note.put", agent="clerk/Explore")
    outcome = await (await harness.gate.rejoin(CLERK, asked.id)).resume(asked.id)

    assert isinstance(outcome, Refuse)
    assert (await harness.store.approval(asked.id)).state is State.REFUSED


async def test_a_person_may_name_sub_agents_too(harness: GateHarness) -> None:
    options = TurnOptions(preset="assent", sub_agents=(EXPLORE,))
    turn = await harness.gate.begin(ANA, conversation="c9", agent="clerk", options=options)

    assert (await ask_person(turn, PUT)).sub_agents == (EXPLORE,)
