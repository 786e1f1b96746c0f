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
    chunks = await room.says("/call list_files {not json}\n/call todo_write {}")

    assert states(await room.parts()) == ["output-error"] * 2
    assert "tool-input-error" in kinds(chunks)
    assert "JSON" in texts(chunks)
    told = [one["errorText"] for one in chunks if one["type"] == "tool-output-error"]
    assert "Invalid JSON: key must be a string at line 1 column 2" in told


@pytest.mark.parametrize(
    "line", ["/call", "/cal list_files", "/call list_files [1]", "/call read_file path=a"]
)
async def test_a_line_that_cannot_be_read_is_told_and_nothing_is_called(room: Room, line: str) -> None:
    await room.opens(mode="auto")
    chunks = await room.says(f'{line}\n/call write_file {{"path": "a.txt", "content": "one"}}')

    assert texts(chunks) == (
        f"`{line}` cannot be read, so nothing was called. Write `/call`, the name of a tool, and its arguments "
        'as a JSON object, all in one line, such as `/call read_file {"path": "README.md"}`.'
    )
    assert list(room.root.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/call reed_file {}", "there is no such tool; did you mean `read_file`?"),
        ("/call qqq {}", "there is no such tool; there are apply_change, "),
        ("/call read_file {'path': 'a'}", "the arguments are not a JSON object: Expecting property name"),
        (
            "/call read_file {} x",
            "Extra data, at character 4 of `{} x`; names and texts stand in double quotes",
        ),
        ('/call read_file {"path": 1}', "the arguments are not valid: path must be a text"),
        ("/call read_file", "the arguments are not valid: path is missing"),
    ],
)
async def test_a_call_that_cannot_be_made_is_explained(room: Room, line: str, said: str) -> None:
    await room.opens()
    chunks = await room.says(line)

    assert states(await room.parts()) == ["output-error"]
    assert said in texts(chunks)


async def test_who_asks_for_the_models_learns_that_there_is_only_the_rehearsal(room: Room) -> None:
    offered = [{"name": "rehearsal", "model": "rehearsal", "rehearsal": True}]
    before = room.chat.offered()
    await room.opens()
    await room.says("hello")

    assert before == room.chat.offered() == offered
