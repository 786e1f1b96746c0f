"""The runs of a disabled person end, and none begins."""

import asyncio

import pytest

from assent.gate.approval import State
from assent.gate.people import Person
from assent.gate.transcript import RunStatus
from assent.hosts.chat import runs
from tests.hosts.chat.chat_process import ANA, WRITE, ChatProcess, collect, message_request


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "HEARTBEAT_SECONDS", 0.0)


async def course(process: ChatProcess) -> RunStatus:
    """How the one run of a process ended, once it has."""
    async with asyncio.timeout(60):
        while True:
            (run,) = await process.store.chat_runs(process.conversation)
            if run.status is not RunStatus.RUNNING:
                return run.status
            await asyncio.sleep(0.01)


async def shut_out(process: ChatProcess) -> None:
    await process.store.add_person(Person(id="ada", administrator=True), by="root")
    await process.store.add_person(Person(id="ana"), by="ada")
    await process.store.disable_person("ana", by="ada")


@pytest.mark.proves("T-14")
async def test_what_runs_in_their_name_ends_and_its_questions_with_it(each_process: ChatProcess) -> None:
    await each_process.open_conversation()
    running = await each_process.send_in_background(WRITE)
    (question,) = await each_process.wait_for_questions()
    await shut_out(each_process)
    async with asyncio.timeout(60):
        await running

    assert await course(each_process) is RunStatus.STOPPED
    assert (await each_process.store.approval(question.id)).state is State.WITHDRAWN
    assert not (each_process.root / "a.txt").exists()


async def test_nothing_begins_in_their_name(process: ChatProcess) -> None:
    await process.open_conversation(mode="auto")
    await shut_out(process)
    async with asyncio.timeout(60):
        await collect(await process.chat.send(ANA, process.conversation, message_request(WRITE)))

    assert await course(process) is RunStatus.STOPPED
    assert not (process.root / "a.txt").exists()
