"""A tool that fails returns a clear result to the model, and the run continues under the same rules."""

from pathlib import Path

import pytest

from assent.engine.policy.rule import RuleList
from assent.gate.access import Principal
from assent.gate.file_preview import FileState
from assent.gate.policy import StoredRule
from tests.hosts.chat.chat_process import (
    FOR_CHAT,
    WRITE,
    ChatProcess,
    call_states,
    open_chat_process,
    stream_text,
)

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
async def test_an_error_is_a_result_and_the_run_continues(tmp_path: Path, call: str, said: str) -> None:
    async with open_chat_process(tmp_path) as process:
        await process.open_conversation("assent", mode="auto")
        (process.root / "binary").write_bytes(bytes(range(256)) * 40)
        (process.root / "link").symlink_to("/etc/passwd")
        chunks = await process.send(call + AFTER, delivery="suspend")
        parts = await process.message_parts()

    shown = call_states(parts)
    assert shown[0] in ("output-error", "approval-requested")
    assert "root:x" not in str(parts)
    if shown[0] == "output-error":
        assert shown[1:] == ["output-available"]
        assert said in stream_text(chunks)


@pytest.mark.proves("R003-52")
async def test_no_mode_or_rule_lets_a_file_tool_leave_the_workspace(
    process: ChatProcess, tmp_path: Path
) -> None:
    await process.open_conversation("assent", mode="auto")
    for tool in ("write_file", "read_file"):
        await process.gate.policy.add_rule(CHIEF, StoredRule(id=tool, list=RuleList.ALLOW, text=tool, by=""))
    chunks = await process.send(OUT)

    assert "`../out.txt` is outside of the workspace" in stream_text(chunks)
    assert call_states(await process.message_parts()) == ["output-error"]
    assert not (tmp_path / "out.txt").exists()


@pytest.mark.proves("R003-52")
async def test_an_approval_for_the_conversation_lets_no_other_call_leave_the_workspace(
    process: ChatProcess, tmp_path: Path
) -> None:
    await process.open_conversation()
    task = await process.send_in_background(f"{WRITE}\n{OUT}")
    inside, _ = sorted(
        await process.wait_for_questions(2), key=lambda one: str(one.call.args["path"]), reverse=True
    )
    await process.answer(inside, FOR_CHAT)
    chunks = await task

    assert inside.call.args["path"] == "a.txt"
    assert sorted(call_states(await process.message_parts())) == ["output-available", "output-error"]
    assert "`../out.txt` is outside of the workspace" in stream_text(chunks)
    assert not (tmp_path / "out.txt").exists()


async def test_the_end_of_a_pause_lets_no_call_leave_the_workspace(
    process: ChatProcess, tmp_path: Path
) -> None:
    await process.open_conversation(mode="auto")
    await process.gate.pause(CHIEF)
    task = await process.send_in_background(OUT)
    await process.wait_for_questions()
    await process.gate.resume(CHIEF)
    chunks = await task

    assert "`../out.txt` is outside of the workspace" in stream_text(chunks)
    assert not (tmp_path / "out.txt").exists()


async def test_an_approval_of_a_call_lets_this_call_leave_the_workspace(
    process: ChatProcess, tmp_path: Path
) -> None:
    await process.open_conversation()
    task = await process.send_in_background(OUT)
    [question] = await process.wait_for_questions()
    await process.answer(question)
    await task

    assert (tmp_path / "out.txt").read_text("utf-8") == "x"


async def test_huge_output_is_truncated_and_stored_in_small_size(process: ChatProcess) -> None:
    await process.open_conversation(mode="auto")
    await process.send('/call run_command {"command": "head -c 100000000 /dev/zero | tr \\\\0 x"}')
    [output] = [one["output"] for one in await process.message_parts() if "output" in one]

    assert len(output["text"]) < 60_000


async def test_a_link_changed_after_approval_is_not_followed(process: ChatProcess, tmp_path: Path) -> None:
    await process.open_conversation()
    secret = tmp_path / "secret"
    secret.write_text("before", "utf-8")
    task = await process.send_in_background('/call write_file {"path": "note.txt", "content": "after"}')
    [question] = await process.wait_for_questions()
    (process.root / "note.txt").symlink_to(secret)
    await process.answer(question)
    again = await process.wait_until_asked_again(question)
    await process.answer(again)
    await task

    assert again.file is not None
    assert (again.file.state, again.file.changes) == (FileState.OUTSIDE, 1)
    assert secret.read_text("utf-8") == "before"
    assert call_states(await process.message_parts()) != ["output-available"]
