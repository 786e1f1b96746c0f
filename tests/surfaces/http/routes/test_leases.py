"""A caller that vanishes withdraws its question, and its lease is renewed by every wait."""

import asyncio
from datetime import datetime, timedelta

import pytest

from assent.gate.approval import State
from tests.surfaces.http.api_server import ASKED, ApiServer
from tests.waiting import wait_for_waiting_callers, wait_until_async

CALLS = "/v1/calls"
LEASE = timedelta(seconds=30)


async def test_a_lapsed_question_cannot_be_answered_and_its_caller_gets_nothing(api: ApiServer) -> None:
    id = await api.ask(lease=30)
    api.scene.clock.advance(LEASE)
    late = await api.answer(id)
    waited = await api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 0})
    state = await api.get("clerk", f"{CALLS}/{id}")

    assert late.status == 409
    assert "withdrawn" in late.json["detail"]
    assert (waited.json["outcome"], waited.json["code"]) == ("refuse", "withdrawn")
    assert (state.json["state"], state.json["note"]) == ("withdrawn", "its caller stopped waiting")


async def test_every_wait_renews_the_lease_and_returns_its_end(api: ApiServer) -> None:
    submitted = await api.post("clerk", CALLS, {"call": ASKED, "conversation": "c1", "lease": 30})
    id = submitted.json["approval"]
    api.scene.clock.advance(timedelta(seconds=29))
    first = await api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 0})
    api.scene.clock.advance(timedelta(seconds=29))
    await api.store.sweep(timedelta(days=1))
    await api.answer(id)
    taken = await api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 0})

    assert submitted.json["leased_until"] == "2026-03-01T12:00:30.000000+00:00"
    assert first.json["leased_until"] == "2026-03-01T12:00:59.000000+00:00"
    assert taken.json["outcome"] == "run"


async def test_without_a_lease_a_question_has_no_end(api: ApiServer) -> None:
    submitted = await api.post("clerk", CALLS, {"call": ASKED, "conversation": "c1"})
    shown = await api.get("ana", f"/v1/approvals/{submitted.json['approval']}")

    assert submitted.json["leased_until"] is None
    assert "lease" not in shown.json


@pytest.mark.parametrize("lease", [0, 0.5, -1, 3601, "30", True, None, float("1e309")])
async def test_an_invalid_lease_is_refused(in_memory: ApiServer, lease: object) -> None:
    api: ApiServer = in_memory
    reply = await api.post("clerk", CALLS, {"call": ASKED, "conversation": "c1", "lease": lease})

    assert reply.status == (200 if lease is None else 400)


async def test_a_long_wait_renews_a_lease_until_its_caller_disconnects(api: ApiServer) -> None:
    id, gone = await api.ask(lease=1), asyncio.Event()
    hanging = asyncio.create_task(api.wait_and_hang_up(id, gone))
    await wait_for_waiting_callers(api.store)
    api.scene.clock.advance(timedelta(seconds=0.9))
    await wait_until_async(lambda: _is_leased_until(api, id, api.scene.clock.now + timedelta(seconds=1)))
    gone.set()
    await asyncio.wait_for(hanging, 60)
    api.scene.clock.advance(timedelta(seconds=1))
    swept = await api.store.sweep(timedelta(days=1))

    assert [(one.id, one.state) for one in swept] == [(id, State.WITHDRAWN)]


async def _is_leased_until(api: ApiServer, id: str, until: datetime) -> bool:
    lease = (await api.store.approval(id)).lease
    return lease is not None and lease.until == until
