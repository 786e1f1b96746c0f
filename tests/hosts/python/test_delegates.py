"""An agent that a gated agent delegates to is gated too, or it is refused with a clear message."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, suppress
from threading import Thread

import pytest
from pydantic_ai import Agent

from assent.hosts.python.pydantic_ai import Gated, GatedAgent, enter_gated_run
from tests.hosts.python.test_pydantic_ai import (
    OUTPUTS,
    YES,
    AgentHost,
    Script,
    delegating_agent,
    open_agent_host,
)


def run_in_own_thread(function: Callable[[], object]) -> object:
    """Run a function in a new thread; None if it failed."""
    found: list[object] = []

    def keep_result() -> None:
        with suppress(Exception):
            found.append(function())

    thread = Thread(target=keep_result)
    thread.start()
    thread.join()
    return found[0] if found else None


def run_in_thread_pool(function: Callable[[], object]) -> object:
    """Run a function in a thread of a new pool."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(function).result()


@pytest.fixture
def agent_host() -> AbstractAsyncContextManager[AgentHost]:
    return open_agent_host()


@pytest.mark.proves("T-52")
async def test_a_sub_agent_without_the_gate_is_refused_with_a_clear_message(agent_host: AgentHost) -> None:
    inner = Script(("write", {"path": "deep"}))
    lead = Script(("delegate", {"task": "t"}))

    await delegating_agent(
        agent_host, Gated(agent_host.host), agent_host.agent(inner, name="helper"), lead
    ).run("go")

    outcome, said = lead.results["delegate"]
    assert (agent_host.actions, inner.saw, outcome) == ([], set(), "failed")
    assert "agent `helper` was not run: its calls would not pass the gate" in str(said)


@pytest.mark.proves("T-52")
async def test_a_sub_agent_of_a_gated_sub_agent_is_refused_without_the_gate(agent_host: AgentHost) -> None:
    gate = Gated(agent_host.host)
    bare = agent_host.agent(Script(("write", {"path": "deep"})), name="helper")
    middle = GatedAgent(
        delegating_agent(agent_host, None, bare, name="middle"), Gated(agent_host.host, ungated=["helper"])
    )

    await agent_host.run_and_answer(delegating_agent(agent_host, gate, middle).run("go"), lambda _: YES)

    assert agent_host.actions == []


@pytest.mark.proves("T-52")
async def test_a_sub_agent_started_in_a_thread_is_refused_without_the_gate(agent_host: AgentHost) -> None:
    bare = agent_host.agent(Script(("write", {"path": "deep"})), name="helper")
    lead = Script(("delegate", {}))
    agent = Agent(lead.model, name="lead", output_type=OUTPUTS, capabilities=[Gated(agent_host.host)])

    @agent.tool_plain(metadata={"effect": "read"})
    def delegate() -> str:
        return str(asyncio.run(bare.run("t")).output)

    await agent.run("go")

    assert (agent_host.actions, lead.results["delegate"][0]) == ([], "failed")


@pytest.mark.proves("T-52")
@pytest.mark.parametrize("start", [run_in_own_thread, run_in_thread_pool])
async def test_a_sub_agent_started_in_another_thread_is_refused_without_the_gate(
    agent_host: AgentHost, start: Callable[[Callable[[], object]], object]
) -> None:
    bare = agent_host.agent(Script(("write", {"path": "deep"})), name="helper")
    lead = Script(("delegate", {}))
    agent = Agent(lead.model, name="lead", output_type=OUTPUTS, capabilities=[Gated(agent_host.host)])

    @agent.tool_plain(metadata={"effect": "read"})
    def delegate() -> str:
        return str(start(lambda: asyncio.run(bare.run("t")).output))

    await agent.run("go")

    assert agent_host.actions == []


async def test_a_thread_pool_is_not_affected_after_a_gated_run(agent_host: AgentHost) -> None:
    bare = agent_host.agent(Script(("write", {"path": "free"})), name="helper")
    with ThreadPoolExecutor(max_workers=1) as pool:
        with enter_gated_run(Gated, ()):
            assert pool.submit(lambda: 1).result() == 1
        await asyncio.wrap_future(pool.submit(lambda: asyncio.run(bare.run("t"))))

    assert agent_host.actions == ["write free"]


async def test_a_sub_agent_listed_as_ungated_runs_without_the_gate(agent_host: AgentHost) -> None:
    bare = agent_host.agent(Script(("write", {"path": "deep"})), name="helper")

    await delegating_agent(agent_host, Gated(agent_host.host, ungated=["helper"]), bare).run("go")

    assert agent_host.actions == ["write deep"]


async def test_an_agent_outside_gated_runs_is_not_affected(agent_host: AgentHost) -> None:
    await agent_host.agent(Script(("look", {"path": "a"})), Gated(agent_host.host)).run("go")
    await agent_host.agent(Script(("write", {"path": "b"})), name="free").run("go")

    assert agent_host.actions == ["look a", "write b"]
