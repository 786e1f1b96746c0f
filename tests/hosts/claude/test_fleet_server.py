"""The fleet's server: no request without the secret of an agent, and no agent id from the arguments."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import httpx2
import pytest

from assent.errors import AssentError
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
