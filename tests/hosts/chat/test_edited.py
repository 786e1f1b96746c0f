"""The conversation shows what ran: edited arguments, and files that changed while a question was open."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from assent.gate.file_preview import FileState
from tests.hosts.chat.chat_process import (
    ANA,
    ChatProcess,
    answer_request,
    call_states,
    collect_chunks,
    last_card,
)

WRITE = '/call write_file {"path": "note.txt", "content": "theirs"}'
EDITED = Answer(say=Say.ONCE, args={"path": "note.txt", "content": "mine"})


@pytest.mark.proves("T-49")
async def test_the_stream_and_the_message_show_the_arguments_that_ran(process: ChatProcess) -> None:
    await process.open_conversation()
    task = await process.send_in_background(WRITE)
    [question] = await process.wait_for_questions()
    await process.answer(question, EDITED)
    chunks = await task

    inputs = [one["input"] for one in chunks if one["type"] == "tool-input-available"]
    assert inputs == [{"path": "note.txt", "content": "theirs"}, EDITED.args]
    [call] = [one for one in await process.message_parts() if one["type"] == "tool-write_file"]
    assert (call["state"], call["input"]) == ("output-available", EDITED.args)
    assert last_card(await process.message_parts())["answer"]["args"] == EDITED.args
    assert (process.root / "note.txt").read_text("utf-8") == "mine"


@pytest.mark.proves("T-49")
async def test_the_model_is_informed_about_the_edited_arguments(process: ChatProcess) -> None:
    await process.open_conversation()
    task = await process.send_in_background(WRITE)
    [question] = await process.wait_for_questions()
    await process.answer(question, EDITED)
    await task

    [output] = [one["output"] for one in await process.message_parts() if "output" in one]
    assert output["text"].startswith(
        "[note from the server: a person changed the arguments; what ran is "
        '{"content": "mine", "path": "note.txt"}]'
    )


@pytest.mark.proves("T-49")
@pytest.mark.parametrize("delivery", ["wait", "suspend"])
async def test_a_question_is_asked_again_if_its_file_changed(process: ChatProcess, delivery: str) -> None:
    await process.open_conversation()
    note: Path = process.root / "note.txt"
    note.write_text("one\ntwo\n", "utf-8")
    task = await process.send_in_background(WRITE, delivery=delivery)
    [question] = await process.wait_for_questions()
    assert question.file is not None
    assert (question.file.state, question.file.removed) == (FileState.CHANGED, 2)
    if delivery == "suspend":
        await task
    note.write_text("one\ntwo\nthree\n", "utf-8")
    first = approved_parts(await process.message_parts())

    if delivery == "suspend":
        await collect_chunks(await process.chat.send(ANA, process.conversation, answer_request(first)))
    else:
        await process.answer(question)
    again = await process.wait_until_asked_again(question)

    assert again.file is not None
    assert (again.file.changes, again.file.removed) == (1, 3)
    if delivery == "wait":
        await process.answer(again)
        await task
    else:
        stale = await collect_chunks(
            await process.chat.send(ANA, process.conversation, answer_request(first))
        )
        assert (await process.store.approval(question.id)).state is State.PENDING, stale
        second = approved_parts(await process.message_parts())
        await collect_chunks(await process.chat.send(ANA, process.conversation, answer_request(second)))
    assert note.read_text("utf-8") == "theirs"
    assert call_states(await process.message_parts()) == ["output-available"]


def approved_parts(parts: list[dict[str, Any]]) -> list[Mapping[str, Any]]:
    """The waiting calls, each with an approval in its card."""
    return [
        {**one, "state": "approval-responded", "approval": {**one["approval"], "approved": True}}
        for one in parts
        if one.get("state") == "approval-requested"
    ]


@pytest.mark.proves("T-49")
async def test_a_field_change_is_shown_as_a_diff_of_its_file(process: ChatProcess) -> None:
    await process.open_conversation()
    (process.root / "package.json").write_text('{\n  "name": "a",\n  "version": "1"\n}\n', "utf-8")
    task = await process.send_in_background(
        '/call apply_change {"path": "package.json", "changes": [{"field": "version", "after": "2"}]}'
    )
    [question] = await process.wait_for_questions()

    assert question.file is not None
    assert question.file.diff.splitlines() == [
        "@@ -1,4 +1,4 @@",
        " {",
        '   "name": "a",',
        '-  "version": "1"',
        '+  "version": "2"',
        " }",
    ]
    await process.answer(question, Answer(say=Say.DENY))
    await task
