"""`assent tiers` says what each agent may do with each tool, for every process at once."""

import json

import pytest

from assent.engine.policy.tiers import Tier, TierSetting
from assent.gate.outcome import Refuse, Wait
from assent.gate.store import ToolTier
from tests.cli.asking import a_call, a_turn, gate_at, left, run
from tests.cli.running import Command, Place


@pytest.mark.proves("T-14")
async def test_a_tool_that_another_process_blocks_is_gone_before_the_next_call(place: Place) -> None:
    async with gate_at(place) as gate:
        turn = await a_turn(gate)
        before = await turn.submit(a_call())
        ran = await run(place, "tiers", "set", "clerk", "Bash", "blocked")
        after = await turn.submit(a_call(id="call-2"))

    assert isinstance(before, Wait)
    assert (ran.status, ran.out, ran.err) == (0, "clerk, Bash: blocked\n", "")
    assert isinstance(after, Refuse)


async def test_the_tiers_are_listed_by_agent_and_tool_and_say_whether_a_name_gave_them(
    place: Place, command: Command
) -> None:
    async with gate_at(place) as gate:
        await gate.store.set_tiers(
            [
                ToolTier("scout", "mail.send", TierSetting(Tier.BLOCKED)),
                ToolTier("clerk", "mail.read", TierSetting(Tier.ALWAYS_ALLOW, explicit=False)),
            ]
        )

    every, scouts = command("tiers", "list"), command("tiers", "list", "--agent", "scout", "--json")

    assert every.lines == ["clerk  mail.read  always_allow  (by its name)", "scout  mail.send  blocked"]
    assert [(one["agent"], one["tool"], one["tier"]) for one in json.loads(scouts.out)] == [
        ("scout", "mail.send", "blocked")
    ]


async def test_a_tier_that_is_none_sets_nothing(place: Place, command: Command) -> None:
    await left(place, [])

    ran, listed = command("tiers", "set", "clerk", "Bash", "perhaps"), command("tiers", "list")

    assert (ran.status, ran.out) == (2, "")
    assert "'perhaps' is not one of" in ran.err
    assert (listed.status, listed.out, listed.err) == (0, "", "no tiers are set\n")


@pytest.mark.proves("T-10")
async def test_a_name_cannot_hide_anything(place: Place, command: Command) -> None:
    async with gate_at(place) as gate:
        await gate.store.set_tiers([ToolTier("cl\x1b[2Jerk", "mail\u202e.send", TierSetting(Tier.BLOCKED))])

    assert command("tiers", "list").out == "cl\\u001b[2Jerk  mail\\u202e.send  blocked\n"
