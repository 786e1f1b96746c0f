"""The fleet's server: no request without the secret of an agent, and no agent id from the arguments."""

import asyncio
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import httpx2
import pytest
from mcp import StdioServerParameters
from mcp.client import Client

from assent.config.fleet import Transport
from assent.errors import AssentError
from assent.gate.answer import Answer, Say
from assent.hosts.claude import fleet_stdio
from assent.hosts.claude.command_line import SECRET_VARIABLE, stdio_words
from assent.hosts.claude.fleet_server import FleetServer
from tests.hosts.claude.running_fleet import RunningFleet, run_fleet
from tests.serving import RunningServer


@pytest.fixture
def fleet(
    fleet_server: RunningServer, repository: Path, tmp_path: Path
) -> AbstractAsyncContextManager[RunningFleet]:
    return run_fleet(fleet_server, repository, tmp_path)


@pytest.mark.proves("R002-16")
async def test_who_calls_is_known_from_the_secret_alone(fleet: RunningFleet) -> None:
    await fleet.host.spawn("qa", "test", "", skip=False)
    await fleet.call_tool("qa", "update_status", task="mine", status="working")

    failed, text = await fleet.call_tool("qa", "update_status", task="x", status="done", agent_id="archie")

    assert (failed, "has no `agent_id`" in text) == (True, True)
    records = {record.id: record.task for record in fleet.state.records()}
    assert records == {"archie": "", "qa": "mine"}


async def test_without_a_valid_secret_every_request_is_refused(fleet: RunningFleet) -> None:
    address = f"http://{fleet.host.server.address}"
    headers: list[dict[str, str]] = [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer wrong"},
        {"Authorization": fleet.secret("archie")},
        {"X-Agent-Id": "archie"},
    ]
    async with httpx2.AsyncClient() as http:
        for given in headers:
            for path in ("/hook", "/mcp", "/other"):
                reply = await http.post(f"{address}{path}?agent_id=archie", headers=given, content=b"{}")
                assert reply.status_code == 401


def stdio_client(fleet: RunningFleet, secret: str) -> Client:
    """A client that starts the server of one agent, with a secret in its environment."""
    command, *args = stdio_words(fleet.host.server.url)
    return Client(StdioServerParameters(command=command, args=args, env={SECRET_VARIABLE: secret}))


async def test_over_stdio_an_agent_has_its_own_tools_and_waits_for_a_person(fleet: RunningFleet) -> None:
    await fleet.host.spawn("qa", "test", "", skip=False)

    async with (
        stdio_client(fleet, fleet.secret("qa")) as worker,
        stdio_client(fleet, fleet.secret("archie")) as lead,
    ):
        offered = {tool.name for tool in (await worker.list_tools()).tools}
        refused = await worker.call_tool("spawn_agent", {"role": "qa", "assignment": "x"})
        asking = asyncio.create_task(lead.call_tool("escalate_to_user", {"question": "Which?"}))
        await fleet.answer_question("fleet.question", Answer(say=Say.DENY, reason="the second"))
        answered = await asking

    assert ("handle_permission_request" in offered, "spawn_agent" in offered) == (True, False)
    assert refused.is_error
    assert "the second" in str(answered.content)


async def test_over_stdio_nothing_is_known_without_the_secret(
    fleet: RunningFleet, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(SECRET_VARIABLE, raising=False)
    await fleet.host.server.check_discoverable(fleet.secret("archie"), Transport.STDIO)

    with pytest.raises(AssentError, match="no agent was started"):
        await fleet.host.server.check_discoverable("wrong", Transport.STDIO)
    assert fleet_stdio.main([fleet.host.server.url]) == 2
    assert SECRET_VARIABLE in capsys.readouterr().err


@pytest.mark.proves("R002-32")
async def test_a_server_that_does_not_answer_is_a_loud_failure_within_seconds(
    fleet: RunningFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = FleetServer(fleet.host)
    monkeypatch.setattr("assent.hosts.claude.fleet_server.DISCOVERY_SECONDS", 0.2)

    with pytest.raises(AssentError, match="no agent was started"):
        await silent.check_discoverable(fleet.secret("archie"))
    with pytest.raises(AssentError, match="no agent was started"):
        await fleet.host.server.check_discoverable("wrong")
    with pytest.raises(AssentError, match=r"cannot listen on port \d+"):
        FleetServer(fleet.host, int(silent.address.rpartition(":")[2]))
    silent._socket.close()
