"""`/v1/calls`: an agent submits its calls over HTTP."""

import asyncio
import json

import pytest

from assent.engine.policy.snapshot import Tier
from assent.gate.approval import State
from tests.gate.samples import ADA
from tests.surfaces.http.api_server import ASKED, READ, ApiServer
from tests.waiting import wait_for_waiting_callers

CALLS = "/v1/calls"


async def test_a_read_runs_at_once(api: ApiServer) -> None:
    reply = await api.post("clerk", CALLS, {"call": READ, "conversation": "c1"})

    assert reply.status == 200
    assert {name: reply.json[name] for name in ("outcome", "approval", "claim")} == {
        "outcome": "run",
        "approval": "",
        "claim": "",
    }
    assert reply.json["call"] == {**READ, "agent": "clerk", "conversation": "c1", "user": "ana", "cwd": ""}
    assert reply.json["decision"]["stage"] == "read"


@pytest.mark.proves("R003-60", "R-2")
async def test_an_approved_call_can_be_claimed_once(api: ApiServer) -> None:
    id = await api.ask()
    waiting = await api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 0})
    answered = await api.answer(id)
    first = await api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 0})
    second = await api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 0})

    assert (waiting.json["outcome"], answered.status) == ("wait", 200)
    assert (first.json["outcome"], first.json["approval"], first.json["call"]["args"]) == (
        "run",
        id,
        ASKED["args"],
    )
    assert (second.json["outcome"], second.json["code"]) == ("refuse", "already_run")


async def test_a_wait_returns_as_soon_as_a_person_answers(api: ApiServer) -> None:
    id = await api.ask()
    waiting = asyncio.create_task(api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 60}))
    await wait_for_waiting_callers(api.store)
    await api.answer(id, "deny", reason="not today")
    reply = await asyncio.wait_for(waiting, 60)

    assert (reply.json["outcome"], reply.json["code"], reply.json["reason"]) == (
        "refuse",
        "permission_denied",
        "not today",
    )


async def test_a_wait_without_an_answer_leaves_the_question_open(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    id = await api.ask()
    reply = await api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 0.05})

    assert (reply.status, reply.json["outcome"]) == (200, "wait")
    assert (await api.store.approval(id)).state is State.PENDING


async def test_a_stopping_server_ends_waits_and_keeps_their_questions(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    id = await api.ask()
    waiting = asyncio.create_task(api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 60}))
    await wait_for_waiting_callers(api.store)
    api.service.stopping.set()
    reply = await asyncio.wait_for(waiting, 50)

    assert (reply.status, reply.json["outcome"]) == (200, "wait")
    assert (await api.store.approval(id)).state is State.PENDING


@pytest.mark.proves("R-1")
async def test_a_disconnected_caller_claims_nothing(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    id, gone = await api.ask(), asyncio.Event()
    hanging = asyncio.create_task(api.wait_and_hang_up(id, gone))
    await wait_for_waiting_callers(api.store)
    gone.set()
    await api.answer(id)
    await asyncio.wait_for(hanging, 60)
    again = await api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 0})

    assert again.json["outcome"] == "run"


async def test_a_caller_that_disconnected_before_the_claim_claims_nothing(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    id, gone = await api.ask(), asyncio.Event()
    await api.answer(id)
    gone.set()

    await api.wait_and_hang_up(id, gone)

    assert (await api.store.approval(id)).state is State.APPROVED


@pytest.mark.proves("R-3")
async def test_the_same_call_again_is_the_same_question_and_another_is_a_conflict(api: ApiServer) -> None:
    first = await api.ask()
    second = await api.ask()
    other = await api.post("clerk", CALLS, {"call": {**ASKED, "args": {"key": "b"}}, "conversation": "c1"})

    assert first == second
    assert other.status == 409


async def test_only_the_claimer_can_report_the_result(api: ApiServer) -> None:
    id = await api.ask()
    await api.answer(id)
    run = (await api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 0})).json
    guessed = await api.post("clerk", f"{CALLS}/{id}/report", {"claim": "guess"})
    theirs = await api.post("bens-clerk", f"{CALLS}/{id}/report", {"claim": run["claim"]})
    told = await api.post("clerk", f"{CALLS}/{id}/report", {"claim": run["claim"], "note": "done\n"})
    twice = await api.post("clerk", f"{CALLS}/{id}/report", {"claim": run["claim"], "failed": True})

    assert (guessed.status, theirs.status, told.status, twice.status) == (409, 404, 200, 409)
    assert (told.json["state"], told.json["note"]) == ("done", "done\n")


async def test_a_claim_is_returned_to_the_claimer_only(api: ApiServer) -> None:
    id = await api.ask()
    await api.answer(id)
    run = (await api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 0})).json
    shown = [
        await api.get("clerk", f"{CALLS}/{id}"),
        await api.get("ana", f"/v1/approvals/{id}"),
        await api.get("ada", "/v1/approvals", state="running"),
    ]

    assert run["claim"]
    assert [one.status for one in shown] == [200, 200, 200]
    assert [run["claim"] in json.dumps(one.json) for one in shown] == [False, False, False]


async def test_a_withdrawn_call_never_runs(api: ApiServer) -> None:
    id = await api.ask()
    await api.answer(id)
    taken = await api.post("clerk", f"{CALLS}/{id}/withdraw", {"why": "no longer needed"})
    late = await api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 0})

    assert (taken.status, taken.json["state"]) == (200, "withdrawn")
    assert (late.json["outcome"], late.json["code"]) == ("refuse", "withdrawn")


@pytest.mark.parametrize("name", ["chris", "vera", "ada", "ben"])
@pytest.mark.parametrize("step", ["wait", "withdraw", "report"])
async def test_a_viewer_of_a_call_cannot_claim_it(in_memory: ApiServer, name: str, step: str) -> None:
    api: ApiServer = in_memory
    id = await api.ask()
    bodies = {"wait": {"seconds": 0}, "withdraw": {}, "report": {"claim": "x"}}
    reply = await api.post(name, f"{CALLS}/{id}/{step}", bodies[step])

    assert reply.status == 404
    assert (await api.store.approval(id)).state is State.PENDING


@pytest.mark.proves("T-14", "R004-5")
async def test_a_tool_blocked_meanwhile_does_not_run_after_approval(api: ApiServer) -> None:
    id = await api.ask()
    await api.scene.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.BLOCKED})
    await api.answer(id)
    reply = await api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 0})

    assert (reply.json["outcome"], reply.json["code"]) == ("refuse", "unknown_tool")


@pytest.mark.proves("T-18")
async def test_an_agent_can_submit_only_its_own_calls(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    await api.ask()
    named = await api.post("clerk", CALLS, {"call": ASKED, "conversation": "c1", "agent": "helper"})
    theirs = await api.post("bens-clerk", CALLS, {"call": ASKED, "conversation": "c1"})
    await api.post("ana", CALLS, {"call": READ, "conversation": "c2", "agent": "helper"})
    hopping = await api.post("clerk", CALLS, {"call": ASKED, "conversation": "c2"})

    assert named.status == 404
    own = [await api.store.approval(reply.json["approval"]) for reply in (theirs, hopping)]
    assert [(one.owner, one.call.agent) for one in own] == [("ben", "bens-clerk"), ("ana", "clerk")]
    assert {one.call.conversation for one in own}.isdisjoint({"c1", "c2"})


@pytest.mark.proves("T-29")
@pytest.mark.supports("R001-39")
@pytest.mark.parametrize("mode", ["auto", "autonomous", "bypassPermissions", "accept_edits"])
async def test_an_agent_cannot_choose_a_wider_mode(in_memory: ApiServer, mode: str) -> None:
    api: ApiServer = in_memory
    wider = await api.post("clerk", CALLS, {"call": ASKED, "conversation": "c1", "mode": mode})
    fresh = await api.post("robot", CALLS, {"call": ASKED, "conversation": "c5", "agent": "x", "mode": mode})

    assert (wider.json["outcome"], fresh.json["outcome"]) == ("wait", "wait")


@pytest.mark.proves("T-29")
async def test_an_agent_may_narrow_its_mode_and_choose_no_preset(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    plan = await api.post("clerk", CALLS, {"call": ASKED, "conversation": "c1", "mode": "plan"})
    preset = await api.post("clerk", CALLS, {"call": ASKED, "conversation": "c3", "preset": "tiers"})

    assert (plan.json["outcome"], plan.json["code"]) == ("refuse", "blocked_in_plan_mode")
    assert preset.status == 403
    assert await api.store.conversation("c3") is None


async def test_a_person_can_begin_a_conversation_in_any_mode_and_preset(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    said = {"call": ASKED, "conversation": "c4", "agent": "clerk", "mode": "auto"}
    reply = await api.post("ana", CALLS, said)

    assert reply.json["outcome"] == "run"


@pytest.mark.proves("R001-41")
async def test_a_call_of_an_unattended_run_is_refused_instead_of_waiting(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    reply = await api.post("clerk", CALLS, {"call": ASKED, "conversation": "c1", "attended": False})

    assert (reply.json["outcome"], reply.json["code"]) == ("refuse", "nobody_to_ask")


async def test_an_undeclared_tool_does_not_exist(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    reply = await api.post("clerk", CALLS, {"call": {"tool": "no.such", "args": {}}, "conversation": "c1"})

    assert (reply.json["outcome"], reply.json["code"]) == ("refuse", "unknown_tool")


@pytest.mark.proves("T-27")
async def test_a_call_is_decided_for_the_directory_that_its_caller_names(api: ApiServer) -> None:
    call = {"tool": "note.save", "args": {"path": "a.txt"}}
    said = {"agent": "clerk", "conversation": "c1", "mode": "accept_edits"}
    inside = await api.post("ana", CALLS, {**said, "call": {**call, "cwd": "/project/src"}})
    outside = await api.post("ana", CALLS, {**said, "call": {**call, "id": "x", "cwd": "/etc"}})
    moved = await api.post("ana", CALLS, {**said, "call": {**call, "id": "x", "cwd": "/project"}})
    relative = await api.post("ana", CALLS, {**said, "call": {**call, "cwd": "src"}})
    await api.answer(outside.json["approval"])
    run = await api.post("ana", f"{CALLS}/{outside.json['approval']}/wait", {"seconds": 0})

    assert (inside.json["outcome"], outside.json["outcome"], relative.status) == ("run", "wait", 422)
    assert moved.status == 409
    assert (run.json["outcome"], run.json["call"]["cwd"]) == ("run", "/etc")


@pytest.mark.proves("T-47")
@pytest.mark.parametrize("who", ["clerk", "robot", "ana"])
@pytest.mark.parametrize("own", ["plan", "default", "auto"])
@pytest.mark.parametrize("asked", ["plan", "default", "auto"])
async def test_an_agent_can_narrow_its_mode_and_its_owner_can_choose_it(
    in_memory: ApiServer, who: str, own: str, asked: str
) -> None:
    api: ApiServer = in_memory
    new = {"preset": "chat", "mode": own, "agent": "clerk"}
    id = (await api.post("ana", "/v1/conversations", new)).json["id"]
    said = {"call": ASKED, "conversation": id, "agent": "clerk", "mode": asked}
    reply = await api.post(who, "/v1/calls", said)
    effective = asked if who == "ana" else min(own, asked, key=["plan", "default", "auto"].index)

    assert reply.json["outcome"] == {"plan": "refuse", "default": "wait", "auto": "run"}[effective]


@pytest.mark.proves("T-47")
@pytest.mark.parametrize(
    ("who", "path"),
    [("clerk", CALLS), ("robot", CALLS), ("ana", CALLS), ("robot", "/v1/decide"), ("ana", "/v1/decide")],
)
async def test_an_unknown_mode_is_refused(in_memory: ApiServer, who: str, path: str) -> None:
    api: ApiServer = in_memory
    said = {"call": ASKED, "agent": "clerk", "conversation": "new"}
    if path == "/v1/decide":
        said = {"tool": ASKED["tool"], "args": ASKED["args"], "agent": "clerk", "conversation": "new"}
    reply = await api.post(who, path, {**said, "mode": "paln"})

    assert (reply.status, "unknown mode `paln`" in reply.json["detail"]) == (422, True)
    assert await api.store.conversation("new") is None


async def test_deciding_a_call_without_making_it_leaves_no_trace(api: ApiServer) -> None:
    await api.store.flush_audit()
    before = await api.get("ada", "/v1/audit")
    reply = await api.post(
        "ana", "/v1/decide", {"tool": "note.put", "args": {"key": "a"}, "conversation": "x"}
    )
    await api.store.flush_audit()

    assert (reply.status, reply.json["verdict"], reply.json["stage"]) == (200, "ask", "mode")
    assert (await api.get("ada", "/v1/audit")).json == before.json
    assert (await api.get("ada", "/v1/approvals")).json["items"] == []
    assert await api.store.conversation("x") is None


@pytest.mark.parametrize(
    ("mode", "verdict"), [("plan", "deny"), ("default", "ask"), ("auto", "run"), ("autonomous", "run")]
)
async def test_a_call_can_be_decided_in_another_mode(in_memory: ApiServer, mode: str, verdict: str) -> None:
    api: ApiServer = in_memory
    reply = await api.post("ana", "/v1/decide", {"tool": "note.put", "args": {}, "mode": mode})

    assert reply.json["verdict"] == verdict


async def test_a_call_cannot_be_decided_in_a_conversation_of_another_person(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    await api.ask()
    reply = await api.post("ben", "/v1/decide", {"tool": "note.put", "args": {}, "conversation": "c1"})

    assert reply.status == 404
