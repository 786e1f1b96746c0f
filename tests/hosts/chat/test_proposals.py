"""Propose and apply: a card with before and after, applied by a person or at once, and told by the server."""

import json
from pathlib import Path
from typing import Any

import pytest

from assent.errors import ConflictError, NotFoundError
from assent.gate.answer import Answer, Say
from assent.gate.outcome import Applied, Refuse
from assent.hosts.chat.incoming import incoming
from tests.hosts.chat.room import ANA, Room, card, heard, states, texts

CHANGE = '/call write_file {"path": "a.txt", "content": "new"}'
BAD = '/call apply_change {"path": "missing.json", "edits": [{"path": "x", "value": 1}]}'


async def follow_up(room: Room, id: str) -> list[dict[str, Any]]:
    return await heard(await room.chat.send(ANA, room.conversation, incoming({"about": id})))


@pytest.mark.proves("R001-4", "R001-29", "R001-30", "R001-12")
async def test_a_change_is_shown_before_it_is_made(room: Room) -> None:
    await room.opens("propose")
    (room.root / "a.txt").write_text("old\n", "utf-8")
    chunks = await room.says(CHANGE)
    shown = card(await room.parts())
    before = (room.root / "a.txt").read_text("utf-8")
    applied = await room.gate.apply(ANA, shown["token"])

    assert before == "old\n"
    assert "-old" in json.dumps(shown["preview"])
    assert "+new" in json.dumps(shown["preview"])
    assert '"status": "awaiting_operator"' in texts(chunks)
    assert isinstance(applied, Applied)
    assert (room.root / "a.txt").read_text("utf-8") == "new"


@pytest.mark.proves("R001-28")
async def test_the_server_itself_tells_the_model_what_became_of_it(room: Room) -> None:
    await room.opens("propose")
    await room.says(CHANGE)
    shown = card(await room.parts())
    with pytest.raises(ConflictError):
        await follow_up(room, shown["id"])
    await room.gate.apply(ANA, shown["token"])
    await follow_up(room, shown["id"])
    note = (await room.messages())[-2]

    assert note["metadata"] == {"note": True}
    assert str(note["parts"]).count("a person applied the proposal") == 1
    with pytest.raises(NotFoundError):
        await follow_up(room, "0" * 32)


async def test_a_declined_proposal_is_told_too_and_cannot_be_applied(room: Room) -> None:
    await room.opens("propose")
    await room.says(CHANGE)
    shown = card(await room.parts())
    await room.gate.answer(ANA, shown["id"], shown["digest"], Answer(say=Say.DENY))
    await follow_up(room, shown["id"])
    late = await room.gate.apply(ANA, shown["token"])

    assert "a person declined the proposal" in str((await room.messages())[-2])
    assert isinstance(late, Refuse)
    assert list(room.root.iterdir()) == []


@pytest.mark.proves("R001-5", "R001-9", "R001-30")
async def test_in_auto_it_is_made_at_once_and_a_card_says_so(room: Room) -> None:
    await room.opens("propose", mode="auto")
    await room.says(CHANGE)
    shown = card(await room.parts())

    assert (room.root / "a.txt").read_text("utf-8") == "new"
    assert (shown["state"], "+new" in json.dumps(shown["preview"])) == ("done", True)
    assert "token" not in shown


@pytest.mark.proves("R001-24")
@pytest.mark.parametrize("mode", ["approve", "auto"])
async def test_a_draft_that_cannot_work_goes_back_to_the_model(room: Room, mode: str) -> None:
    await room.opens("propose", mode=mode)
    chunks = await room.says(BAD)

    assert [one for one in await room.parts() if one["type"] == "data-assent"] == []
    assert states(await room.parts()) == ["output-error"]
    assert "(failed)" in texts(chunks)


@pytest.mark.proves("R001-25")
async def test_the_same_change_twice_is_one_card(room: Room) -> None:
    await room.opens("propose")
    await room.says(f"{CHANGE}\nthen\n{CHANGE}")
    cards = [one for one in await room.parts() if one["type"] == "data-assent"]

    assert len(cards) == 1


@pytest.mark.proves("R001-22")
async def test_what_has_no_dry_run_cannot_be_proposed(room: Room) -> None:
    await room.opens("propose")
    chunks = await room.says('/call run_command {"command": "touch x"}')

    assert "not_proposable" in texts(chunks)
    assert list(Path(room.root).iterdir()) == []
