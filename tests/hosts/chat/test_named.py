"""A post that comes again runs once; an edit and a new try take the place of what they name."""

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
from assent.gate.transcript import RunStatus
from assent.hosts.chat.chunk import Chunk
from assent.hosts.chat.incoming import Incoming, incoming
from assent.stores.postgres import open_postgres
from tests.hosts.chat.room import (
    ANA,
    WRITE,
    Room,
    a_message,
    a_room,
    card,
    heard,
    kinds,
    states,
    texts,
)

APPEND = '/call run_command {"command": "echo ran >> ran.txt"}'
PROPOSED = '/call write_file {"path": "a.txt", "content": "new"}'


def with_key(said: Incoming, key: str) -> Incoming:
    return replace(said, key=key)


async def sent(room: Room, said: Incoming) -> list[Chunk]:
    return await heard(await room.chat.send(ANA, room.conversation, said))


def again(text: str, id: str = "m1", **more: Any) -> Incoming:
    """Try the answer to a message again."""
    return a_message(text, id=id, trigger="regenerate-message", **more)


def edit(text: str, id: str = "m1") -> Incoming:
    return a_message(text, id=id, message_id=id)


async def count(room: Room) -> int:
    return len(await room.store.chat_runs(room.conversation))


@pytest.mark.proves("T-53")
async def test_a_message_posted_again_after_its_end_gets_the_same_answer(each_room: Room) -> None:
    await each_room.opens(mode="auto")
    first = await sent(each_room, a_message(APPEND, id="m1"))
    second = await sent(each_room, a_message(APPEND, id="m1"))

    assert texts(second) == texts(first)
    assert await count(each_room) == 1
    assert (each_room.root / "ran.txt").read_text("utf-8") == "ran\n"


@pytest.mark.proves("T-53")
async def test_a_message_posted_again_while_it_runs_attaches_to_its_run(each_room: Room) -> None:
    await each_room.opens()
    first = await each_room.begins(WRITE, id="m1")
    (question,) = await each_room.pending()
    second = await each_room.begins(WRITE, id="m1")
    await each_room.answers(question)

    assert kinds(await first) == kinds(await second)
    assert (await each_room.store.approval(question.id)).state is State.DONE
    assert await count(each_room) == 1


@pytest.mark.proves("T-53")
async def test_ten_posts_of_one_message_at_once_are_one_run(each_room: Room) -> None:
    await each_room.opens(mode="auto")

    streams = await asyncio.gather(*(sent(each_room, a_message(APPEND, id="m1")) for _ in range(10)))

    assert {texts(one) for one in streams} == {texts(streams[0])}
    assert await count(each_room) == 1
    assert (each_room.root / "ran.txt").read_text("utf-8") == "ran\n"


@pytest.mark.proves("T-53")
async def test_a_message_id_with_other_content_is_a_conflict_and_leaves_the_run_alone(room: Room) -> None:
    await room.opens()
    await room.begins(WRITE, id="m1")
    (question,) = await room.pending()

    with pytest.raises(ConflictError, match="different content"):
        await sent(room, a_message("something else", id="m1"))
    with pytest.raises(ConflictError, match="different content"):
        await sent(room, a_message(WRITE, id="m1", mode="auto"))
    assert (await room.store.approval(question.id)).state is State.PENDING
    assert await count(room) == 1


@pytest.mark.proves("T-53")
async def test_a_key_is_one_request_of_its_sender_and_is_not_taken_over_while_its_run_is_open(
    each_room: Room,
) -> None:
    room = each_room
    first_conversation = await room.opens()
    said = with_key(a_message(WRITE), "k1")
    running = asyncio.create_task(sent(room, said))
    (question,) = await room.pending()
    repeat = asyncio.create_task(sent(room, with_key(a_message(WRITE), "k1")))
    with pytest.raises(ConflictError, match="k1"):
        await sent(room, with_key(a_message("something else"), "k1"))
    await room.opens()
    with pytest.raises(ConflictError, match="k1"):
        await sent(room, with_key(a_message(WRITE), "k1"))
    room.conversation = first_conversation
    await room.answers(question)

    assert kinds(await running) == kinds(await repeat)
    assert await count(room) == 1


async def test_a_key_for_answers_means_those_answers(room: Room) -> None:
    await room.opens()
    await sent(room, a_message(WRITE, delivery="suspend"))
    (question,) = await room.pending()
    part = {"type": "tool-write_file", "state": "approval-responded", "input": dict(question.call.args)}
    yes = {**part, "approval": {"id": question.id, "approved": True}}
    no = {**part, "approval": {"id": question.id, "approved": False}}

    def answered(card: dict[str, Any]) -> Incoming:
        return with_key(incoming({"message": {"id": "a", "role": "assistant", "parts": [card]}}), "k1")

    await sent(room, answered(no))
    with pytest.raises(ConflictError, match="k1"):
        await sent(room, answered(yes))
    await sent(room, answered(no))
    assert (await room.store.approval(question.id)).state is State.DENIED


@pytest.mark.proves("T-53")
async def test_the_model_is_told_of_a_proposal_once(room: Room) -> None:
    await room.opens("propose")
    await room.says(PROPOSED)
    shown = card(await room.parts())
    await room.gate.apply(ANA, shown["token"])
    first = await sent(room, incoming({"about": shown["id"]}))
    second = await sent(room, incoming({"about": shown["id"]}))

    assert texts(first) == texts(second)
    assert await count(room) == 2


async def test_a_new_try_withdraws_the_questions_and_keeps_the_record(each_room: Room) -> None:
    room = each_room
    await room.opens()
    await sent(room, a_message(WRITE, id="m1", delivery="suspend"))
    (old,) = await room.pending()
    await sent(room, again(WRITE, delivery="suspend"))
    (new,) = await room.pending()

    withdrawn = await room.store.approval(old.id)
    assert (withdrawn.state, new.id != old.id) == (State.WITHDRAWN, True)
    shown = await room.messages()
    assert [one["role"] for one in shown] == ["user", "assistant"]
    runs = await room.store.chat_runs(room.conversation)
    assert [(one.status, one.replaced_by) for one in runs] == [
        (RunStatus.SUPERSEDED, runs[1].id),
        (RunStatus.SUSPENDED, ""),
    ]
    kept = await room.messages(replaced=True)
    assert [(one["role"], one["id"]) for one in kept][:2] == [("user", "m1"), ("assistant", runs[0].id)]
    assert kept[1]["metadata"]["replaced_by"] == runs[1].id  # type: ignore[index]
    assert states(kept[1]["parts"]) == ["output-denied"]  # type: ignore[arg-type]


@pytest.mark.proves("T-53")
async def test_a_new_try_that_names_the_answer_comes_again_and_is_one_run(each_room: Room) -> None:
    room = each_room
    await room.opens(mode="auto")
    await sent(room, a_message(APPEND, id="m1"))
    answer = str((await room.messages())[-1]["id"])
    streams = await asyncio.gather(*(sent(room, again(APPEND, message_id=answer)) for _ in range(4)))
    late = await sent(room, again(APPEND, message_id=answer))

    assert {texts(one) for one in streams} == {texts(late)}
    assert await count(room) == 2
    assert (room.root / "ran.txt").read_text("utf-8") == "ran\nran\n"


@pytest.mark.proves("T-53")
async def test_an_edit_takes_the_place_of_the_message_and_all_that_followed(each_room: Room) -> None:
    room = each_room
    await room.opens()
    await sent(room, a_message("one", id="m1"))
    await sent(room, a_message(WRITE, id="m2", delivery="suspend"))
    (question,) = await room.pending()
    await asyncio.gather(*(sent(room, edit("other")) for _ in range(3)))

    shown = await room.messages()
    assert [one["role"] for one in shown] == ["user", "assistant"]
    assert shown[0]["parts"] == [{"type": "text", "text": "other"}]
    assert (await room.store.approval(question.id)).state is State.WITHDRAWN
    assert await count(room) == 3


async def test_a_proposal_of_an_edited_message_can_no_longer_be_applied(room: Room) -> None:
    await room.opens("propose")
    (room.root / "a.txt").write_text("old", "utf-8")
    await sent(room, a_message(PROPOSED, id="m1"))
    shown = card(await room.parts())
    await sent(room, edit("never mind"))

    assert (await room.store.approval(shown["id"])).state is State.WITHDRAWN
    await room.gate.apply(ANA, shown["token"])
    assert (room.root / "a.txt").read_text("utf-8") == "old"


async def test_the_model_is_given_only_what_counts(tmp_path: Path) -> None:
    given: list[list[str]] = []

    async def speak(messages: list[ModelMessage], _info: AgentInfo) -> AsyncIterator[str]:
        prompts = [part for one in messages if isinstance(one, ModelRequest) for part in one.parts]
        given.append([str(one.content) for one in prompts if isinstance(one, UserPromptPart)])
        yield "yes"

    async with a_room(tmp_path, models={"m": FunctionModel(stream_function=speak)}) as room:
        await room.opens()
        await sent(room, a_message("one", id="m1"))
        await sent(room, a_message("two", id="m2"))
        await sent(room, edit("another two", id="m2"))
        await sent(room, again("another two", id="m2"))

    assert given == [["one"], ["one", "two"], ["one", "another two"], ["one", "another two"]]


@pytest.mark.proves("T-53")
async def test_only_a_message_of_this_conversation_can_be_named(room: Room) -> None:
    await room.opens()
    await sent(room, a_message("there", id="m1"))
    theirs = str((await room.messages())[-1]["id"])
    await room.opens()
    await sent(room, a_message("here", id="m2"))
    await sent(room, a_message("here too", id="m3"))
    first_answer = str((await room.messages())[1]["id"])

    with pytest.raises(NotFoundError, match="m1"):
        await sent(room, edit("changed", id="m1"))
    with pytest.raises(NotFoundError):
        await sent(room, again("here too", id="m3", message_id=theirs))
    with pytest.raises(NotFoundError):
        await sent(room, again("there", id="m1"))
    with pytest.raises(InputError, match="does not answer"):
        await sent(room, again("here too", id="m3", message_id=first_answer))
    with pytest.raises(ConflictError, match="edit it instead"):
        await sent(room, again("changed", id="m3"))
    assert await count(room) == 2


async def test_what_was_replaced_by_something_else_cannot_be_tried_again(room: Room) -> None:
    await room.opens()
    await sent(room, a_message("one", id="m1"))
    answer = str((await room.messages())[-1]["id"])
    await sent(room, edit("two"))

    with pytest.raises(ConflictError, match="replaced meanwhile"):
        await sent(room, again("one", message_id=answer))


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "assent.db")
    url = str(request.getfixturevalue("postgres_url"))
    asyncio.run(_prepared(url))
    return url


async def _prepared(url: str) -> None:
    await (await open_postgres(url, upgrade=True)).close()


@pytest.mark.proves("T-53")
async def test_a_repeat_that_reaches_another_pod_attaches_there(address: str, tmp_path: Path) -> None:
    async with a_room(tmp_path, address) as first, a_room(tmp_path, address) as second:
        second.conversation = await first.opens()
        running = await first.begins(APPEND, id="m1")
        (question,) = await first.pending()
        attached = await second.begins(APPEND, id="m1")
        with pytest.raises(ConflictError):
            await sent(second, a_message("something else", id="m1"))
        await second.answers(question)
        here, there = await running, await attached
        late = await sent(second, a_message(APPEND, id="m1"))

        assert texts(here) == texts(there) == texts(late) != ""
        assert await count(second) == 1
        assert (first.root / "ran.txt").read_text("utf-8") == "ran\n"


async def test_posts_of_one_message_to_two_pods_at_once_are_one_run(
    tmp_path: Path, postgres_url: str
) -> None:
    async with a_room(tmp_path, postgres_url) as first, a_room(tmp_path, postgres_url) as second:
        second.conversation = await first.opens(mode="auto")
        rooms = [first, second] * 3
        streams = await asyncio.gather(*(sent(one, a_message(APPEND, id="m1")) for one in rooms))

        assert {texts(one) for one in streams} == {texts(streams[0])}
        assert await count(first) == 1
        assert (first.root / "ran.txt").read_text("utf-8") == "ran\n"
