"""The fleet's connection to the server: tokens, rules and questions of an agent end with the agent."""

import asyncio
from pathlib import Path

import pytest

from assent.client.client import OutcomeKind
from assent.errors import AssentError
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State
from assent.hosts.claude.fleet_gate import RULE_REASON, AskedCall, FleetGate
from tests.serving import RunningServer
from tests.waiting import wait_until_async


def make_call(tool: str, id: str, **args: object) -> AskedCall:
    return AskedCall(tool=tool, args=args, id=id, cwd="")


async def report_nothing() -> None:
    """Report nothing."""


async def test_rules_and_token_of_an_agent_end_with_it(fleet_server: RunningServer) -> None:
    gate, owner = FleetGate(fleet_server.url, fleet_server.token), fleet_server.client()
    agent = await gate.register("solo", ("Bash(git status)", "Bash(npm test)"))
    rules = [rule.text for rule in owner.rules() if rule.agent == "solo"]
    assert (rules, [rule.why for rule in owner.rules() if rule.agent == "solo"]) == (
        ["Bash(npm test)"],
        [RULE_REASON],
    )
    assert (await gate.submit(agent, make_call("Bash", "a", command="npm test"))).kind is OutcomeKind.RUN

    # A fleet that was killed leaves its rules behind; the next one does not add to them.
    again = await gate.register("solo", ("Bash(make)",))
    assert [rule.text for rule in owner.rules() if rule.agent == "solo"] == ["Bash(make)"]
    await gate.remove(again)

    assert [rule for rule in owner.rules() if rule.agent == "solo"] == []
    with pytest.raises(AssentError):
        await gate.submit(again, make_call("Bash", "b", command="ls"))
    gate.close()


async def test_tools_of_a_server_with_another_name_are_declared(fleet_server: RunningServer) -> None:
    gate = FleetGate(fleet_server.url, fleet_server.token)
    agent = await gate.register("renamed", ("mcp__team__send_message",), "team")

    assert (await gate.submit(agent, make_call("mcp__team__send_message", "a"))).kind is OutcomeKind.RUN
    gate.close()


async def test_a_cancelled_wait_withdraws_the_question(fleet_server: RunningServer, tmp_path: Path) -> None:
    gate, owner = FleetGate(fleet_server.url, fleet_server.token), fleet_server.client()
    agent = await gate.register("leaving", ())
    waiting = asyncio.create_task(gate.ask(agent, make_call("Bash", "a", command="make"), report_nothing))

    async def pending_ids() -> list[str]:
        return await asyncio.to_thread(
            lambda: [one.id for one in owner.approvals(state="pending", agent="leaving")]
        )

    await wait_until_async(pending_ids)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    assert await pending_ids() == []
    gate.close()


@pytest.mark.proves("R002-41")
async def test_without_a_dashboard_a_question_waits_and_only_a_configured_limit_denies_it(
    fleet_server: RunningServer,
) -> None:
    owner = fleet_server.client()
    unlimited, limited = (FleetGate(fleet_server.url, fleet_server.token, seconds) for seconds in (0, 1))
    agent = await unlimited.register("patient", ())

    async def pending() -> list[Approval]:
        return await asyncio.to_thread(lambda: list(owner.approvals(state="pending", agent="patient")))

    try:
        denied = await limited.ask(agent, make_call("Bash", "a", command="make one"), report_nothing)
        late = owner.approval(denied.approval)
        with pytest.raises(AssentError):
            owner.answer(late.id, late.digest, Answer(say=Say.ONCE))
        waiting = asyncio.create_task(
            unlimited.ask(agent, make_call("Bash", "b", command="make one"), report_nothing)
        )
        (asked,) = await wait_until_async(pending)
        is_waiting = not waiting.done()
        owner.answer(asked.id, asked.digest, Answer(say=Say.ONCE))
        allowed = await waiting
    finally:
        await unlimited.remove(agent)
        unlimited.close()
        limited.close()

    assert (denied.kind, denied.message) == (OutcomeKind.REFUSE, "nobody answered within 1 s")
    assert late.state is State.WITHDRAWN
    assert (asked.expires_at, is_waiting) == (None, True)
    assert allowed.kind is OutcomeKind.RUN
