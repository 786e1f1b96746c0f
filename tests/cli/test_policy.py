"""`assent grants`, `tiers`, `tools`, `pause` and `resume` list and change the policy in a database."""

import json

import pytest

from assent.client.local_server import LocalServer, write_local_server
from assent.engine.base.tool import Effect, Tool
from assent.engine.policy.rule import RuleList
from assent.engine.policy.snapshot import Tier, TierSetting
from assent.engine.policy.verdict import Stage
from assent.gate.access import Principal
from assent.gate.answer import Answer, Say
from assent.gate.calls import Refuse, Run, Wait
from assent.gate.catalog import DeclaredTool, TrustLevel
from assent.gate.policy import StoredRule
from assent.gate.preset import Lifetime
from assent.gate.store import ToolTier
from tests.cli.questions import (
    LOCAL_PERSON,
    answer_question,
    ask_question,
    ask_questions,
    begin_turn,
    make_call,
    open_gate_at,
    run_in_thread,
)
from tests.cli.running import Command, CommandSandbox
from tests.gate.samples import sample_grant

ALWAYS_ANSWER = Answer(say=Say.ALWAYS, rules=("Bash(npm *)",))


@pytest.mark.proves("T-14")
async def test_a_rule_revoked_by_another_process_does_not_apply_to_the_next_call(
    sandbox: CommandSandbox,
) -> None:
    async with open_gate_at(sandbox) as gate:
        turn = await begin_turn(gate)
        await answer_question(gate, await ask_question(turn), ALWAYS_ANSWER)
        (rule,) = await gate.store.rules()
        before = await turn.submit(make_call("npm install left-pad", "call-2"))
        ran = await run_in_thread(sandbox, "grants", "revoke", rule.id)

        assert isinstance(before, Run)
        assert (ran.status, ran.out, ran.err) == (0, f"revoked {rule.id}\n", "")
        assert isinstance(await turn.submit(make_call("npm install left-pad", "call-3")), Wait)


async def test_a_grant_is_listed_with_pattern_scope_limits_and_author(
    sandbox: CommandSandbox, command: Command
) -> None:
    given = [
        sample_grant("g1", agent="clerk", lifetime=Lifetime.USES, uses=3),
        sample_grant("g2", user="ana", conversation="c1"),
        sample_grant("g3", pattern="mail.send"),
    ]
    async with open_gate_at(sandbox) as gate:
        rule = StoredRule(id="r1", list=RuleList.DENY, text="Bash(curl *)", by="ada")
        await gate.store.add_policy(given, [rule])

    lines = [line.strip() for line in command("grants", "list").lines]

    assert lines == [
        "g1  terminal.exec(npm *)",
        "agent clerk, 3 uses left; by ana 0s ago",
        "g2  terminal.exec(npm *)",
        "conversation c1, user ana, without limit; by ana 0s ago",
        "g3  mail.send",
        "everyone, without limit; by ana 0s ago",
        "r1  Bash(curl *)",
        "deny rule, everyone; by ada 0s ago",
    ]


async def test_json_lists_grants_and_rules_separately(sandbox: CommandSandbox, command: Command) -> None:
    async with open_gate_at(sandbox) as gate:
        await gate.store.add_policy([sample_grant("g1")])

    found = json.loads(command("grants", "list", "--json").out)

    assert ([one["id"] for one in found["grants"]], found["rules"]) == (["g1"], [])


async def test_an_unknown_grant_cannot_be_revoked(sandbox: CommandSandbox, command: Command) -> None:
    await ask_questions(sandbox, [])

    empty, revoked = command("grants", "list"), command("grants", "revoke", "g9")

    assert (empty.status, empty.out, empty.err) == (0, "", "no grants or rules\n")
    assert (revoked.status, revoked.out, revoked.err) == (2, "", "assent: there is no grant `g9`\n")


@pytest.mark.proves("T-10")
async def test_hidden_characters_of_a_pattern_are_shown(sandbox: CommandSandbox, command: Command) -> None:
    async with open_gate_at(sandbox) as gate:
        await gate.store.add_policy([sample_grant("g1", pattern="Bash(a\x1b[2Jb)", by="an\x07a")])

    ran = command("grants", "list")

    assert "Bash(a\\u001b[2Jb)" in ran.out
    assert "by an\\u0007a" in ran.out
    assert "\x1b" not in ran.out


@pytest.mark.proves("T-14")
async def test_a_tool_blocked_by_another_process_is_absent_for_the_next_call(sandbox: CommandSandbox) -> None:
    async with open_gate_at(sandbox) as gate:
        turn = await begin_turn(gate)
        before = await turn.submit(make_call())
        ran = await run_in_thread(sandbox, "tiers", "set", "clerk", "Bash", "blocked")
        after = await turn.submit(make_call(id="call-2"))

    assert isinstance(before, Wait)
    assert (ran.status, ran.out, ran.err) == (0, "clerk, Bash: blocked\n", "")
    assert isinstance(after, Refuse)


async def test_tiers_are_listed_with_a_note_if_they_come_from_the_name(
    sandbox: CommandSandbox, command: Command
) -> None:
    async with open_gate_at(sandbox) as gate:
        await gate.store.set_tiers(
            [
                ToolTier("scout", "mail.send", TierSetting(Tier.BLOCKED)),
                ToolTier("clerk", "mail.read", TierSetting(Tier.ALWAYS_ALLOW, explicit=False)),
            ]
        )

    every, scouts = command("tiers", "list"), command("tiers", "list", "--agent", "scout", "--json")

    assert every.lines == ["clerk  mail.read  always_allow  (from its name)", "scout  mail.send  blocked"]
    assert [(one["agent"], one["tool"], one["tier"]) for one in json.loads(scouts.out)] == [
        ("scout", "mail.send", "blocked")
    ]


async def test_an_unknown_tier_sets_nothing(sandbox: CommandSandbox, command: Command) -> None:
    await ask_questions(sandbox, [])

    ran, listed = command("tiers", "set", "clerk", "Bash", "perhaps"), command("tiers", "list")

    assert (ran.status, ran.out) == (2, "")
    assert "'perhaps' is not one of" in ran.err
    assert (listed.status, listed.out, listed.err) == (0, "", "no tiers are set\n")


@pytest.mark.proves("T-10")
async def test_hidden_characters_of_a_name_are_shown(sandbox: CommandSandbox, command: Command) -> None:
    async with open_gate_at(sandbox) as gate:
        await gate.store.set_tiers([ToolTier("cl\x1b[2Jerk", "mail\u202e.send", TierSetting(Tier.BLOCKED))])

    assert command("tiers", "list").out == "cl\\u001b[2Jerk  mail\\u202e.send  blocked\n"


ADMINISTRATOR = Principal(id="ada", administrator=True)


async def change_definition(sandbox: CommandSandbox) -> None:
    async with open_gate_at(sandbox) as gate:
        for said in ("Sends.", "Sends to all."):
            tool = Tool(name="post.send", origin="mcp:post", description=said)
            declared = DeclaredTool(tool=tool, trust=TrustLevel.CLIENT, agent="clerk")
            await gate.publish(ADMINISTRATOR, "clerk", "mcp:post", [declared])


async def test_a_changed_definition_is_listed_and_accepted(sandbox: CommandSandbox, command: Command) -> None:
    await change_definition(sandbox)
    listed = command("tools", "review").out
    (found,) = json.loads(command("tools", "review", "--json").out)
    accepted = command("tools", "accept", "post.send", "--origin", "mcp:post")
    after = command("tools", "review")

    assert f"post.send  of mcp:post: changed, {found['digest'][:12]}" in listed
    assert '- "Sends."' in listed
    assert '+ "Sends to all."' in listed
    assert [one["field"] for one in found["differences"]] == ["description"]
    assert accepted.status == 0
    assert accepted.out.endswith("accepted post.send\n")
    assert (after.out, after.err) == ("", "no definition is new or changed\n")


async def test_a_new_tool_of_a_page_is_listed_whole_and_accepted_by_its_digest(
    sandbox: CommandSandbox, command: Command
) -> None:
    tool = Tool(name="dial.get", origin="page https://a.example", effect=Effect.READ, description="Reads.")
    async with open_gate_at(sandbox) as gate:
        await gate.page_tools.pin("ana", "c1", [gate.page_tools.make_tool(tool, "p1")])
    listed = command("tools", "review").out
    (found,) = json.loads(command("tools", "review", "--json").out)
    other = command("tools", "accept", "dial.get", "--digest", "0" * 64)
    accepted = command("tools", "accept", "dial.get", "--digest", found["digest"][:12])

    assert "dial.get  of page https://a.example: new" in listed
    assert '+ "Reads."' in listed
    assert (found["review"], {one["before"] for one in found["differences"]}) == ("new", {None})
    assert (other.status, accepted.status) == (2, 0)
    assert command("tools", "review").err == "no definition is new or changed\n"


async def test_the_rules_of_a_renamed_tool_are_moved_once(sandbox: CommandSandbox, command: Command) -> None:
    async with open_gate_at(sandbox) as gate:
        await gate.policy.add_rule(
            LOCAL_PERSON, StoredRule(id="r1", list=RuleList.DENY, text="dial.set(9)", by="")
        )
    moved = command("tools", "move-rules", "dial.set", "knob.set")
    again = command("tools", "move-rules", "dial.set", "knob.set")

    assert moved.out == "moved to knob.set: rules 1, tiers 0\n"
    assert "knob.set(9)" in command("grants", "list").out
    assert (again.status, "already moved" in again.err) == (2, True)


async def test_a_tool_that_did_not_change_is_not_accepted(sandbox: CommandSandbox, command: Command) -> None:
    await change_definition(sandbox)
    ran = command("tools", "accept", "post.read")

    assert (ran.status, ran.out) == (2, "")
    assert "there is no definition to review `post.read`" in ran.err


ALLOW_PACK_RULE = StoredRule(id="r1", list=RuleList.ALLOW, text="Bash(npm pack)", by="")


async def test_a_call_waits_while_another_process_pauses_all_agents(sandbox: CommandSandbox) -> None:
    async with open_gate_at(sandbox) as gate:
        await gate.policy.add_rule(LOCAL_PERSON, ALLOW_PACK_RULE)
        turn = await begin_turn(gate)
        paused = await run_in_thread(sandbox, "pause")
        held = await turn.submit(make_call(id="held"))
        switch = await gate.pause_state(LOCAL_PERSON)
        over = await run_in_thread(sandbox, "resume")
        after = await turn.submit(make_call(id="after"))

    assert (paused.status, paused.out, paused.err) == (0, "every agent is paused: only reads run\n", "")
    assert (over.status, over.out, over.err) == (0, "every agent is resumed\n", "")
    assert isinstance(held, Wait)
    assert held.approval.decision.stage is Stage.PAUSED
    assert switch is not None
    assert switch.by == LOCAL_PERSON.id
    assert isinstance(after, Run)


async def test_pause_and_resume_print_the_new_state_as_json(
    sandbox: CommandSandbox, command: Command
) -> None:
    async with open_gate_at(sandbox):
        pass

    assert json.loads(command("pause", "--json").out) == {"paused": True}
    assert json.loads(command("resume", "--json").out) == {"paused": False}


async def test_a_warning_names_the_servers_database_if_another_one_is_used(sandbox: CommandSandbox) -> None:
    async with open_gate_at(sandbox):
        pass
    data = sandbox.home / ".local" / "share" / "assent"
    data.mkdir(mode=0o700, parents=True)
    served = str(data / "assent.db")
    write_local_server(
        str(data), LocalServer(url="http://127.0.0.1:1", database=served, token_file="", pid=1)
    )

    guessed = await run_in_thread(sandbox, "pause")
    said = await run_in_thread(sandbox, "pause", "--database", "assent.db")

    assert guessed.out == said.out == "every agent is paused: only reads run\n"
    assert guessed.err == (
        f"assent: using assent.db in this directory; for your server add --database {served}\n"
    )
    assert said.err == ""
