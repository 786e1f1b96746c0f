"""Two servers on one PostgreSQL: a change on one pod takes effect on the other."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import NamedTuple

import pytest

from assent.gate.approval import State
from assent.stores.postgres.database import open_postgres
from tests.gate.scene import GateHarness
from tests.postgres import clear_database, postgres_server, postgres_url
from tests.stores.promises.given import HOSTILE_IDS, SetClock
from tests.surfaces.http.api_server import ASKED, ApiServer
from tests.surfaces.http.routes_table import ENDPOINTS, ID, Endpoint
from tests.surfaces.http.test_hostile import SMALL, replace_each_value
from tests.waiting import wait_for_waiting_callers

__all__ = ["postgres_server", "postgres_url"]


class TwoPods(NamedTuple):
    """Two servers with the same people."""

    one: ApiServer
    two: ApiServer


@pytest.fixture
def pods(postgres_url: str) -> AbstractAsyncContextManager[TwoPods]:
    return _running_pods(postgres_url)


@asynccontextmanager
async def _running_pods(url: str) -> AsyncGenerator[TwoPods]:
    servers = []
    for _ in range(2):
        store = await open_postgres(url, upgrade=True)
        if not servers:
            await clear_database(url)
            await store.record_heartbeat()
        servers.append(ApiServer(GateHarness(store, SetClock()), store))
    one, two = servers
    await one.add_people()
    two.tokens = one.tokens
    try:
        yield TwoPods(one, two)
    finally:
        for api in servers:
            await api.store.close()


@pytest.mark.proves("R-1", "R-23")
async def test_a_call_asked_on_one_pod_and_answered_on_another_is_woken_on_the_first(pods: TwoPods) -> None:
    id = await pods.one.ask()
    waiting = asyncio.create_task(pods.one.post("clerk", f"/v1/calls/{id}/wait", {"seconds": 60}))
    await wait_for_waiting_callers(pods.one.store)
    answered = await pods.two.answer(id)
    run = await asyncio.wait_for(waiting, 60)
    told = await pods.two.post("clerk", f"/v1/calls/{id}/report", {"claim": run.json["claim"]})

    assert (answered.status, run.json["outcome"], told.json["state"]) == (200, "run", "done")


@pytest.mark.proves("R001-14", "R-2")
async def test_of_many_claims_of_one_call_one_succeeds(pods: TwoPods) -> None:
    id = await pods.one.ask()
    await pods.two.answer(id)
    replies = await asyncio.gather(
        *(pod.post("clerk", f"/v1/calls/{id}/wait", {"seconds": 0}) for pod in (*pods, *pods, *pods))
    )

    assert sorted(one.json["outcome"] for one in replies) == ["refuse"] * 5 + ["run"]


@pytest.mark.proves("R001-10", "T-14")
async def test_a_mode_changed_on_one_pod_is_used_by_the_next_turn_on_another(pods: TwoPods) -> None:
    await pods.one.ask()
    await pods.one.send("ana", "PATCH", "/v1/conversations/c1", {"mode": "plan"})
    reply = await pods.two.post("clerk", "/v1/calls", {"call": {**ASKED, "id": "2"}, "conversation": "c1"})

    assert reply.json["code"] == "blocked_in_plan_mode"


@pytest.mark.proves("T-14")
async def test_a_tool_blocked_on_one_pod_does_not_run_after_approval_on_another(pods: TwoPods) -> None:
    id = await pods.one.ask()
    blocked = {"tools": [{"toolName": "note.put", "providerKey": "operations", "status": "blocked"}]}
    await pods.one.send("ada", "PUT", "/v1/agents/clerk/tools", blocked)
    await pods.two.answer(id)
    reply = await pods.two.post("clerk", f"/v1/calls/{id}/wait", {"seconds": 0})

    assert (reply.json["outcome"], reply.json["code"]) == ("refuse", "unknown_tool")


@pytest.mark.proves("T-14")
async def test_a_pause_on_one_pod_stops_calls_on_another(pods: TwoPods) -> None:
    await pods.one.send("ada", "PATCH", "/v1/settings/agent.permissions", {"allow": ["note.put"]})
    await pods.one.post("ada", "/v1/switch", {"paused": True})
    held = await pods.two.post("clerk", "/v1/calls", {"call": ASKED, "conversation": "c1"})
    await pods.one.post("ada", "/v1/switch", {"paused": False})
    run = await pods.two.post("clerk", f"/v1/calls/{held.json['approval']}/wait", {"seconds": 5})

    assert (held.json["outcome"], run.json["outcome"]) == ("wait", "run")


async def test_an_idempotency_key_works_across_pods(pods: TwoPods) -> None:
    said = {"list": "deny", "text": "sh(rm *)"}
    replies = [
        await pod.post("ada", "/v1/rules", said, headers={"idempotency-key": "k"}) for pod in (*pods, *pods)
    ]

    assert [one.json["id"] for one in replies] == [replies[0].json["id"]] * 4
    assert len(await pods.one.store.rules()) == 1


async def test_a_token_revoked_on_one_pod_is_invalid_on_another(pods: TwoPods) -> None:
    made = await pods.one.post("ana", "/v1/tokens", {"kind": "person", "name": "ana"})
    pods.one.tokens["ana-2"] = made.json["secret"]
    before = await pods.two.get("ana-2", "/v1/me")
    await pods.one.send("ana", "DELETE", f"/v1/tokens/{made.json['id']}")
    after = await pods.two.get("ana-2", "/v1/me")

    assert (before.status, after.status) == (200, 401)


@pytest.mark.proves("R-18", "T-42")
async def test_values_that_a_column_cannot_store_cause_no_server_error(pods: TwoPods) -> None:
    broken = []
    for endpoint in ENDPOINTS:
        for id in (*HOSTILE_IDS, "%00", "%e2%80%ae") if "{id}" in endpoint.path else (ID,):
            broken += await _find_broken_replies(
                pods.one, endpoint, id.replace(" ", "%20").replace("?", "%3F")
            )

    assert broken == []
    assert (await pods.one.get("ada", "/readyz")).status == 200
    assert (await pods.one.store.approval(await pods.one.ask())).state is State.PENDING


async def _find_broken_replies(api: ApiServer, endpoint: Endpoint, id: str) -> list[tuple[object, ...]]:
    if endpoint.path == "/v1/events":
        return []  # It goes on for as long as somebody listens.
    small = [payload for name, payload in SMALL if name in ("nul", "nul in a key", "beyond the basic plane")]
    bodies: list[object] = [endpoint.body]
    if endpoint.body is not None and id == ID:
        bodies += [body for payload in small for body in replace_each_value(endpoint.body, payload)]
    replies = [
        (body, await api.send("ada", endpoint.method, endpoint.path_with_id(id), body)) for body in bodies
    ]
    return [(endpoint, id, body) for body, reply in replies if reply.status >= 500]
