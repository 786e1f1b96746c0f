"""A tool that fails is a clear result for the model: the run goes on, and nothing outside the rules happens."""

from pathlib import Path

import pytest

from assent.engine.policy.rule import RuleList
from assent.gate.access import Principal
from assent.gate.filepreview import FileState
from assent.gate.grant import StoredRule
from tests.hosts.chat.room import FOR_CHAT, WRITE, Room, a_room, states, texts

CHIEF = Principal(id="ada", administrator=True)
OUT = '/call write_file {"path": "../out.txt", "content": "x"}'
AFTER = "\nthen\n/call list_files {}"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ('/call read_file {"path": "missing.txt"}', "missing.txt"),
        ('/call read_file {"path": "binary"}', "binary"),
        ('/call read_file {}', "path is missing"),
        ('/call read_file {"path": "link"}', "link"),
        ('/call run_command {"command": "sleep 20", "seconds": 1}', "1 second"),
        ('/call run_command {"command": "exit 3"}', "3"),
        ('/call get_node {"node_type": "no.such"}', "no.such"),
    ],
)  # fmt: skip
async def test_a_fault_is_told_and_the_run_goes_on(tmp_path: Path, call: str, said: str) -> None:
    async with a_room(tmp_path) as room:
        await room.opens("assent", mode="auto")
        (room.root / "binary").write_bytes(bytes(range(256)) * 40)
        (room.root / "link").symlink_to("/etc/passwd")
        chunks = await room.says(call + AFTER, delivery="suspend")
        parts = await room.parts()

    shown = states(parts)
    assert shown[0] in ("output-error", "approval-requested")
    assert "root:x" not in str(parts)
    if shown[0] == "output-error":
        assert shown[1:] == ["output-available"]
        assert said in texts(chunks)


@pytest.mark.proves("R003-52")
async def test_no_mode_and_no_rule_takes_a_file_tool_out_of_the_workspace(room: Room, tmp_path: Path) -> None:
    await room.opens("assent", mode="auto")
    for tool in ("write_file", "read_file"):
        await room.gate.add_rule(CHIEF, StoredRule(id=tool, list=RuleList.ALLOW, text=tool, by=""))
    chunks = await room.says(OUT)

    assert "`../out.txt` is outside of the workspace" in texts(chunks)
    assert states(await room.parts()) == ["output-error"]
    assert not (tmp_path / "out.txt").exists()


@pytest.mark.proves("R003-52")
async def test_a_yes_for_the_chat_takes_no_other_call_out_of_the_workspace(
    room: Room, tmp_path: Path
) -> None:
    await room.opens()
    task = await room.begins(f"{WRITE}\n{OUT}")
    inside, _ = sorted(await room.pending(2), key=lambda one: str(one.call.args["path"]), reverse=True)
    await room.answers(inside, FOR_CHAT)
    chunks = await task

    assert inside.call.args["path"] == "a.txt"
    assert sorted(states(await room.parts())) == ["output-available", "output-error"]
    assert "`../out.txt` is outside of the workspace" in texts(chunks)
    assert not (tmp_path / "out.txt").exists()


async def test_the_end_of_a_pause_takes_no_call_out_of_the_workspace(room: Room, tmp_path: Path) -> None:
    await room.opens(mode="auto")
    await room.gate.pause(CHIEF)
    task = await room.begins(OUT)
    await room.pending()
    await room.gate.unpause(CHIEF)
    chunks = await task

    assert "`../out.txt` is outside of the workspace" in texts(chunks)
    assert not (tmp_path / "out.txt").exists()


async def test_a_yes_to_the_very_call_goes_outside(room: Room, tmp_path: Path) -> None:
    await room.opens()
    task = await room.begins(OUT)
    [question] = await room.pending()
    await room.answers(question)
    await task

    assert (tmp_path / "out.txt").read_text("utf-8") == "x"


async def test_a_flood_of_output_is_cut_and_kept_small(room: Room) -> None:
    await room.opens(mode="auto")
    await room.says('/call run_command {"command": "head -c 100000000 /dev/zero | tr \\\\0 x"}')
    [output] = [one["output"] for one in await room.parts() if "output" in one]

    assert len(output["text"]) < 60_000


async def test_a_link_that_is_swapped_after_the_yes_is_not_followed(room: Room, tmp_path: Path) -> None:
    await room.opens()
    secret = tmp_path / "secret"
    secret.write_text("before", "utf-8")
    task = await room.begins('/call write_file {"path": "note.txt", "content": "after"}')
    [question] = await room.pending()
    (room.root / "note.txt").symlink_to(secret)
    await room.answers(question)
    again = await room.asked_again(question)
    await room.answers(again)
    await task

    assert again.file is not None
    assert (again.file.state, again.file.changes) == (FileState.OUTSIDE, 1)
    assert secret.read_text("utf-8") == "before"
    assert states(await room.parts()) != ["output-available"]
