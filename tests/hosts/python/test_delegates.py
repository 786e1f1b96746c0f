"""An agent that a gated agent delegates to is gated too, or it is refused with a clear message."""

import asyncio
from contextlib import AbstractAsyncContextManager

import pytest
from pydantic_ai import Agent

from assent.hosts.python.pydantic_ai import Gated, GatedAgent
from tests.hosts.python.test_pydantic_ai import OUTPUTS, YES, Desk, Script, a_desk, delegating


@pytest.fixture
def desk() -> AbstractAsyncContextManager[Desk]:
    return a_desk()


@pytest.mark.proves("T-52")
async def test_a_delegate_without_the_gate_is_refused_with_a_sentence(desk: Desk) -> None:
    inner = Script(("write", {"path": "deep"}))
    lead = Script(("delegate", {"task": "t"}))

    await delegating(desk, Gated(desk.host), desk.agent(inner, name="helper"), lead).run("go")

    outcome, said = lead.results["delegate"]
    assert (desk.did, inner.saw, outcome) == ([], set(), "failed")
    assert "agent `helper` was not run: its calls would pass no gate" in str(said)


@pytest.mark.proves("T-52")
async def test_a_delegate_of_a_gated_delegate_is_refused_too(desk: Desk) -> None:
    gate = Gated(desk.host)
    bare = desk.agent(Script(("write", {"path": "deep"})), name="helper")
    middle = GatedAgent(delegating(desk, None, bare, name="middle"), Gated(desk.host, ungated=["helper"]))

    await desk.answering(delegating(desk, gate, middle).run("go"), lambda _: YES)

    assert desk.did == []


@pytest.mark.proves("T-52")
async def test_a_delegate_in_a_thread_of_a_plain_tool_is_refused_too(desk: Desk) -> None:
    bare = desk.agent(Script(("write", {"path": "deep"})), name="helper")
    lead = Script(("delegate", {}))
    agent = Agent(lead.model, name="lead", output_type=OUTPUTS, capabilities=[Gated(desk.host)])

    @agent.tool_plain(metadata={"effect": "read"})
    def delegate() -> str:
        return str(asyncio.run(bare.run("t")).output)

    await agent.run("go")

    assert (desk.did, lead.results["delegate"][0]) == ([], "failed")


async def test_a_delegate_that_was_declared_runs_without_the_gate(desk: Desk) -> None:
    bare = desk.agent(Script(("write", {"path": "deep"})), name="helper")

    await delegating(desk, Gated(desk.host, ungated=["helper"]), bare).run("go")

    assert desk.did == ["write deep"]


async def test_an_agent_outside_of_any_gated_run_is_left_alone(desk: Desk) -> None:
    await desk.agent(Script(("look", {"path": "a"})), Gated(desk.host)).run("go")
    await desk.agent(Script(("write", {"path": "b"})), name="free").run("go")

    assert desk.did == ["look a", "write b"]
