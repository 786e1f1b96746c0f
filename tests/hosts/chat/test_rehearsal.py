"""The rehearsal makes exactly the calls that somebody types."""

import pytest

from assent.hosts.chat.rehearsal import Typed, steps_of
from tests.hosts.chat.room import Room, kinds, states, texts


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("hello", []),
        ("/call read_file", [[Typed("read_file", "{}")]]),
        ('/call a {"x": 1}\n/call b {}', [[Typed("a", '{"x": 1}'), Typed("b", "{}")]]),
        ("/call a\nthen\n/call b", [[Typed("a", "{}")], [Typed("b", "{}")]]),
        ("then\n/call a\nthen\nthen\n/call b", [[Typed("a", "{}")], [Typed("b", "{}")]]),
        ('please\n  /call a {"text": "/call b {}"}  \nthank you', [[Typed("a", '{"text": "/call b {}"}')]]),
        ("say /call a {}", []),
    ],
)
def test_calls_are_read_line_by_line(text: str, steps: list[list[Typed]]) -> None:
    assert steps_of(text) == steps


async def test_it_says_what_it_is(room: Room) -> None:
    await room.opens()
    chunks = await room.says("hello")

    assert "rehearsal" in texts(chunks)
    assert kinds(chunks)[:2] + kinds(chunks)[-1:] == ["start", "start-step", "finish"]


async def test_steps_follow_each_other_and_calls_of_one_step_do_not(room: Room) -> None:
    await room.opens()
    (room.root / "a.txt").write_text("heron", "utf-8")
    read = '/call read_file {"path": "a.txt"}'
    chunks = await room.says(f"{read}\n{read}\nthen\n{read}")

    assert kinds(chunks).count("start-step") == 3
    assert states(await room.parts()) == ["output-available"] * 3


@pytest.mark.proves("R003-17")
async def test_arguments_that_cannot_be_read_are_told_and_not_run_as_none(room: Room) -> None:
    await room.opens(mode="auto")
    chunks = await room.says("/call list_files {not json}\n/call list_files [1]\n/call todo_write {}")

    assert states(await room.parts()) == ["output-error"] * 2
    assert "tool-input-error" in kinds(chunks)
    assert "JSON" in texts(chunks)
