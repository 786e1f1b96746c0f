"""A helper has the narrower mode and the same gate, and its questions stand in the same thread."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assent.engine.policy.tiers import Tier
from assent.gate.access import Principal
from assent.gate.approval import State
from tests.hosts.chat.room import (
    ANA,
    FOR_CHAT,
    NO,
    WRITE,
    Room,
    a_room,
    answering,
    card,
    heard,
    states,
    texts,
)

LIST = "/call list_files {}"
APPEND = '/call run_command {"command": "echo ran >> ran.txt"}'
OTHER = '/call write_file {"path": "b.txt", "content": "two"}'


def helped(task: str, **more: str) -> str:
    return f"/call run_subtask {json.dumps({'task': task, **more})}"


async def approves(room: Room, *paths: str) -> str:
    """Answer these cards as a client of the protocol does, and hear what comes of it."""
    found: list[dict[str, Any]] = [one for one in await room.parts() if one.get("approval")]
    wanted = [one for one in found if not paths or one["input"].get("path") in paths]
    said = [
        {**one, "state": "approval-responded", "approval": {**one["approval"], "approved": True}}
        for one in wanted
    ]
    return texts(await heard(await room.chat.send(ANA, room.conversation, answering(said))))


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

    assert "`run_subtask` (retried): there is no such tool" in texts(chunks)


# ---- a helper that goes on later ------------------------------------------------------------------


@pytest.mark.proves("R000-44", "R004-22")
async def test_a_helpers_question_suspends_the_run_and_its_answer_goes_on_with_it(room: Room) -> None:
    await room.opens()
    await room.says(helped(f"{APPEND}\nthen\n{WRITE}", name="scribe"), delivery="suspend")
    [first] = await room.pending()
    before = states(await room.parts())
    between = await approves(room)
    [second] = await room.pending()
    told = await approves(room, "a.txt")

    assert before == ["output-available", "approval-requested"]
    assert (between, second.lineage) == ("", ("chat",))
    assert first.turn == second.turn
    assert states(await room.parts()) == ["output-available"] * 3
    assert (room.root / "ran.txt").read_text("utf-8") == "ran\n"
    assert (room.root / "a.txt").read_text("utf-8") == "one"
    assert "`run_subtask` (success): This was a rehearsal" in told


async def test_a_helper_that_asks_twice_at_once_goes_on_with_the_last_answer(room: Room) -> None:
    await room.opens()
    both = helped(f"{WRITE}\n{APPEND}")
    await room.says(f"{both}\n{OTHER}", delivery="suspend")
    await room.pending(3)
    await approves(room, "a.txt")
    still = sorted(one.call.tool for one in await room.pending(2))
    untouched = list(room.root.iterdir())
    await approves(room)

    assert still == ["run_command", "write_file"]
    assert untouched == []
    assert sorted(one.name for one in room.root.iterdir()) == ["a.txt", "b.txt", "ran.txt"]
    assert states(await room.parts()) == ["output-available"] * 4


async def test_a_helper_that_was_let_run_by_a_person_goes_on_and_is_reported_once(room: Room) -> None:
    await room.opens()
    chief = Principal(id="ada", administrator=True)
    await room.gate.set_tiers(chief, "chat", {"run_subtask": Tier.NEEDS_APPROVAL})
    await room.says(helped(WRITE), delivery="suspend")
    [subtask] = await room.pending()
    await approves(room)
    [inner] = await room.pending()
    await approves(room, "a.txt")

    assert (subtask.call.tool, inner.call.tool) == ("run_subtask", "write_file")
    assert [(await room.store.approval(one.id)).state for one in (subtask, inner)] == [State.DONE] * 2
    assert (room.root / "a.txt").read_text("utf-8") == "one"


@pytest.mark.proves("R-23")
@pytest.mark.parametrize("delivery", ["wait", "suspend"])
async def test_a_helper_goes_on_in_another_process_and_runs_nothing_twice(
    tmp_path: Path, delivery: str
) -> None:
    address = str(tmp_path / "assent.db")
    async with a_room(tmp_path, address) as first:
        conversation = await first.opens()
        task = await first.begins(helped(f"{APPEND}\nthen\n{WRITE}"), delivery=delivery)
        [question] = await first.pending()
        if delivery == "suspend":
            await task
            await approves(first)
        else:
            await first.answers(question)
        [open_one] = [one for one in await first.pending() if one.id != question.id]
    async with a_room(tmp_path, address, silent=timedelta(0)) as second:
        second.conversation = conversation
        [still] = await second.pending()
        await second.answers(still)
        stream = await second.chat.attach(ANA, conversation)
        if stream is not None:
            await heard(stream)
        shown = await second.shows(*["output-available"] * 3)

    assert still.id == open_one.id
    assert "a model would have been told" in str(shown)
    assert (first.root / "ran.txt").read_text("utf-8") == "ran\n"
    assert (first.root / "a.txt").read_text("utf-8") == "one"


async def test_stop_takes_the_question_of_a_suspended_helper_back(room: Room) -> None:
    await room.opens()
    await room.says(helped(WRITE), delivery="suspend")
    [question] = await room.pending()
    await room.chat.stop(ANA, room.conversation)

    assert (await room.store.approval(question.id)).state is State.WITHDRAWN
    assert states(await room.parts()) == ["output-denied", "output-denied"]
