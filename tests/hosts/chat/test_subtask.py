"""A subtask has the narrower mode and the same gate, and its questions appear in the same conversation."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assent.engine.policy.snapshot import Tier
from assent.gate.access import Principal
from assent.gate.approval import State
from tests.hosts.chat.chat_process import (
    ANA,
    FOR_CHAT,
    NO,
    WRITE,
    ChatProcess,
    answer_request,
    call_states,
    collect_chunks,
    last_card,
    open_chat_process,
    stream_text,
)

LIST = "/call list_files {}"
APPEND = '/call run_command {"command": "echo ran >> ran.txt"}'
OTHER = '/call write_file {"path": "b.txt", "content": "two"}'


def subtask_call(task: str, **more: str) -> str:
    return f"/call run_subtask {json.dumps({'task': task, **more})}"


async def approve_cards(process: ChatProcess, *paths: str) -> str:
    """Approve these cards like a client of the protocol; return the streamed text."""
    found: list[dict[str, Any]] = [one for one in await process.message_parts() if one.get("approval")]
    wanted = [one for one in found if not paths or one["input"].get("path") in paths]
    said = [
        {**one, "state": "approval-responded", "approval": {**one["approval"], "approved": True}}
        for one in wanted
    ]
    return stream_text(
        await collect_chunks(await process.chat.send(ANA, process.conversation, answer_request(said)))
    )


@pytest.mark.proves("R000-10", "R000-44", "R000-43")
async def test_a_question_of_a_subtask_appears_in_the_conversation_with_its_name(
    process: ChatProcess,
) -> None:
    await process.open_conversation()
    task = await process.send_in_background(subtask_call(WRITE, name="scribe"))
    [question] = await process.wait_for_questions()
    parts = (await process.messages(live=True))[-1]["parts"]
    await process.answer(question)
    chunks = await task

    assert (question.call.agent, question.lineage) == ("chat/scribe", ("chat",))
    assert call_states(parts) == ["input-available", "approval-requested"]  # type: ignore[arg-type]
    assert last_card(parts)["call"]["agent"] == "chat/scribe"  # type: ignore[arg-type]
    assert call_states(await process.message_parts()) == ["output-available", "output-available"]
    assert (process.root / "a.txt").read_text("utf-8") == "one"
    assert "`run_subtask` (success)" in stream_text(chunks)


@pytest.mark.proves("R000-43")
@pytest.mark.parametrize(
    ("own", "asked", "ran"), [("auto", "plan", False), ("plan", "auto", False), ("auto", "auto", True)]
)
async def test_a_subtask_runs_in_the_narrower_mode(
    process: ChatProcess, own: str, asked: str, ran: bool
) -> None:
    await process.open_conversation(mode=own)
    await process.send(subtask_call(WRITE, mode=asked))

    assert (process.root / "a.txt").exists() is ran


@pytest.mark.proves("R000-44")
async def test_a_subtask_uses_grants_of_the_conversation(process: ChatProcess) -> None:
    await process.open_conversation()
    task = await process.send_in_background(WRITE)
    [question] = await process.wait_for_questions()
    await process.answer(question, FOR_CHAT)
    await task
    await process.send(subtask_call('/call write_file {"path": "b.txt", "content": "two"}'))

    assert (process.root / "b.txt").read_text("utf-8") == "two"


async def test_a_denied_subtask_reports_the_denial(process: ChatProcess) -> None:
    await process.open_conversation()
    task = await process.send_in_background(subtask_call(WRITE))
    [question] = await process.wait_for_questions()
    await process.answer(question, NO)
    chunks = await task

    assert "permission_denied" in stream_text(chunks)
    assert list(process.root.iterdir()) == []


@pytest.mark.proves("R000-45")
async def test_stop_withdraws_the_question_of_a_subtask(process: ChatProcess) -> None:
    await process.open_conversation()
    task = await process.send_in_background(subtask_call(WRITE))
    [question] = await process.wait_for_questions()
    await process.chat.stop(ANA, process.conversation)
    await asyncio.wait([task])

    assert (await process.store.approval(question.id)).state is State.WITHDRAWN
    assert call_states(await process.message_parts()) == ["output-denied", "output-denied"]


async def test_a_subtask_cannot_start_subtasks(process: ChatProcess) -> None:
    await process.open_conversation(mode="auto")
    chunks = await process.send(subtask_call(subtask_call(LIST)))

    assert "`run_subtask` (retried): there is no such tool" in stream_text(chunks)


# ---- a helper that goes on later ------------------------------------------------------------------


@pytest.mark.proves("R000-44", "R004-22")
async def test_a_question_of_a_subtask_suspends_the_run_and_its_answer_resumes_it(
    process: ChatProcess,
) -> None:
    await process.open_conversation()
    await process.send(subtask_call(f"{APPEND}\nthen\n{WRITE}", name="scribe"), delivery="suspend")
    [first] = await process.wait_for_questions()
    before = call_states(await process.message_parts())
    between = await approve_cards(process)
    [second] = await process.wait_for_questions()
    told = await approve_cards(process, "a.txt")

    assert before == ["output-available", "approval-requested"]
    assert (between, second.lineage) == ("", ("chat",))
    assert first.turn == second.turn
    assert call_states(await process.message_parts()) == ["output-available"] * 3
    assert (process.root / "ran.txt").read_text("utf-8") == "ran\n"
    assert (process.root / "a.txt").read_text("utf-8") == "one"
    assert "`run_subtask` (success): This was a rehearsal" in told


async def test_a_subtask_with_two_open_questions_continues_after_the_last_answer(
    process: ChatProcess,
) -> None:
    await process.open_conversation()
    both = subtask_call(f"{WRITE}\n{APPEND}")
    await process.send(f"{both}\n{OTHER}", delivery="suspend")
    await process.wait_for_questions(3)
    await approve_cards(process, "a.txt")
    still = sorted(one.call.tool for one in await process.wait_for_questions(2))
    untouched = list(process.root.iterdir())
    await approve_cards(process)

    assert still == ["run_command", "write_file"]
    assert untouched == []
    assert sorted(one.name for one in process.root.iterdir()) == ["a.txt", "b.txt", "ran.txt"]
    assert call_states(await process.message_parts()) == ["output-available"] * 4


async def test_an_approved_subtask_continues_and_is_reported_once(
    process: ChatProcess,
) -> None:
    await process.open_conversation()
    chief = Principal(id="ada", administrator=True)
    await process.gate.policy.set_tiers(chief, "chat", {"run_subtask": Tier.NEEDS_APPROVAL})
    await process.send(subtask_call(WRITE), delivery="suspend")
    [subtask] = await process.wait_for_questions()
    await approve_cards(process)
    [inner] = await process.wait_for_questions()
    await approve_cards(process, "a.txt")

    assert (subtask.call.tool, inner.call.tool) == ("run_subtask", "write_file")
    assert [(await process.store.approval(one.id)).state for one in (subtask, inner)] == [State.DONE] * 2
    assert (process.root / "a.txt").read_text("utf-8") == "one"


@pytest.mark.proves("R-23")
@pytest.mark.parametrize("delivery", ["wait", "suspend"])
async def test_a_subtask_continues_in_another_process_and_runs_nothing_twice(
    tmp_path: Path, delivery: str
) -> None:
    address = str(tmp_path / "assent.db")
    async with open_chat_process(tmp_path, address) as first:
        conversation = await first.open_conversation()
        task = await first.send_in_background(subtask_call(f"{APPEND}\nthen\n{WRITE}"), delivery=delivery)
        [question] = await first.wait_for_questions()
        if delivery == "suspend":
            await task
            await approve_cards(first)
        else:
            await first.answer(question)
        [open_one] = [one for one in await first.wait_for_questions() if one.id != question.id]
    async with open_chat_process(tmp_path, address, takeover_after=timedelta(0)) as second:
        second.conversation = conversation
        [still] = await second.wait_for_questions()
        await second.answer(still)
        stream = await second.chat.attach_to_run(ANA, conversation)
        if stream is not None:
            await collect_chunks(stream)
        shown = await second.wait_for_states(*["output-available"] * 3)

    assert still.id == open_one.id
    assert "a model would have been told" in str(shown)
    assert (first.root / "ran.txt").read_text("utf-8") == "ran\n"
    assert (first.root / "a.txt").read_text("utf-8") == "one"


async def test_stop_withdraws_the_question_of_a_suspended_subtask(process: ChatProcess) -> None:
    await process.open_conversation()
    await process.send(subtask_call(WRITE), delivery="suspend")
    [question] = await process.wait_for_questions()
    await process.chat.stop(ANA, process.conversation)

    assert (await process.store.approval(question.id)).state is State.WITHDRAWN
    assert call_states(await process.message_parts()) == ["output-denied", "output-denied"]
