"""One connected page: every request ends, by a reply, an error, silence or the page's leaving."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from assent.errors import InputError
from assent.hosts.browser.connection import (
    CallClock,
    PageCall,
    PageConnection,
    PageError,
    PageLeftError,
    PageTimeoutError,
    RelayLimits,
)
from assent.wire.fields import Fields

CALL = PageCall(tool="stub.setValue", args={"value": "2"})


class Peer:
    """The page's side of a connection."""

    def __init__(self, limits: RelayLimits | None = None) -> None:
        self.sent: list[dict[str, Any]] = []
        self.arrived = asyncio.Event()
        self.progress: list[str] = []
        self.connection = PageConnection(self._keep, limits or RelayLimits())

    async def _keep(self, frame: Mapping[str, object]) -> None:
        self.sent.append(dict(frame))
        self.arrived.set()

    async def show(self, text: str) -> None:
        self.progress.append(text)

    async def begin(self, call: PageCall = CALL) -> "asyncio.Task[object]":
        """Begin a call, and wait until it was sent."""
        task = asyncio.create_task(self.connection.call(call, self.show))
        await self.arrived.wait()
        return task

    def reply(self, kind: str = "tool_result", **more: object) -> None:
        self.connection.receive(Fields({"type": kind, "id": self.sent[0]["id"], **more}, "message"))


async def test_a_call_returns_the_value_of_the_page() -> None:
    peer = Peer()
    task = await peer.begin()

    peer.reply(ok=True, value={"now": "2"})

    assert await task == {"now": "2"}
    (sent,) = peer.sent
    assert {**sent, "id": ""} == {
        "type": "tool_call",
        "id": "",
        "tool": "stub.setValue",
        "args": {"value": "2"},
        "approved": False,
    }


async def test_a_large_value_comes_in_parts() -> None:
    peer = Peer()
    task = await peer.begin()

    peer.reply(ok=True, part=1, parts=2, text='{"a"')
    peer.reply(ok=True, part=2, parts=2, text=": 1}")

    assert await task == {"a": 1}


async def test_progress_is_shown_and_is_no_result() -> None:
    peer = Peer()
    task = await peer.begin()

    peer.reply("tool_progress", text="half")
    peer.reply("tool_progress", waiting=True)
    peer.reply(ok=True, value=None)

    assert await task is None
    assert peer.progress == ["half"]


@pytest.mark.supports("R003-74")
async def test_the_error_of_a_handler_reaches_the_caller_clipped() -> None:
    peer = Peer()
    task = await peer.begin()

    peer.reply(ok=False, error="x" * 5000)

    with pytest.raises(PageError) as failed:
        await task
    assert str(failed.value) == "x" * 4000


@pytest.mark.supports("R003-74")
async def test_a_page_that_hangs_ends_the_call_and_is_told_so() -> None:
    peer = Peer(RelayLimits(seconds=0.01))

    with pytest.raises(PageTimeoutError):
        await peer.connection.call(CALL, peer.show)

    assert [one["type"] for one in peer.sent] == ["tool_call", "tool_cancel"]


@pytest.mark.supports("R003-74")
async def test_a_page_that_leaves_ends_the_call_and_does_not_get_it_again() -> None:
    peer = Peer()
    task = await peer.begin()

    peer.connection.close()

    with pytest.raises(PageLeftError, match="not known"):
        await task
    with pytest.raises(PageError, match="not carried out"):
        await peer.connection.call(CALL, peer.show)
    assert len(peer.sent) == 1


async def test_a_stopped_run_cancels_its_call() -> None:
    peer = Peer()
    task = await peer.begin()

    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert [one["type"] for one in peer.sent] == ["tool_call", "tool_cancel"]
    peer.reply(ok=True, value="too late")


@pytest.mark.parametrize(
    "frame",
    [
        {"ok": True},
        {"ok": "yes", "value": 1},
        {"ok": True, "value": 1, "more": 1},
        {"ok": False, "error": 3},
        {"ok": True, "part": 2, "parts": 2, "text": ""},
        {"ok": True, "part": 1, "parts": 1, "text": "{"},
        {"ok": True, "part": 1, "parts": 1, "text": '{"a": 1, "a": 2}'},
    ],
)
async def test_an_invalid_reply_fails_the_call(frame: dict[str, object]) -> None:
    peer = Peer()
    task = await peer.begin()

    peer.reply(**frame)

    with pytest.raises(PageError):
        await task


async def test_a_value_above_the_limit_fails_the_call() -> None:
    peer = Peer(RelayLimits(value_characters=10))
    task = await peer.begin()

    peer.reply(ok=True, part=1, parts=2, text="x" * 11)

    with pytest.raises(PageError, match="more than 10"):
        await task


async def test_a_reply_of_another_kind_is_an_error_of_the_page() -> None:
    peer = Peer()
    task = await peer.begin()

    with pytest.raises(InputError, match="tool_result"):
        peer.reply("panes", panes=[])
    task.cancel()


async def test_a_flood_of_frames_is_an_error_of_the_page() -> None:
    peer = Peer()
    task = await peer.begin()

    def send_many() -> None:
        for _ in range(1100):
            peer.reply("tool_progress", text="more")

    with pytest.raises(InputError, match="too many"):
        send_many()
    task.cancel()


@pytest.mark.proves("R003-74")
def test_a_page_cannot_wait_for_a_person_again_and_again() -> None:
    clock = CallClock(RelayLimits(seconds=30, total_seconds=600, waiting_seconds=3600), 0)
    clock.record(10, is_waiting=True)
    clock.record(3000, is_waiting=True)
    clock.record(3010, is_waiting=False)
    clock.record(3020, is_waiting=True)

    # 3,000 of the 3,600 seconds are used.
    assert clock.due() == 3020 + 600


async def test_the_shown_progress_of_a_call_is_bounded_and_says_so() -> None:
    peer = Peer(RelayLimits(progress_characters=10))
    task = await peer.begin()

    for _ in range(5):
        peer.reply("tool_progress", text="12345678")
    peer.reply(ok=True, value=1)

    assert await task == 1
    assert peer.progress == ["12345678", "12345678\n[further output of this call is not shown]\n"]


def test_the_time_in_which_a_page_waits_for_a_person_does_not_count() -> None:
    clock = CallClock(RelayLimits(seconds=30, total_seconds=40, waiting_seconds=3600), now=0)
    due = [clock.due()]
    clock.record(20, is_waiting=True)
    due.append(clock.due())
    clock.record(3000, is_waiting=False)
    due.append(clock.due())
    clock.record(3015, is_waiting=False)
    due.append(clock.due())

    # 30 s of silence; an hour for the person; then the 20 s that are left of 40, of which 15 are used.
    assert due == [30, 3620, 3020, 3020]
