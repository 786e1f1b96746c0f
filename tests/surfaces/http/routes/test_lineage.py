"""`lineage` of a submitted call: the sub-agents are on the question, and their number is limited."""

import json

import pytest

from tests.surfaces.http.api_server import ASKED, ApiServer

CALLS = "/v1/calls"
LINEAGE = [{"id": "a1b2", "kind": "Explore"}, {"id": "c3"}]
SHOWN = [{"id": "a1b2", "kind": "Explore"}, {"id": "c3", "kind": ""}]


async def test_the_question_and_the_audit_show_the_sub_agents(api: ApiServer) -> None:
    id = await api.ask(lineage=LINEAGE)
    shown = await api.get("ana", f"/v1/approvals/{id}")
    listed = await api.get("ana", "/v1/approvals")
    await api.store.flush_audit()
    rows = await api.get("ana", "/v1/audit")

    assert (shown.json["sub_agents"], listed.json["items"][0]["sub_agents"]) == (SHOWN, SHOWN)
    assert [json.loads(one["entry"]["sub_agents"]) for one in rows.json["items"]] == [
        [["a1b2", "Explore"], ["c3", ""]]
    ]


async def test_a_sub_agents_call_is_waited_for_and_claimed(api: ApiServer) -> None:
    id = await api.ask(lineage=LINEAGE)
    await api.answer(id)
    taken = await api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 0})

    assert (taken.status, taken.json["outcome"]) == (200, "run")


@pytest.mark.parametrize(
    "lineage",
    [
        [{"id": "x"}] * 9,
        [{"id": ""}],
        [{"kind": "Explore"}],
        [{"id": "x", "kind": 3}],
        [{"id": "x\u0001"}],
        [{"id": "x", "more": 1}],
        "x",
        {"id": "x"},
    ],
)
async def test_an_invalid_lineage_is_refused(in_memory: ApiServer, lineage: object) -> None:
    api: ApiServer = in_memory
    reply = await api.post("clerk", CALLS, {"call": ASKED, "conversation": "c1", "lineage": lineage})

    assert reply.status == 400
