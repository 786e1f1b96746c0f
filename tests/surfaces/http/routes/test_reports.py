"""`/v1/calls/report`: a process reports a call that another process of the same agent claimed."""

import pytest

from assent.gate.approval import State
from tests.surfaces.http.api_server import ASKED, ApiServer

REPORT = "/v1/calls/report"
BODY = {"call": ASKED["id"], "conversation": "c1"}


async def claim_call(api: ApiServer) -> str:
    id = await api.ask()
    await api.answer(id)
    taken = await api.post("clerk", f"/v1/calls/{id}/wait", {"seconds": 0})
    assert taken.json["outcome"] == "run"
    return id


async def test_a_call_is_reported_by_its_own_id_and_a_repetition_changes_nothing(api: ApiServer) -> None:
    id = await claim_call(api)
    first = await api.post("clerk", REPORT, {**BODY, "note": "fine"})
    again = await api.post("clerk", REPORT, {**BODY, "note": "fine"})
    other = await api.post("clerk", REPORT, {**BODY, "failed": True})

    assert (first.status, first.json["id"], first.json["state"]) == (200, id, "done")
    assert first.json["note"] == "fine"
    assert (again.json, other.status) == (first.json, 409)


@pytest.mark.parametrize("name", ["ben", "bens-clerk", "chris", "ada"])
async def test_the_call_of_another_agent_is_not_found(in_memory: ApiServer, name: str) -> None:
    api: ApiServer = in_memory
    id = await claim_call(api)
    replies = [await api.post(name, REPORT, {**BODY, "agent": agent}) for agent in ("", "clerk")]

    assert [one.status for one in replies] == [404, 404]
    assert (await api.store.approval(id)).state is State.RUNNING


@pytest.mark.parametrize("body", [{}, {"call": ""}, {"call": 1}, {**BODY, "claim": "x"}, {**BODY, "note": 2}])
async def test_an_incomplete_report_is_refused(in_memory: ApiServer, body: object) -> None:
    api: ApiServer = in_memory
    reply = await api.post("clerk", REPORT, body)

    assert reply.status == 400


async def test_a_call_that_was_not_claimed_is_a_conflict(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    await api.ask()
    reply = await api.post("clerk", REPORT, BODY)

    assert reply.status == 409
