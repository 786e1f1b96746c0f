"""A run outlives its process: another one goes on from the log, and nothing is run or asked for twice."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, FunctionModel

from assent.gate.approval import State
from assent.gate.conversations import ConversationChanges
from assent.gate.transcript import LogKind, RunStatus
from tests.hosts.chat.room import ANA, WRITE, Room, a_room, heard, states, texts

SOON = timedelta(0)
APPEND = '/call run_command {"command": "echo ran >> ran.txt"}'


async def noted(room: Room, kind: LogKind, text: str = "") -> None:
    """Come back when the log of the conversation's run has a line of this kind with this in it."""
    async with asyncio.timeout(60):
        while True:
            runs = await room.store.chat_runs(room.conversation)
            lines = await room.store.lines([runs[-1].id], kinds=[kind]) if runs else ()
            if any(text in line.body for line in lines):
                return
            await asyncio.sleep(0.01)


async def written(path: Path) -> None:
    """Come back when there is such a file and something in it."""
    async with asyncio.timeout(60):
        while not path.exists() or not path.stat().st_size:
            await asyncio.sleep(0.01)


async def ended(room: Room) -> None:
    async with asyncio.timeout(60):
        while (await room.store.chat_runs(room.conversation))[-1].status is RunStatus.RUNNING:
            await asyncio.sleep(0.02)


@pytest.mark.proves("R-25")
async def test_a_call_that_was_running_is_not_run_again_and_the_model_is_told_to_check(
    tmp_path: Path,
) -> None:
    address = str(tmp_path / "assent.db")
    slow = '/call run_command {"command": "echo began >> log.txt; sleep 30"}'
    async with a_room(tmp_path, address) as first:
        conversation = await first.opens(mode="auto")
        await first.begins(slow)
        await noted(first, LogKind.CALLED)
        await written(first.root / "log.txt")
        await first.chat.close()
        async with a_room(tmp_path, address, silent=SOON) as second:
            second.conversation = conversation
            await ended(second)
            parts = await second.parts()

    assert states(parts) == ["output-error"]
    assert "not known whether this call was carried out" in str(parts)
    assert (first.root / "log.txt").read_text("utf-8") == "began\n"


async def test_an_answer_that_was_cut_off_is_shown_whole_and_once(tmp_path: Path) -> None:
    address = str(tmp_path / "assent.db")

    async def halting(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield "half of "
        await asyncio.sleep(3600)
        yield "it"

    async def whole(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield "all of it"

    async with a_room(tmp_path, address, models={"m": FunctionModel(stream_function=halting)}) as first:
        conversation = await first.opens()
        task = await first.begins("go")
        await noted(first, LogKind.CHUNKS, "half of")
        await first.chat.close()
        shown = texts(await task)
        models = {"m": FunctionModel(stream_function=whole)}
        async with a_room(tmp_path, address, models=models, silent=SOON) as second:
            second.conversation = conversation
            await ended(second)
            parts = await second.parts()

    assert shown == "half of "
    assert [one["text"] for one in parts if one["type"] == "text"] == ["all of it"]


@pytest.mark.proves("R-23", "R000-47")
async def test_a_process_that_ends_gives_no_question_up(tmp_path: Path) -> None:
    address = str(tmp_path / "assent.db")
    async with a_room(tmp_path, address) as first:
        conversation = await first.opens()
        await first.begins(WRITE)
        [question] = await first.pending()
    async with a_room(tmp_path, address, silent=SOON) as second:
        second.conversation = conversation
        [still] = await second.pending()
        await second.answers(still)
        await ended(second)
        shown = states(await second.parts())

    assert still.id == question.id
    assert shown == ["output-available"]
    assert (first.root / "a.txt").read_text("utf-8") == "one"


async def test_a_process_that_was_taken_for_dead_runs_nothing(tmp_path: Path) -> None:
    address = str(tmp_path / "assent.db")
    async with a_room(tmp_path, address, silent=timedelta(hours=1)) as first:
        conversation = await first.opens()
        task = await first.begins(APPEND)
        [question] = await first.pending()
        async with a_room(tmp_path, address, silent=SOON) as second:
            second.conversation = conversation
            await heard_soon(second)
            await second.answers(question)
            await ended(second)
            shown = states(await second.parts())
            await task

    assert shown == ["output-available"]
    assert (first.root / "ran.txt").read_text("utf-8") == "ran\n"


async def test_a_run_that_fails_after_it_was_taken_over_gives_no_question_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, taken = str(tmp_path / "assent.db"), asyncio.Event()

    async def fails(*_: object) -> RunStatus:
        await taken.wait()
        raise RuntimeError

    async with a_room(tmp_path, address, silent=timedelta(hours=1)) as first:
        monkeypatch.setattr(first.chat._runs, "_drive", fails)
        conversation = await first.opens()
        task = await first.begins(WRITE)
        async with a_room(tmp_path, address, silent=SOON) as second:
            second.conversation = conversation
            [question] = await second.pending()
            taken.set()
            await task
            await second.answers(question)
            await ended(second)
            shown = states(await second.parts())

    assert shown == ["output-available"]


async def heard_soon(room: Room) -> None:
    """Come back when this room has the run."""
    async with asyncio.timeout(60):
        while (await room.store.chat_runs(room.conversation))[-1].boot != room.store.boot:
            await asyncio.sleep(0.02)


async def test_a_stream_is_told_by_another_process_too(tmp_path: Path) -> None:
    address = str(tmp_path / "assent.db")
    async with a_room(tmp_path, address) as first, a_room(tmp_path, address) as second:
        conversation = second.conversation = await first.opens()
        task = await first.begins(WRITE)
        [question] = await second.pending()
        looking = asyncio.create_task(heard(await second.chat.attach(ANA, conversation)))
        await second.answers(question)

        there, here = await looking, await task
        assert (there[0], texts(there)) == (here[0], texts(here))
        assert [one["type"] for one in there if one["type"] != "text-delta"] == [
            one["type"] for one in here if one["type"] != "text-delta"
        ]


@pytest.mark.proves("R000-45", "R000-49")
@pytest.mark.parametrize("how", ["stop", "newer"])
async def test_another_process_can_end_a_run(tmp_path: Path, how: str) -> None:
    address = str(tmp_path / "assent.db")
    async with a_room(tmp_path, address) as first, a_room(tmp_path, address) as second:
        conversation = second.conversation = await first.opens()
        task = await first.begins(WRITE)
        [question] = await second.pending()
        if how == "stop":
            await second.chat.stop(ANA, conversation)
        else:
            await second.says("never mind")
        await task
        state = (await second.store.approval(question.id)).state
        first_run = (await second.store.chat_runs(conversation))[0]

    assert state is State.WITHDRAWN
    assert first_run.status is (RunStatus.STOPPED if how == "stop" else RunStatus.SUPERSEDED)
    assert list(first.root.iterdir()) == []


@pytest.mark.proves("R000-45")
async def test_a_run_that_was_suspended_just_now_can_be_stopped(each_room: Room) -> None:
    await each_room.opens()
    await each_room.says(WRITE, delivery="suspend")
    await each_room.chat.stop(ANA, each_room.conversation)
    [run] = await each_room.store.chat_runs(each_room.conversation)

    assert run.status is RunStatus.STOPPED
    assert states(await each_room.parts()) == ["output-denied"]


@pytest.mark.proves("R000-36")
async def test_a_suspended_run_goes_on_in_the_mode_that_it_began_with(each_room: Room) -> None:
    await each_room.opens()
    await each_room.says(f"{WRITE}\nthen\n{APPEND}", delivery="suspend")
    [question] = await each_room.pending()
    await each_room.gate.conversations.change(ANA, each_room.conversation, ConversationChanges(mode="auto"))
    await each_room.answers(question)
    await heard(await each_room.chat.attach(ANA, each_room.conversation))

    assert [one.call.tool for one in await each_room.pending()] == ["run_command"]
    assert not (each_room.root / "ran.txt").exists()


async def test_an_answer_that_was_kept_whole_is_not_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    async def model(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        asked.append(len(messages))
        yield "all of it"

    address, models = str(tmp_path / "assent.db"), {"m": FunctionModel(stream_function=model)}
    async with a_room(tmp_path, address, models=models) as first:
        conversation = await first.opens()

        async def dies(*_: object) -> None:
            raise asyncio.CancelledError

        # The process goes between the last answer and the end of the run.
        monkeypatch.setattr(first.chat._runs, "_finish", dies)
        await first.begins("go")
        await noted(first, LogKind.MESSAGES, "all of it")
        await first.chat.close()
        async with a_room(tmp_path, address, models=models, silent=SOON) as second:
            second.conversation = conversation
            await ended(second)
            parts = await second.parts()

    assert len(asked) == 1
    assert [one["text"] for one in parts if one["type"] == "text"] == ["all of it"]
