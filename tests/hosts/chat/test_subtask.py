"""A helper has the narrower mode and the same gate, and its questions stand in the same thread."""

import asyncio
import json

import pytest

from assent.gate.approval import State
from tests.hosts.chat.room import ANA, FOR_CHAT, NO, WRITE, Room, card, states, texts

LIST = "/call list_files {}"


def helped(task: str, **more: str) -> str:
    return f"/call run_subtask {json.dumps({'task': task, **more})}"


@pytest.mark.proves("R000-10", "R000-44", "R000-43")
async def test_a_helpers_question_stands_in_the_thread_and_names_it(room: Room) -> None:
    await room.opens()
    task = await room.begins(helped(WRITE, name="scribe"))
    [question] = await room.pending()
    parts = (await room.messages(live=True))[-1]["parts"]
    await room.answers(question)
    chunks = await task

    assert (question.call.agent, question.lineage) == ("chat/scribe", ("chat",))
    assert states(parts) == ["input-available", "approval-requested"]  # type: ignore[arg-type]
    assert card(parts)["call"]["agent"] == "chat/scribe"  # type: ignore[arg-type]
    assert states(await room.parts()) == ["output-available", "output-available"]
    assert (room.root / "a.txt").read_text("utf-8") == "one"
    assert "`run_subtask` (success)" in texts(chunks)


@pytest.mark.proves("R000-43")
@pytest.mark.parametrize(
    ("own", "asked", "ran"), [("auto", "plan", False), ("plan", "auto", False), ("auto", "auto", True)]
)
async def test_a_helper_works_in_the_narrower_mode(room: Room, own: str, asked: str, ran: bool) -> None:
    await room.opens(mode=own)
    await room.says(helped(WRITE, mode=asked))

    assert (room.root / "a.txt").exists() is ran


@pytest.mark.proves("R000-44")
async def test_a_helper_uses_what_was_granted_to_the_chat(room: Room) -> None:
    await room.opens()
    task = await room.begins(WRITE)
    [question] = await room.pending()
    await room.answers(question, FOR_CHAT)
    await task
    await room.says(helped('/call write_file {"path": "b.txt", "content": "two"}'))

    assert (room.root / "b.txt").read_text("utf-8") == "two"


async def test_a_helper_that_is_denied_tells_so(room: Room) -> None:
    await room.opens()
    task = await room.begins(helped(WRITE))
    [question] = await room.pending()
    await room.answers(question, NO)
    chunks = await task

    assert "permission_denied" in texts(chunks)
    assert list(room.root.iterdir()) == []


@pytest.mark.proves("R000-45")
async def test_stop_takes_a_helpers_question_back(room: Room) -> None:
    await room.opens()
    task = await room.begins(helped(WRITE))
    [question] = await room.pending()
    await room.chat.stop(ANA, room.conversation)
    await asyncio.wait([task])

    assert (await room.store.approval(question.id)).state is State.WITHDRAWN
    assert states(await room.parts()) == ["output-denied", "output-denied"]


async def test_a_helper_has_no_helpers(room: Room) -> None:
    await room.opens(mode="auto")
    chunks = await room.says(helped(helped(LIST)))

    assert "Unknown tool name" in texts(chunks)
