"""A tool that fails is a clear result for the model: the run goes on, and nothing outside the rules happens."""

from pathlib import Path

import pytest

from tests.hosts.chat.room import Room, a_room, states, texts

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
    async with a_room(tmp_path, belt="[limits]\nseconds = 1\n") as room:
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
    await task

    assert secret.read_text("utf-8") == "before"
    assert states(await room.parts()) != ["output-available"]
