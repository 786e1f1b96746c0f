"""`/metrics` tells what is true at this moment, and what it still can where the store cannot."""

import asyncio

import pytest

from tests.surfaces.http.house import House


async def told(house: House, name: str) -> list[str]:
    reply = await house.gets(None, "/metrics")
    assert reply.status == 200
    return [line for line in str(reply.json).splitlines() if line.startswith(f"{name} ")]


async def test_it_tells_what_waits_and_what_is_wrong(house: House) -> None:
    before = await told(house, "assent_approvals_pending")
    await house.asks()
    house.grounds.error = "line 1"
    await house.posts("ada", "/v1/switch", {"paused": True})

    assert before == ["assent_approvals_pending 0.0"]
    assert await told(house, "assent_store_up") == ["assent_store_up 1.0"]
    assert await told(house, "assent_approvals_pending") == ["assent_approvals_pending 1.0"]
    assert await told(house, "assent_policy_error") == ["assent_policy_error 1.0"]
    assert await told(house, "assent_paused") == ["assent_paused 1.0"]
    assert await told(house, "assent_audit_lost_total") == ["assent_audit_lost_total 0.0"]


@pytest.mark.proves("T-39")
async def test_nobody_is_named(house: House) -> None:
    await house.asks()
    text = str((await house.gets(None, "/metrics")).json)

    assert [word for word in ("ana", "clerk", "note.put", "c1") if f'"{word}"' in text] == []


async def test_a_store_that_cannot_be_asked_leaves_the_rest(in_memory: House) -> None:
    await in_memory.store.close()

    assert await told(in_memory, "assent_store_up") == ["assent_store_up 0.0"]
    assert await told(in_memory, "assent_policy_error") == ["assent_policy_error 0.0"]
    assert await told(in_memory, "assent_waiting_calls") == ["assent_waiting_calls 0.0"]
    assert await told(in_memory, "assent_approvals_pending") == []
    assert await told(in_memory, "assent_paused") == []


async def test_a_store_that_does_not_answer_is_not_waited_for_and_asked_once(
    in_memory: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering, asked = asyncio.Event(), 0

    async def count_pending() -> int:
        nonlocal asked
        asked += 1
        await answering.wait()
        return 7

    monkeypatch.setattr(in_memory.store, "count_pending", count_pending)
    while_silent = [await told(in_memory, "assent_store_up") for _ in range(3)]
    without = await told(in_memory, "assent_approvals_pending")

    assert (while_silent, without, asked) == ([["assent_store_up 0.0"]] * 3, [], 1)

    answering.set()
    async with asyncio.timeout(60):
        while await told(in_memory, "assent_store_up") != ["assent_store_up 1.0"]:
            await asyncio.sleep(0)
    assert await told(in_memory, "assent_approvals_pending") == ["assent_approvals_pending 7.0"]
