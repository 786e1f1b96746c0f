"""What every store promises about the runs of a chat and their logs."""

from dataclasses import replace
from datetime import timedelta

import pytest

from assent.compose import Shelf
from assent.errors import ConflictError, NotFoundError
from assent.gate.preset import Delivery
from assent.gate.transcript import ChatRun, Course, Line, Noted
from tests.stores.promises.given import GivenStore

RUN = ChatRun(
    id="r1",
    conversation="c1",
    owner="ana",
    agent="chat",
    message='{"text":"hello"}',
    mode="plan",
    model="rehearsal",
    delivery=Delivery.SUSPEND,
)
LONG = timedelta(seconds=30)


class Chats(GivenStore):
    """Runs begin once, are written by one process, and can be taken over."""

    async def test_a_run_is_kept_as_it_was_begun(self, store: Shelf) -> None:
        begun = await store.begin_run(RUN)
        found = await store.chat_run("r1")

        assert found == begun
        assert replace(begun, boot="", began_at=None) == RUN
        assert begun.began_at is not None

    async def test_a_conversation_has_one_open_run_at_a_time(self, store: Shelf) -> None:
        await store.begin_run(RUN)
        second = await store.begin_run(replace(RUN, id="r2"))
        elsewhere = await store.begin_run(replace(RUN, id="r3", conversation="c2"))
        await store.note("r1", (), Course.DONE)
        third = await store.begin_run(replace(RUN, id="r4"))

        assert (second.id, elsewhere.id, third.id) == ("r1", "r3", "r4")
        assert [one.id for one in await store.chat_runs("c1")] == ["r1", "r4"]

    async def test_lines_come_back_in_order_run_by_run(self, store: Shelf) -> None:
        await store.begin_run(RUN)
        await store.note("r1", [Line(0, Noted.CHUNKS, "[1]"), Line(1, Noted.CALLED, "a")])
        run = await store.note("r1", [Line(2, Noted.CHUNKS, "[2]")], Course.DONE)
        await store.begin_run(replace(RUN, id="r0"))
        await store.note("r0", [Line(0, Noted.CHUNKS, "[3]")])

        assert (run.length, run.course) == (3, Course.DONE)
        assert await store.lines(["r1", "r0"], kinds={Noted.CHUNKS}) == [
            Line(0, Noted.CHUNKS, "[1]", "r1"),
            Line(2, Noted.CHUNKS, "[2]", "r1"),
            Line(0, Noted.CHUNKS, "[3]", "r0"),
        ]
        assert [one.body for one in await store.lines(["r1"], after=1)] == ["a", "[2]"]

    async def test_the_same_lines_twice_are_there_once(self, store: Shelf) -> None:
        await store.begin_run(RUN)
        lines = [Line(0, Noted.CALLED, "a")]
        await store.note("r1", lines)
        again = await store.note("r1", lines)

        assert again.length == 1
        assert len(await store.lines(["r1"])) == 1

    async def test_an_ended_run_takes_no_more_lines(self, store: Shelf) -> None:
        await store.begin_run(RUN)
        await store.note("r1", (), Course.STOPPED)

        with pytest.raises(ConflictError):
            await store.note("r1", [Line(0, Noted.CALLED, "late")])
        with pytest.raises(NotFoundError):
            await store.note("r9", [Line(0, Noted.CALLED, "lost")])

    async def test_an_open_run_can_be_taken_and_an_ended_one_never(self, store: Shelf) -> None:
        await store.begin_run(RUN)
        await store.note("r1", (), Course.SUSPENDED)
        taken = await store.take_run("r1", LONG)
        await store.note("r1", (), Course.DONE)

        assert taken is not None
        assert (taken.course, taken.ended_at) == (Course.RUNNING, None)
        assert await store.take_run("r1", LONG) is None

    async def test_the_first_wish_counts_and_is_found_by_whoever_has_the_run(self, store: Shelf) -> None:
        await store.begin_run(RUN)
        assert await store.restless_runs(LONG) == []
        await store.wish_run("r1", Course.STOPPED)
        await store.wish_run("r1", Course.SUPERSEDED)

        assert [(one.id, one.wish) for one in await store.restless_runs(LONG)] == [("r1", "stopped")]
