"""Tests of the chat runs of every store and of their logs."""

from dataclasses import replace
from datetime import timedelta

import pytest

from assent.compose import FullStore
from assent.errors import ConflictError, NotFoundError
from assent.gate.conversation import ChatRun, LogKind, LogLine, Post, RunStatus, StartResult
from assent.gate.preset import Delivery
from tests.stores.promises.given import StorePromises

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
RUN_WITH_MESSAGE_ID = replace(RUN, message='{"id":"m1","text":"hello"}', digest="one")
POST = Post("person ana", "k1", "one")
SILENCE = timedelta(seconds=30)


class ChatRunPromises(StorePromises):
    """Tests that a run begins once, is written by one process, and can be taken over."""

    async def test_a_run_is_stored_unchanged(self, store: FullStore) -> None:
        begun, start = await store.begin_run(RUN)
        found = await store.chat_run("r1")

        assert (found, start) == (begun, StartResult.NEW)
        assert replace(begun, boot="", began_at=None) == RUN
        assert begun.began_at is not None

    async def test_a_conversation_has_one_open_run_at_a_time(self, store: FullStore) -> None:
        await store.begin_run(RUN)
        second = await store.begin_run(replace(RUN, id="r2"))
        elsewhere = await store.begin_run(replace(RUN, id="r3", conversation="c2"))
        await store.append_lines("r1", (), RunStatus.DONE)
        third = await store.begin_run(replace(RUN, id="r4"))

        started = [(one.run.id, one.start) for one in (second, elsewhere, third)]
        assert started == [("r1", StartResult.OCCUPIED), ("r3", StartResult.NEW), ("r4", StartResult.NEW)]
        assert [one.id for one in await store.chat_runs("c1")] == ["r1", "r4"]

    async def test_log_lines_are_returned_in_order_for_each_run(self, store: FullStore) -> None:
        await store.begin_run(RUN)
        await store.append_lines("r1", [LogLine(0, LogKind.CHUNKS, "[1]"), LogLine(1, LogKind.CALLED, "a")])
        run = await store.append_lines("r1", [LogLine(2, LogKind.CHUNKS, "[2]")], RunStatus.DONE)
        await store.begin_run(replace(RUN, id="r0"))
        await store.append_lines("r0", [LogLine(0, LogKind.CHUNKS, "[3]")])

        assert (run.length, run.status) == (3, RunStatus.DONE)
        assert await store.log_lines(["r1", "r0"], kinds={LogKind.CHUNKS}) == [
            LogLine(0, LogKind.CHUNKS, "[1]", "r1"),
            LogLine(2, LogKind.CHUNKS, "[2]", "r1"),
            LogLine(0, LogKind.CHUNKS, "[3]", "r0"),
        ]
        assert [one.body for one in await store.log_lines(["r1"], after=1)] == ["a", "[2]"]

    async def test_repeated_log_lines_are_stored_once(self, store: FullStore) -> None:
        await store.begin_run(RUN)
        lines = [LogLine(0, LogKind.CALLED, "a")]
        await store.append_lines("r1", lines)
        again = await store.append_lines("r1", lines)

        assert again.length == 1
        assert len(await store.log_lines(["r1"])) == 1

    async def test_an_ended_run_accepts_no_more_lines(self, store: FullStore) -> None:
        await store.begin_run(RUN)
        await store.append_lines("r1", (), RunStatus.STOPPED)

        with pytest.raises(ConflictError):
            await store.append_lines("r1", [LogLine(0, LogKind.CALLED, "late")])
        with pytest.raises(NotFoundError):
            await store.append_lines("r9", [LogLine(0, LogKind.CALLED, "lost")])

    async def test_an_open_run_can_be_taken_over_but_an_ended_one_cannot(self, store: FullStore) -> None:
        await store.begin_run(RUN)
        await store.append_lines("r1", (), RunStatus.SUSPENDED)
        taken = await store.take_over_run("r1", SILENCE)
        await store.append_lines("r1", (), RunStatus.DONE)

        assert taken is not None
        assert (taken.status, taken.ended_at) == (RunStatus.RUNNING, None)
        assert await store.take_over_run("r1", SILENCE) is None

    async def test_the_first_requested_end_counts_and_the_process_of_the_run_finds_it(
        self, store: FullStore
    ) -> None:
        await store.begin_run(RUN)
        assert await store.stale_runs(SILENCE) == []
        await store.request_end("r1", RunStatus.STOPPED)
        await store.request_end("r1", RunStatus.SUPERSEDED)

        assert [(one.id, one.requested_end) for one in await store.stale_runs(SILENCE)] == [("r1", "stopped")]

    @pytest.mark.proves("T-53")
    async def test_a_repeated_message_returns_its_run(self, store: FullStore) -> None:
        await store.begin_run(RUN_WITH_MESSAGE_ID)
        open_yet = await store.begin_run(replace(RUN_WITH_MESSAGE_ID, id="r2"))
        await store.append_lines("r1", (), RunStatus.DONE)
        ended = await store.begin_run(replace(RUN_WITH_MESSAGE_ID, id="r3"))
        elsewhere = await store.begin_run(replace(RUN_WITH_MESSAGE_ID, id="r4", conversation="c2"))

        assert [(one.run.id, one.start) for one in (open_yet, ended, elsewhere)] == [
            ("r1", StartResult.REPEATED),
            ("r1", StartResult.REPEATED),
            ("r4", StartResult.NEW),
        ]

    @pytest.mark.proves("T-53")
    async def test_a_message_id_cannot_be_used_for_another_content(self, store: FullStore) -> None:
        await store.begin_run(RUN_WITH_MESSAGE_ID)

        with pytest.raises(ConflictError, match="different content"):
            await store.begin_run(replace(RUN_WITH_MESSAGE_ID, id="r2", digest="two"))
        assert len(await store.chat_runs("c1")) == 1

    async def test_a_message_without_a_stored_digest_is_compared_by_its_text(self, store: FullStore) -> None:
        await store.begin_run(replace(RUN_WITH_MESSAGE_ID, digest=""))

        assert (await store.begin_run(replace(RUN_WITH_MESSAGE_ID, id="r2"))).start is StartResult.REPEATED
        with pytest.raises(ConflictError):
            await store.begin_run(replace(RUN_WITH_MESSAGE_ID, id="r3", message='{"id":"m1","text":"other"}'))

    @pytest.mark.proves("T-53")
    async def test_a_key_belongs_to_one_request_in_all_conversations(self, store: FullStore) -> None:
        await store.begin_run(RUN, post=POST)
        again = await store.begin_run(replace(RUN, id="r2"), post=POST)
        of_somebody_else = POST._replace(sender="person ben")
        other = await store.begin_run(replace(RUN, id="r3", conversation="c2"), post=of_somebody_else)

        assert [(one.run.id, one.start) for one in (again, other)] == [
            ("r1", StartResult.REPEATED),
            ("r3", StartResult.NEW),
        ]
        with pytest.raises(ConflictError, match="k1"):
            await store.begin_run(
                replace(RUN, id="r4", conversation="c3"), post=POST._replace(digest="other")
            )
        with pytest.raises(ConflictError, match="k1"):
            await store.save_post(POST._replace(digest="other"), "r1")
        with pytest.raises(ConflictError, match="k1"):
            await store.find_run_of_post(POST._replace(digest="other"))

    async def test_a_key_can_be_saved_for_an_existing_run(self, store: FullStore) -> None:
        begun = await store.begin_run(RUN)

        assert await store.find_run_of_post(POST) is None
        await store.save_post(POST, "r1")
        await store.save_post(POST, "r1")
        assert await store.find_run_of_post(POST) == begun.run

    async def test_a_run_can_replace_others_only_once(self, store: FullStore) -> None:
        await store.begin_run(RUN_WITH_MESSAGE_ID)
        await store.append_lines("r1", (), RunStatus.DONE)
        edited = replace(RUN_WITH_MESSAGE_ID, id="r2", digest="two")
        new = await store.begin_run(edited, replaces=["r1"])
        again = await store.begin_run(replace(edited, id="r3"), replaces=["r1"])

        assert [(one.run.id, one.start) for one in (new, again)] == [
            ("r2", StartResult.NEW),
            ("r2", StartResult.REPEATED),
        ]
        assert [(one.id, one.replaced_by) for one in await store.chat_runs("c1")] == [
            ("r1", "r2"),
            ("r2", ""),
        ]
        with pytest.raises(ConflictError, match="replaced"):
            await store.begin_run(replace(RUN_WITH_MESSAGE_ID, id="r4", digest="three"), replaces=["r1"])

    @pytest.mark.proves("T-53")
    async def test_a_late_repeat_of_a_replaced_message_is_recognised(self, store: FullStore) -> None:
        await store.begin_run(RUN_WITH_MESSAGE_ID)
        await store.append_lines("r1", (), RunStatus.DONE)
        await store.begin_run(replace(RUN_WITH_MESSAGE_ID, id="r2", digest="two"), replaces=["r1"])

        late = await store.begin_run(replace(RUN_WITH_MESSAGE_ID, id="r3"))

        assert (late.run.id, late.start) == ("r1", StartResult.REPEATED)
