"""A repeated request runs once; an edit and a regeneration replace the message that they name."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from assent.errors import ConflictError, InputError, NotFoundError
from assent.gate.approval import State
from assent.gate.conversation import RunStatus
from assent.hosts.chat.chunk import Chunk
from assent.hosts.chat.request import ChatRequest, parse_request
from assent.stores.postgres.database import open_postgres
from tests.hosts.chat.chat_process import (
    ANA,
    WRITE,
    ChatProcess,
    call_states,
    chunk_types,
    collect_chunks,
    last_card,
    message_request,
    open_chat_process,
    stream_text,
)

APPEND = '/call run_command {"command": "echo ran >> ran.txt"}'
PROPOSED = '/call write_file {"path": "a.txt", "content": "new"}'


def with_key(said: ChatRequest, key: str) -> ChatRequest:
    return replace(said, key=key)


async def send_request(process: ChatProcess, said: ChatRequest) -> list[Chunk]:
    return await collect_chunks(await process.chat.send(ANA, process.conversation, said))


def retry_request(text: str, id: str = "m1", **more: Any) -> ChatRequest:
    """A request to generate the answer to a message again."""
    return message_request(text, id=id, trigger="regenerate-message", **more)


def edit_request(text: str, id: str = "m1") -> ChatRequest:
    return message_request(text, id=id, message_id=id)


async def count_runs(process: ChatProcess) -> int:
    return len(await process.store.chat_runs(process.conversation))


@pytest.mark.proves("T-53")
async def test_a_message_sent_again_after_its_run_gets_the_same_answer(each_process: ChatProcess) -> None:
    await each_process.open_conversation(mode="auto")
    first = await send_request(each_process, message_request(APPEND, id="m1"))
    second = await send_request(each_process, message_request(APPEND, id="m1"))

    assert stream_text(second) == stream_text(first)
    assert await count_runs(each_process) == 1
    assert (each_process.root / "ran.txt").read_text("utf-8") == "ran\n"


@pytest.mark.proves("T-53")
async def test_a_message_sent_again_during_its_run_attaches_to_the_run(each_process: ChatProcess) -> None:
    await each_process.open_conversation()
    first = await each_process.send_in_background(WRITE, id="m1")
    (question,) = await each_process.wait_for_questions()
    second = await each_process.send_in_background(WRITE, id="m1")
    await each_process.answer(question)

    assert chunk_types(await first) == chunk_types(await second)
    assert (await each_process.store.approval(question.id)).state is State.DONE
    assert await count_runs(each_process) == 1


@pytest.mark.proves("T-53")
async def test_ten_concurrent_requests_with_one_message_start_one_run(each_process: ChatProcess) -> None:
    await each_process.open_conversation(mode="auto")

    streams = await asyncio.gather(
        *(send_request(each_process, message_request(APPEND, id="m1")) for _ in range(10))
    )

    assert {stream_text(one) for one in streams} == {stream_text(streams[0])}
    assert await count_runs(each_process) == 1
    assert (each_process.root / "ran.txt").read_text("utf-8") == "ran\n"


@pytest.mark.proves("T-53")
async def test_a_message_id_with_different_content_is_a_conflict_and_does_not_change_the_run(
    process: ChatProcess,
) -> None:
    await process.open_conversation()
    await process.send_in_background(WRITE, id="m1")
    (question,) = await process.wait_for_questions()

    with pytest.raises(ConflictError, match="different content"):
        await send_request(process, message_request("something else", id="m1"))
    with pytest.raises(ConflictError, match="different content"):
        await send_request(process, message_request(WRITE, id="m1", mode="auto"))
    assert (await process.store.approval(question.id)).state is State.PENDING
    assert await count_runs(process) == 1


@pytest.mark.proves("T-53")
async def test_an_idempotency_key_belongs_to_one_request_of_its_sender(
    each_process: ChatProcess,
) -> None:
    process = each_process
    first_conversation = await process.open_conversation()
    said = with_key(message_request(WRITE), "k1")
    running = asyncio.create_task(send_request(process, said))
    (question,) = await process.wait_for_questions()
    repeat = asyncio.create_task(send_request(process, with_key(message_request(WRITE), "k1")))
    with pytest.raises(ConflictError, match="k1"):
        await send_request(process, with_key(message_request("something else"), "k1"))
    await process.open_conversation()
    with pytest.raises(ConflictError, match="k1"):
        await send_request(process, with_key(message_request(WRITE), "k1"))
    process.conversation = first_conversation
    await process.answer(question)

    assert chunk_types(await running) == chunk_types(await repeat)
    assert await count_runs(process) == 1


async def test_an_idempotency_key_of_answers_is_for_those_answers_only(process: ChatProcess) -> None:
    await process.open_conversation()
    await send_request(process, message_request(WRITE, delivery="suspend"))
    (question,) = await process.wait_for_questions()
    part = {"type": "tool-write_file", "state": "approval-responded", "input": dict(question.call.args)}
    yes = {**part, "approval": {"id": question.id, "approved": True}}
    no = {**part, "approval": {"id": question.id, "approved": False}}

    def answer_body(card: dict[str, Any]) -> ChatRequest:
        return with_key(parse_request({"message": {"id": "a", "role": "assistant", "parts": [card]}}), "k1")

    await send_request(process, answer_body(no))
    with pytest.raises(ConflictError, match="k1"):
        await send_request(process, answer_body(yes))
    await send_request(process, answer_body(no))
    assert (await process.store.approval(question.id)).state is State.DENIED


@pytest.mark.proves("T-53")
async def test_the_model_gets_one_note_about_a_proposal(process: ChatProcess) -> None:
    await process.open_conversation("propose")
    await process.send(PROPOSED)
    shown = last_card(await process.message_parts())
    await process.gate.apply_proposal(ANA, shown["token"])
    first = await send_request(process, parse_request({"about": shown["id"]}))
    second = await send_request(process, parse_request({"about": shown["id"]}))

    assert stream_text(first) == stream_text(second)
    assert await count_runs(process) == 2


async def test_a_regeneration_withdraws_the_questions_and_keeps_the_replaced_run(
    each_process: ChatProcess,
) -> None:
    process = each_process
    await process.open_conversation()
    await send_request(process, message_request(WRITE, id="m1", delivery="suspend"))
    (old,) = await process.wait_for_questions()
    await send_request(process, retry_request(WRITE, delivery="suspend"))
    (new,) = await process.wait_for_questions()

    withdrawn = await process.store.approval(old.id)
    assert (withdrawn.state, new.id != old.id) == (State.WITHDRAWN, True)
    shown = await process.messages()
    assert [one["role"] for one in shown] == ["user", "assistant"]
    runs = await process.store.chat_runs(process.conversation)
    assert [(one.status, one.replaced_by) for one in runs] == [
        (RunStatus.SUPERSEDED, runs[1].id),
        (RunStatus.SUSPENDED, ""),
    ]
    kept = await process.messages(replaced=True)
    assert [(one["role"], one["id"]) for one in kept][:2] == [("user", "m1"), ("assistant", runs[0].id)]
    assert kept[1]["metadata"]["replaced_by"] == runs[1].id  # type: ignore[index]
    assert call_states(kept[1]["parts"]) == ["output-denied"]  # type: ignore[arg-type]


@pytest.mark.proves("T-53")
async def test_a_repeated_regeneration_that_names_the_answer_starts_one_run(
    each_process: ChatProcess,
) -> None:
    process = each_process
    await process.open_conversation(mode="auto")
    await send_request(process, message_request(APPEND, id="m1"))
    answer = str((await process.messages())[-1]["id"])
    streams = await asyncio.gather(
        *(send_request(process, retry_request(APPEND, message_id=answer)) for _ in range(4))
    )
    late = await send_request(process, retry_request(APPEND, message_id=answer))

    assert {stream_text(one) for one in streams} == {stream_text(late)}
    assert await count_runs(process) == 2
    assert (process.root / "ran.txt").read_text("utf-8") == "ran\nran\n"


@pytest.mark.proves("T-53")
async def test_an_edit_replaces_the_message_and_all_later_messages(
    each_process: ChatProcess,
) -> None:
    process = each_process
    await process.open_conversation()
    await send_request(process, message_request("one", id="m1"))
    await send_request(process, message_request(WRITE, id="m2", delivery="suspend"))
    (question,) = await process.wait_for_questions()
    await asyncio.gather(*(send_request(process, edit_request("other")) for _ in range(3)))

    shown = await process.messages()
    assert [one["role"] for one in shown] == ["user", "assistant"]
    assert shown[0]["parts"] == [{"type": "text", "text": "other"}]
    assert (await process.store.approval(question.id)).state is State.WITHDRAWN
    assert await count_runs(process) == 3


async def test_a_proposal_of_an_edited_message_can_no_longer_be_applied(process: ChatProcess) -> None:
    await process.open_conversation("propose")
    (process.root / "a.txt").write_text("old", "utf-8")
    await send_request(process, message_request(PROPOSED, id="m1"))
    shown = last_card(await process.message_parts())
    await send_request(process, edit_request("never mind"))

    assert (await process.store.approval(shown["id"])).state is State.WITHDRAWN
    await process.gate.apply_proposal(ANA, shown["token"])
    assert (process.root / "a.txt").read_text("utf-8") == "old"


async def test_the_model_gets_no_replaced_messages(tmp_path: Path) -> None:
    given: list[list[str]] = []

    async def record_prompts_and_answer(messages: list[ModelMessage], _info: AgentInfo) -> AsyncIterator[str]:
        prompts = [part for one in messages if isinstance(one, ModelRequest) for part in one.parts]
        given.append([str(one.content) for one in prompts if isinstance(one, UserPromptPart)])
        yield "yes"

    async with open_chat_process(
        tmp_path, models={"m": FunctionModel(stream_function=record_prompts_and_answer)}
    ) as process:
        await process.open_conversation()
        await send_request(process, message_request("one", id="m1"))
        await send_request(process, message_request("two", id="m2"))
        await send_request(process, edit_request("another two", id="m2"))
        await send_request(process, retry_request("another two", id="m2"))

    assert given == [["one"], ["one", "two"], ["one", "another two"], ["one", "another two"]]


@pytest.mark.proves("T-53")
async def test_only_a_message_of_this_conversation_can_be_replaced(process: ChatProcess) -> None:
    await process.open_conversation()
    await send_request(process, message_request("there", id="m1"))
    theirs = str((await process.messages())[-1]["id"])
    await process.open_conversation()
    await send_request(process, message_request("here", id="m2"))
    await send_request(process, message_request("here too", id="m3"))
    first_answer = str((await process.messages())[1]["id"])

    with pytest.raises(NotFoundError, match="m1"):
        await send_request(process, edit_request("changed", id="m1"))
    with pytest.raises(NotFoundError):
        await send_request(process, retry_request("here too", id="m3", message_id=theirs))
    with pytest.raises(NotFoundError):
        await send_request(process, retry_request("there", id="m1"))
    with pytest.raises(InputError, match="does not answer"):
        await send_request(process, retry_request("here too", id="m3", message_id=first_answer))
    with pytest.raises(ConflictError, match="edit it instead"):
        await send_request(process, retry_request("changed", id="m3"))
    assert await count_runs(process) == 2


async def test_a_replaced_message_cannot_be_replaced_again(process: ChatProcess) -> None:
    await process.open_conversation()
    await send_request(process, message_request("one", id="m1"))
    answer = str((await process.messages())[-1]["id"])
    await send_request(process, edit_request("two"))

    with pytest.raises(ConflictError, match="replaced meanwhile"):
        await send_request(process, retry_request("one", message_id=answer))


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "assent.db")
    url = str(request.getfixturevalue("postgres_url"))
    asyncio.run(_prepare_database(url))
    return url


async def _prepare_database(url: str) -> None:
    await (await open_postgres(url, upgrade=True)).close()


@pytest.mark.proves("T-53")
async def test_a_repeated_request_to_another_pod_attaches_to_the_run(address: str, tmp_path: Path) -> None:
    async with open_chat_process(tmp_path, address) as first, open_chat_process(tmp_path, address) as second:
        second.conversation = await first.open_conversation()
        running = await first.send_in_background(APPEND, id="m1")
        (question,) = await first.wait_for_questions()
        attached = await second.send_in_background(APPEND, id="m1")
        with pytest.raises(ConflictError):
            await send_request(second, message_request("something else", id="m1"))
        await second.answer(question)
        here, there = await running, await attached
        late = await send_request(second, message_request(APPEND, id="m1"))

        assert stream_text(here) == stream_text(there) == stream_text(late) != ""
        assert await count_runs(second) == 1
        assert (first.root / "ran.txt").read_text("utf-8") == "ran\n"


async def test_concurrent_requests_to_two_pods_with_one_message_start_one_run(
    tmp_path: Path, postgres_url: str
) -> None:
    await _prepare_database(postgres_url)
    async with (
        open_chat_process(tmp_path, postgres_url) as first,
        open_chat_process(tmp_path, postgres_url) as second,
    ):
        second.conversation = await first.open_conversation(mode="auto")
        processes = [first, second] * 3
        streams = await asyncio.gather(
            *(send_request(one, message_request(APPEND, id="m1")) for one in processes)
        )

        assert {stream_text(one) for one in streams} == {stream_text(streams[0])}
        assert await count_runs(first) == 1
        assert (first.root / "ran.txt").read_text("utf-8") == "ran\n"
