"""A run outlives its process: another one continues from the log, and nothing runs or asks twice."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, FunctionModel

from assent.gate.approval import Approval, State
from assent.gate.conversation import ChatRun, LogKind, RunStatus
from assent.gate.conversations import ConversationChanges
from assent.gate.preset import Delivery
from assent.hosts.chat.runs import is_question_of_run
from assent.stores.memory.store import MemoryStore
from tests.gate.samples import CALL, sample_approval
from tests.hosts.chat.chat_process import (
    ANA,
    WRITE,
    ChatProcess,
    call_states,
    collect_chunks,
    open_chat_process,
    stream_text,
)
from tests.stores.promises.given import SetClock
from tests.waiting import wait_until_async

SOON = timedelta(0)
APPEND = '/call run_command {"command": "echo ran >> ran.txt"}'


async def wait_for_line(process: ChatProcess, kind: LogKind, text: str = "") -> None:
    """Wait until the log of the conversation's last run has a line of this kind that contains `text`."""

    async def is_logged() -> bool:
        runs = await process.store.chat_runs(process.conversation)
        lines = await process.store.log_lines([runs[-1].id], kinds=[kind]) if runs else ()
        return any(text in line.body for line in lines)

    await wait_until_async(is_logged)


async def wait_for_file(path: Path) -> None:
    """Wait until the file exists and is not empty."""
    await wait_until_async(lambda: path.exists() and path.stat().st_size > 0)


async def wait_for_end(process: ChatProcess) -> None:
    """Wait until the conversation's last run has ended."""

    async def is_ended() -> bool:
        runs = await process.store.chat_runs(process.conversation)
        return runs[-1].status is not RunStatus.RUNNING

    await wait_until_async(is_ended)


@pytest.mark.proves("R-25")
async def test_an_interrupted_call_is_not_repeated_and_the_model_is_asked_to_check(
    tmp_path: Path,
) -> None:
    address = str(tmp_path / "assent.db")
    slow = '/call run_command {"command": "echo began >> log.txt; sleep 30"}'
    async with open_chat_process(tmp_path, address) as first:
        conversation = await first.open_conversation(mode="auto")
        await first.send_in_background(slow)
        await wait_for_line(first, LogKind.CALLED)
        await wait_for_file(first.root / "log.txt")
        await first.chat.close()
        async with open_chat_process(tmp_path, address, takeover_after=SOON) as second:
            second.conversation = conversation
            await wait_for_end(second)
            parts = await second.message_parts()

    assert call_states(parts) == ["output-error"]
    assert "not known whether this call was carried out" in str(parts)
    assert (first.root / "log.txt").read_text("utf-8") == "began\n"


async def test_an_interrupted_model_answer_is_shown_completely_and_once(tmp_path: Path) -> None:
    address = str(tmp_path / "assent.db")

    async def stream_then_wait(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield "half of "
        await asyncio.sleep(3600)
        yield "it"

    async def stream_whole_answer(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield "all of it"

    async with open_chat_process(
        tmp_path, address, models={"m": FunctionModel(stream_function=stream_then_wait)}
    ) as first:
        conversation = await first.open_conversation()
        task = await first.send_in_background("go")
        await wait_for_line(first, LogKind.CHUNKS, "half of")
        await first.chat.close()
        shown = stream_text(await task)
        models = {"m": FunctionModel(stream_function=stream_whole_answer)}
        async with open_chat_process(tmp_path, address, models=models, takeover_after=SOON) as second:
            second.conversation = conversation
            await wait_for_end(second)
            parts = await second.message_parts()

    assert shown == "half of "
    assert [one["text"] for one in parts if one["type"] == "text"] == ["all of it"]


@pytest.mark.supports("R000-47")
@pytest.mark.proves("R-23")
async def test_a_process_that_ends_withdraws_no_question(tmp_path: Path) -> None:
    address = str(tmp_path / "assent.db")
    async with open_chat_process(tmp_path, address) as first:
        conversation = await first.open_conversation()
        await first.send_in_background(WRITE)
        [question] = await first.wait_for_questions()
    async with open_chat_process(tmp_path, address, takeover_after=SOON) as second:
        second.conversation = conversation
        [still] = await second.wait_for_questions()
        await second.answer(still)
        await wait_for_end(second)
        shown = call_states(await second.message_parts())

    assert still.id == question.id
    assert shown == ["output-available"]
    assert (first.root / "a.txt").read_text("utf-8") == "one"


async def test_a_process_that_lost_its_run_executes_nothing(tmp_path: Path) -> None:
    address = str(tmp_path / "assent.db")
    async with open_chat_process(tmp_path, address, takeover_after=timedelta(hours=1)) as first:
        conversation = await first.open_conversation()
        task = await first.send_in_background(APPEND)
        [question] = await first.wait_for_questions()
        async with open_chat_process(tmp_path, address, takeover_after=SOON) as second:
            second.conversation = conversation
            await wait_for_takeover(second)
            await second.answer(question)
            await wait_for_end(second)
            shown = call_states(await second.message_parts())
            await task

    assert shown == ["output-available"]
    assert (first.root / "ran.txt").read_text("utf-8") == "ran\n"


async def test_a_run_that_fails_after_a_takeover_withdraws_no_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, taken = str(tmp_path / "assent.db"), asyncio.Event()

    async def raise_in_run(*_: object) -> RunStatus:
        await taken.wait()
        raise RuntimeError

    async with open_chat_process(tmp_path, address, takeover_after=timedelta(hours=1)) as first:
        monkeypatch.setattr(first.chat._runs, "_drive", raise_in_run)
        conversation = await first.open_conversation()
        task = await first.send_in_background(WRITE)
        async with open_chat_process(tmp_path, address, takeover_after=SOON) as second:
            second.conversation = conversation
            [question] = await second.wait_for_questions()
            taken.set()
            await task
            await second.answer(question)
            await wait_for_end(second)
            shown = call_states(await second.message_parts())

    assert shown == ["output-available"]


async def wait_for_takeover(process: ChatProcess) -> None:
    """Wait until this process owns the conversation's last run."""

    async def is_owner() -> bool:
        return (await process.store.chat_runs(process.conversation))[-1].boot == process.store.boot

    await wait_until_async(is_owner)


async def test_another_process_can_stream_a_run(tmp_path: Path) -> None:
    address = str(tmp_path / "assent.db")
    async with open_chat_process(tmp_path, address) as first, open_chat_process(tmp_path, address) as second:
        conversation = second.conversation = await first.open_conversation()
        task = await first.send_in_background(WRITE)
        [question] = await second.wait_for_questions()
        looking = asyncio.create_task(collect_chunks(await second.chat.attach_to_run(ANA, conversation)))
        await second.answer(question)

        there, here = await looking, await task
        assert (there[0], stream_text(there)) == (here[0], stream_text(here))
        assert [one["type"] for one in there if one["type"] != "text-delta"] == [
            one["type"] for one in here if one["type"] != "text-delta"
        ]


@pytest.mark.supports("R000-49")
@pytest.mark.proves("R000-45")
@pytest.mark.parametrize("how", ["stop", "newer"])
async def test_another_process_can_end_a_run(tmp_path: Path, how: str) -> None:
    address = str(tmp_path / "assent.db")
    async with open_chat_process(tmp_path, address) as first, open_chat_process(tmp_path, address) as second:
        conversation = second.conversation = await first.open_conversation()
        task = await first.send_in_background(WRITE)
        [question] = await second.wait_for_questions()
        if how == "stop":
            await second.chat.stop(ANA, conversation)
        else:
            await second.send("never mind")
        await task
        state = (await second.store.approval(question.id)).state
        first_run = (await second.store.chat_runs(conversation))[0]

    assert state is State.WITHDRAWN
    assert first_run.status is (RunStatus.STOPPED if how == "stop" else RunStatus.SUPERSEDED)
    assert list(first.root.iterdir()) == []


@pytest.mark.proves("R000-45")
async def test_a_run_that_was_just_suspended_can_be_stopped(each_process: ChatProcess) -> None:
    await each_process.open_conversation()
    await each_process.send(WRITE, delivery="suspend")
    await each_process.chat.stop(ANA, each_process.conversation)
    [run] = await each_process.store.chat_runs(each_process.conversation)

    assert run.status is RunStatus.STOPPED
    assert call_states(await each_process.message_parts()) == ["output-denied"]


@pytest.mark.proves("R000-46")
async def test_a_question_of_the_chat_waits_without_limit_and_stop_ends_it(tmp_path: Path) -> None:
    clock = SetClock()
    async with open_chat_process(tmp_path, store=MemoryStore(clock=clock)) as process:
        await process.open_conversation()
        await process.send(WRITE, delivery="suspend")
        [question] = await process.wait_for_questions()
        clock.advance(timedelta(days=3650))
        await process.store.sweep(timedelta(seconds=60))
        state_after_years = (await process.store.approval(question.id)).state
        await process.chat.stop(ANA, process.conversation)
        state_after_stop = (await process.store.approval(question.id)).state

    assert (state_after_years, state_after_stop) == (State.PENDING, State.WITHDRAWN)
    assert list(process.root.iterdir()) == []


@pytest.mark.proves("R000-36")
async def test_a_suspended_run_continues_in_its_first_mode(each_process: ChatProcess) -> None:
    await each_process.open_conversation()
    await each_process.send(f"{WRITE}\nthen\n{APPEND}", delivery="suspend")
    [question] = await each_process.wait_for_questions()
    await each_process.gate.conversations.change(
        ANA, each_process.conversation, ConversationChanges(mode="auto")
    )
    await each_process.answer(question)
    await collect_chunks(await each_process.chat.attach_to_run(ANA, each_process.conversation))

    assert [one.call.tool for one in await each_process.wait_for_questions()] == ["run_command"]
    assert not (each_process.root / "ran.txt").exists()


async def test_a_stored_model_answer_is_not_requested_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    async def stream_model_reply(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        asked.append(len(messages))
        yield "all of it"

    address, models = str(tmp_path / "assent.db"), {"m": FunctionModel(stream_function=stream_model_reply)}
    async with open_chat_process(tmp_path, address, models=models) as first:
        conversation = await first.open_conversation()

        async def raise_cancelled(*_: object) -> None:
            raise asyncio.CancelledError

        # The process dies between the last answer and the end of the run.
        monkeypatch.setattr(first.chat._runs, "_finish_run", raise_cancelled)
        await first.send_in_background("go")
        await wait_for_line(first, LogKind.MESSAGES, "all of it")
        await first.chat.close()
        async with open_chat_process(tmp_path, address, models=models, takeover_after=SOON) as second:
            second.conversation = conversation
            await wait_for_end(second)
            parts = await second.message_parts()

    assert len(asked) == 1
    assert [one["text"] for one in parts if one["type"] == "text"] == ["all of it"]


RUN = ChatRun(id="r1", conversation="c1", owner="ana", agent="chat", message="{}")


def question_in(*, conversation: str = "c1", **changes: object) -> Approval:
    return sample_approval(call=replace(CALL, conversation=conversation), **changes)


def test_a_run_owns_the_questions_of_its_turn_and_its_subtasks() -> None:
    assert is_question_of_run(RUN, question_in(turn="r1"))
    assert is_question_of_run(RUN, question_in(turn="h1", lineage=("chat",)))
    assert not is_question_of_run(RUN, question_in(turn="r2"))
    assert not is_question_of_run(RUN, question_in(turn="h1", lineage=("other",)))


@pytest.mark.proves("T-38")
def test_a_subtask_in_another_conversation_belongs_to_another_run() -> None:
    assert not is_question_of_run(RUN, question_in(conversation="c2", turn="h1", lineage=("chat",)))


def test_a_proposal_of_an_earlier_subtask_does_not_block_a_later_run() -> None:
    assert not is_question_of_run(RUN, question_in(turn="h1", lineage=("chat",), delivery=Delivery.PROPOSE))
