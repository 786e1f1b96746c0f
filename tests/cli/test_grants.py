"""`assent grants` shows what was said yes to for longer, and ends it everywhere."""

import json

import pytest

from assent.engine.policy.rule import RuleList
from assent.gate.answer import Answer, Say
from assent.gate.outcome import Run, Wait
from assent.gate.preset import Lifetime
from assent.gate.stored_policy import StoredRule
from tests.cli.asking import a_call, a_turn, answer, ask, gate_at, left, run
from tests.cli.running import Command, Place
from tests.gate.samples import a_grant

ALWAYS = Answer(say=Say.ALWAYS, rules=("Bash(npm *)",))


@pytest.mark.proves("T-14")
async def test_what_another_process_revokes_counts_no_more_for_the_next_call(place: Place) -> None:
    async with gate_at(place) as gate:
        turn = await a_turn(gate)
        await answer(gate, await ask(turn), ALWAYS)
        (rule,) = await gate.store.rules()
        before = await turn.submit(a_call("npm install left-pad", "call-2"))
        ran = await run(place, "grants", "revoke", rule.id)

        assert isinstance(before, Run)
        assert (ran.status, ran.out, ran.err) == (0, f"revoked {rule.id}\n", "")
        assert isinstance(await turn.submit(a_call("npm install left-pad", "call-3")), Wait)


async def test_each_grant_says_what_it_covers_for_whom_how_long_and_who_gave_it(
    place: Place, command: Command
) -> None:
    given = [
        a_grant("g1", agent="clerk", lifetime=Lifetime.USES, uses=3),
        a_grant("g2", user="ana", conversation="c1"),
        a_grant("g3", pattern="mail.send"),
    ]
    async with gate_at(place) as gate:
        rule = StoredRule(id="r1", list=RuleList.DENY, text="Bash(curl *)", by="ada")
        await gate.store.add_policy(given, [rule])

    lines = [line.strip() for line in command("grants", "list").lines]

    assert lines == [
        "g1  terminal.exec(npm *)",
        "agent clerk, 3 uses left; by ana 0s ago",
        "g2  terminal.exec(npm *)",
        "conversation c1, user ana, for good; by ana 0s ago",
        "g3  mail.send",
        "everyone, for good; by ana 0s ago",
        "r1  Bash(curl *)",
        "deny rule, everyone; by ada 0s ago",
    ]


async def test_json_has_grants_and_rules_apart(place: Place, command: Command) -> None:
    async with gate_at(place) as gate:
        await gate.store.add_policy([a_grant("g1")])

    found = json.loads(command("grants", "list", "--json").out)

    assert ([one["id"] for one in found["grants"]], found["rules"]) == (["g1"], [])


async def test_what_is_not_there_cannot_be_ended(place: Place, command: Command) -> None:
    await left(place, [])

    empty, revoked = command("grants", "list"), command("grants", "revoke", "g9")

    assert (empty.status, empty.out, empty.err) == (0, "", "nothing was granted\n")
    assert (revoked.status, revoked.out, revoked.err) == (2, "", "assent: there is no grant `g9`\n")


@pytest.mark.proves("T-10")
async def test_a_pattern_cannot_hide_anything(place: Place, command: Command) -> None:
    async with gate_at(place) as gate:
        await gate.store.add_policy([a_grant("g1", pattern="Bash(a\x1b[2Jb)", by="an\x07a")])

    ran = command("grants", "list")

    assert "Bash(a\\u001b[2Jb)" in ran.out
    assert "by an\\u0007a" in ran.out
    assert "\x1b" not in ran.out
