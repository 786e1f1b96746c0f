"""Whoever is shut out has nothing running any more: no model goes on acting in their name."""

import asyncio

import pytest

from assent.gate.approval import State
from assent.gate.people import Person
from assent.gate.transcript import RunStatus
from assent.hosts.chat import runs
from tests.hosts.chat.room import ANA, WRITE, Room, a_message, heard


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "BEAT", 0.0)


async def course(room: Room) -> RunStatus:
    """How the one run of a room ended, once it has."""
    async with asyncio.timeout(60):
        while True:
            (run,) = await room.store.chat_runs(room.conversation)
            if run.status is not RunStatus.RUNNING:
                return run.status
            await asyncio.sleep(0.01)


async def shut_out(room: Room) -> None:
    await room.store.add_person(Person(id="ada", administrator=True), by="root")
    await room.store.add_person(Person(id="ana"), by="ada")
    await room.store.disable_person("ana", by="ada")


@pytest.mark.proves("T-14")
async def test_what_runs_in_their_name_ends_and_its_questions_with_it(each_room: Room) -> None:
    await each_room.opens()
    running = await each_room.begins(WRITE)
    (question,) = await each_room.pending()
    await shut_out(each_room)
    async with asyncio.timeout(60):
        await running

    assert await course(each_room) is RunStatus.STOPPED
    assert (await each_room.store.approval(question.id)).state is State.WITHDRAWN
    assert not (each_room.root / "a.txt").exists()


async def test_nothing_begins_in_their_name(room: Room) -> None:
    await room.opens(mode="auto")
    await shut_out(room)
    async with asyncio.timeout(60):
        await heard(await room.chat.send(ANA, room.conversation, a_message(WRITE)))

    assert await course(room) is RunStatus.STOPPED
    assert not (room.root / "a.txt").exists()
