"""The runs of a disabled person end, and none begins."""

import asyncio

import pytest

from assent.gate.approval import State
from assent.gate.conversation import RunStatus
from assent.gate.people import Person
from assent.hosts.chat import runs
from tests.hosts.chat.chat_process import ANA, WRITE, ChatProcess, collect_chunks, message_request
from tests.waiting import wait_until_async


@pytest.fixture(autouse=True)
def short_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "HEARTBEAT_SECONDS", 0.0)


async def wait_for_end(process: ChatProcess) -> RunStatus:
    """Wait until the only run of a process has ended; return its status."""

    async def find_status() -> RunStatus | None:
        (run,) = await process.store.chat_runs(process.conversation)
        return run.status if run.status is not RunStatus.RUNNING else None

    return await wait_until_async(find_status)


async def disable_ana(process: ChatProcess) -> None:
    await process.store.add_person(Person(id="ada", administrator=True), by="root")
    await process.store.add_person(Person(id="ana"), by="ada")
    await process.store.disable_person("ana", by="ada")


@pytest.mark.proves("T-14")
async def test_runs_of_a_disabled_person_end_and_their_questions_are_withdrawn(
    each_process: ChatProcess,
) -> None:
    await each_process.open_conversation()
    running = await each_process.send_in_background(WRITE)
    (question,) = await each_process.wait_for_questions()
    await disable_ana(each_process)
    async with asyncio.timeout(60):
        await running

    assert await wait_for_end(each_process) is RunStatus.STOPPED
    assert (await each_process.store.approval(question.id)).state is State.WITHDRAWN
    assert not (each_process.root / "a.txt").exists()


async def test_no_run_begins_for_a_disabled_person(process: ChatProcess) -> None:
    await process.open_conversation(mode="auto")
    await disable_ana(process)
    async with asyncio.timeout(60):
        await collect_chunks(await process.chat.send(ANA, process.conversation, message_request(WRITE)))

    assert await wait_for_end(process) is RunStatus.STOPPED
    assert not (process.root / "a.txt").exists()
