"""Proposals: a card with before and after, applied by a person or immediately, and a note to the model."""

import json
from pathlib import Path
from typing import Any

import pytest

from assent.errors import ConflictError, NotFoundError
from assent.gate.answer import Answer, Say
from assent.gate.calls import Applied, Refuse
from assent.hosts.chat.request import parse_request
from tests.hosts.chat.chat_process import (
    ANA,
    ChatProcess,
    call_states,
    collect_chunks,
    last_card,
    stream_text,
)

CHANGE = '/call write_file {"path": "a.txt", "content": "new"}'
BAD = '/call apply_change {"path": "missing.json", "edits": [{"path": "x", "value": 1}]}'


async def send_follow_up(process: ChatProcess, id: str) -> list[dict[str, Any]]:
    return await collect_chunks(
        await process.chat.send(ANA, process.conversation, parse_request({"about": id}))
    )


@pytest.mark.proves("R001-4", "R001-29", "R001-30", "R001-12")
async def test_a_change_is_shown_before_it_is_made(process: ChatProcess) -> None:
    await process.open_conversation("propose")
    (process.root / "a.txt").write_text("old\n", "utf-8")
    chunks = await process.send(CHANGE)
    shown = last_card(await process.message_parts())
    before = (process.root / "a.txt").read_text("utf-8")
    applied = await process.gate.apply_proposal(ANA, shown["token"])

    assert before == "old\n"
    assert "-old" in json.dumps(shown["preview"])
    assert "+new" in json.dumps(shown["preview"])
    assert '"status": "awaiting_operator"' in stream_text(chunks)
    assert isinstance(applied, Applied)
    assert (process.root / "a.txt").read_text("utf-8") == "new"


@pytest.mark.proves("R001-28")
async def test_the_server_informs_the_model_about_an_applied_proposal(process: ChatProcess) -> None:
    await process.open_conversation("propose")
    await process.send(CHANGE)
    shown = last_card(await process.message_parts())
    with pytest.raises(ConflictError):
        await send_follow_up(process, shown["id"])
    await process.gate.apply_proposal(ANA, shown["token"])
    await send_follow_up(process, shown["id"])
    note = (await process.messages())[-2]

    assert note["metadata"] == {"note": True}
    assert str(note["parts"]).count("a person applied the proposal") == 1
    with pytest.raises(NotFoundError):
        await send_follow_up(process, "0" * 32)


async def test_the_model_is_informed_about_a_declined_proposal_which_cannot_be_applied(
    process: ChatProcess,
) -> None:
    await process.open_conversation("propose")
    await process.send(CHANGE)
    shown = last_card(await process.message_parts())
    await process.gate.answer(ANA, shown["id"], shown["digest"], Answer(say=Say.DENY))
    await send_follow_up(process, shown["id"])
    late = await process.gate.apply_proposal(ANA, shown["token"])

    assert "a person declined the proposal" in str((await process.messages())[-2])
    assert isinstance(late, Refuse)
    assert list(process.root.iterdir()) == []


@pytest.mark.proves("R001-5", "R001-9", "R001-30")
async def test_in_auto_mode_a_change_is_applied_immediately_and_shown_in_a_card(process: ChatProcess) -> None:
    await process.open_conversation("propose", mode="auto")
    await process.send(CHANGE)
    shown = last_card(await process.message_parts())

    assert (process.root / "a.txt").read_text("utf-8") == "new"
    assert (shown["state"], "+new" in json.dumps(shown["preview"])) == ("done", True)
    assert "token" not in shown


@pytest.mark.proves("R001-24")
@pytest.mark.parametrize("mode", ["approve", "auto"])
async def test_an_invalid_proposal_is_returned_to_the_model(process: ChatProcess, mode: str) -> None:
    await process.open_conversation("propose", mode=mode)
    chunks = await process.send(BAD)

    assert [one for one in await process.message_parts() if one["type"] == "data-assent"] == []
    assert call_states(await process.message_parts()) == ["output-error"]
    assert "(failed)" in stream_text(chunks)


@pytest.mark.proves("R001-25")
async def test_the_same_change_proposed_twice_has_one_card(process: ChatProcess) -> None:
    await process.open_conversation("propose")
    await process.send(f"{CHANGE}\nthen\n{CHANGE}")
    cards = [one for one in await process.message_parts() if one["type"] == "data-assent"]

    assert len(cards) == 1


@pytest.mark.proves("R001-22")
async def test_a_tool_that_has_no_dry_run_cannot_be_proposed(process: ChatProcess) -> None:
    await process.open_conversation("propose")
    chunks = await process.send('/call run_command {"command": "touch x"}')

    assert "not_proposable" in stream_text(chunks)
    assert list(Path(process.root).iterdir()) == []
