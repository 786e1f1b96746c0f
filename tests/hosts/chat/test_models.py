"""The rehearsal model makes exactly the typed calls."""

import pytest

from assent.hosts.chat.models import TypedCall, parse_typed_calls
from tests.hosts.chat.chat_process import ChatProcess, call_states, chunk_types, stream_text


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("hello", []),
        ("/call read_file", [[TypedCall("read_file", "{}")]]),
        ('/call a {"x": 1}\n/call b {}', [[TypedCall("a", '{"x": 1}'), TypedCall("b", "{}")]]),
        ("/call a\nthen\n/call b", [[TypedCall("a", "{}")], [TypedCall("b", "{}")]]),
        ("then\n/call a\nthen\nthen\n/call b", [[TypedCall("a", "{}")], [TypedCall("b", "{}")]]),
        (
            'please\n  /call a {"text": "/call b {}"}  \nthank you',
            [[TypedCall("a", '{"text": "/call b {}"}')]],
        ),
        ("say /call a {}", []),
    ],
)
def test_calls_are_read_line_by_line(text: str, steps: list[list[TypedCall]]) -> None:
    assert parse_typed_calls(text) == steps


async def test_the_rehearsal_model_explains_itself(process: ChatProcess) -> None:
    await process.open_conversation()
    chunks = await process.send("hello")

    assert "rehearsal" in stream_text(chunks)
    assert chunk_types(chunks)[:2] + chunk_types(chunks)[-1:] == ["start", "start-step", "finish"]


async def test_steps_run_in_order_and_calls_of_one_step_run_together(process: ChatProcess) -> None:
    await process.open_conversation()
    (process.root / "a.txt").write_text("heron", "utf-8")
    read = '/call read_file {"path": "a.txt"}'
    chunks = await process.send(f"{read}\n{read}\nthen\n{read}")

    assert chunk_types(chunks).count("start-step") == 3
    assert call_states(await process.message_parts()) == ["output-available"] * 3


@pytest.mark.proves("R003-17")
async def test_invalid_arguments_are_reported_and_the_call_is_not_made(process: ChatProcess) -> None:
    await process.open_conversation(mode="auto")
    chunks = await process.send("/call list_files {not json}\n/call todo_write {}")

    assert call_states(await process.message_parts()) == ["output-error"] * 2
    assert "tool-input-error" in chunk_types(chunks)
    assert "JSON" in stream_text(chunks)
    told = [one["errorText"] for one in chunks if one["type"] == "tool-output-error"]
    assert "Invalid JSON: key must be a string at line 1 column 2" in told


@pytest.mark.parametrize(
    "line", ["/call", "/cal list_files", "/call list_files [1]", "/call read_file path=a"]
)
async def test_an_invalid_line_is_reported_and_no_call_is_made(process: ChatProcess, line: str) -> None:
    await process.open_conversation(mode="auto")
    chunks = await process.send(f'{line}\n/call write_file {{"path": "a.txt", "content": "one"}}')

    assert stream_text(chunks) == (
        f"`{line}` cannot be read, so nothing was called. Write `/call`, the name of a tool, and its arguments "
        'as a JSON object, all in one line, such as `/call read_file {"path": "README.md"}`.'
    )
    assert list(process.root.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/call reed_file {}", "there is no such tool; did you mean `read_file`?"),
        ("/call qqq {}", "there is no such tool; there are apply_change, "),
        ("/call read_file {'path': 'a'}", "the arguments are not a JSON object: Expecting property name"),
        (
            "/call read_file {} x",
            "Extra data, at character 4 of `{} x`; put names and texts in double quotes",
        ),
        ('/call read_file {"path": 1}', "the arguments are not valid: path must be a text"),
        ("/call read_file", "the arguments are not valid: path is missing"),
    ],
)
async def test_a_call_that_cannot_be_made_is_explained(process: ChatProcess, line: str, said: str) -> None:
    await process.open_conversation()
    chunks = await process.send(line)

    assert call_states(await process.message_parts()) == ["output-error"]
    assert said in stream_text(chunks)


async def test_the_list_of_models_shows_only_the_rehearsal_model(process: ChatProcess) -> None:
    offered = [{"name": "rehearsal", "model": "rehearsal", "rehearsal": True}]
    before = process.chat.list_model_options()
    await process.open_conversation()
    await process.send("hello")

    assert before == process.chat.list_model_options() == offered
