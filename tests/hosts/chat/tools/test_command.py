"""Running a command: in a clean environment, with live output, and killed as a whole."""

import asyncio
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from assent.hosts.chat.tools.command import ProcessOutput, clean_environment, command_tool
from assent.hosts.chat.tools.tool import ChatTool
from tests.hosts.chat.tools.support import make_context, make_limits, succeeded_and_text, workspace
from tests.waiting import wait_until_async


def make_command_tool(**environ: str) -> ChatTool:
    tool = command_tool(environ={**os.environ, **environ})
    assert tool is not None
    return tool


async def test_a_command_runs_in_the_workspace(tmp_path: Path) -> None:
    root = workspace(tmp_path)

    result = await make_command_tool().run_call({"command": "printf made > a.txt && pwd"}, make_context(root))

    assert succeeded_and_text(result) == (True, str(root))
    assert (root / "a.txt").read_text("utf-8") == "made"
    assert result.data["status"] == 0


async def test_a_failed_command_returns_its_status_and_both_outputs(tmp_path: Path) -> None:
    result = await make_command_tool().run_call(
        {"command": "echo out; echo err >&2; exit 3"}, make_context(workspace(tmp_path))
    )

    assert succeeded_and_text(result) == (False, "out\nerr\n(exit status 3)")


@pytest.mark.proves("T-39")
async def test_keys_of_the_server_do_not_reach_a_command(tmp_path: Path) -> None:
    tool = command_tool(
        variables=["CARGO_HOME"],
        environ={
            **os.environ,
            "OPENAI_API_KEY": "canary-1",
            "BASH_ENV": "/x",
            "CARGO_HOME": "/cargo",
            "LD_PRELOAD": "",
        },
    )
    assert tool is not None

    result = await tool.run_call({"command": "env"}, make_context(workspace(tmp_path)))

    assert "canary-1" not in result.text
    assert "BASH_ENV" not in result.text
    assert "LD_PRELOAD" not in result.text
    assert "CARGO_HOME=/cargo" in result.text
    assert "GIT_TERMINAL_PROMPT=0" in result.text


@pytest.mark.proves("T-32")
async def test_the_configuration_of_a_repository_does_not_start_a_program(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    made = await make_command_tool().run_call(
        {"command": "git init -q . && git config core.fsmonitor 'touch pwned; false' && git status --short"},
        make_context(root),
    )

    assert not made.failed
    assert not (root / "pwned").exists()


async def test_output_is_shown_while_the_command_runs(tmp_path: Path) -> None:
    heard: list[str] = []
    first = asyncio.Event()

    async def record_progress(text: str) -> None:
        heard.append(text)
        first.set()

    root = workspace(tmp_path)
    context = make_context(root, progress=record_progress)
    running = asyncio.create_task(
        make_command_tool().run_call(
            {"command": "echo begun; until [ -e go ]; do sleep 0.02; done; echo ended"}, context
        )
    )
    await first.wait()
    before = list(heard)
    (root / "go").touch()
    result = await running

    assert before == ["begun\n"]
    assert "".join(heard) == "begun\nended\n"
    assert result.text == "begun\nended"


async def test_a_failing_listener_does_not_stop_the_command(tmp_path: Path) -> None:
    async def raise_on_progress(text: str) -> None:
        raise ConnectionError(text)

    root = workspace(tmp_path)
    result = await make_command_tool().run_call(
        {"command": "seq 100000; touch made"}, make_context(root, progress=raise_on_progress)
    )

    assert not result.failed
    assert result.text.endswith("99999\n100000")
    assert (root / "made").exists()


async def test_100_megabytes_of_output_keep_their_beginning_and_their_end(tmp_path: Path) -> None:
    command = "echo first; head -c 100000000 /dev/zero | tr '\\0' 'x'; echo; echo last"

    result = await make_command_tool().run_call({"command": command}, make_context(workspace(tmp_path)))

    assert not result.failed
    assert len(result.text) <= 40_000
    assert result.text.startswith("first\nxxx")
    assert result.text.endswith("xxx\nlast")
    assert "… 99,964,0" in result.text
    assert result.data["bytes"] == 100_000_012


def test_short_output_is_complete_and_the_middle_of_long_output_is_counted() -> None:
    output = ProcessOutput(8)
    for piece in (b"abc", b"defgh", b"i", b"jk"):
        output.add_bytes(piece)

    assert output.to_text == "abcdef\n… 3 more bytes …\njk"


async def test_a_command_that_takes_too_long_is_killed_with_its_child_processes(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    command = "(trap '' TERM; sleep 60) & echo $! > pid; echo begun; sleep 60"
    start = time.monotonic()

    result = await make_command_tool().run_call({"command": command, "seconds": 5}, make_context(root))

    assert succeeded_and_text(result) == (False, "begun\n(ended after 5 seconds)")
    assert time.monotonic() - start < 55
    await wait_until_async(lambda: is_ended(int((root / "pid").read_text("utf-8"))))


async def test_processes_that_a_command_leaves_running_are_killed(tmp_path: Path) -> None:
    root = workspace(tmp_path)

    result = await make_command_tool().run_call(
        {"command": "sleep 60 & echo $! > pid; echo done"}, make_context(root)
    )

    assert succeeded_and_text(result) == (True, "done")
    await wait_until_async(lambda: is_ended(int((root / "pid").read_text("utf-8"))))


async def test_stopping_a_run_ends_its_command(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    running = asyncio.create_task(
        make_command_tool().run_call({"command": "echo $$ > pid; sleep 60"}, make_context(root))
    )
    await wait_until_async(lambda: (root / "pid").exists() and (root / "pid").read_text("utf-8").strip())

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    await wait_until_async(lambda: is_ended(int((root / "pid").read_text("utf-8"))))


async def test_a_directory_that_is_no_longer_in_the_workspace_runs_nothing(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    context = make_context(root)
    moved = replace(context, directories=replace(context.directories, cwd=str(tmp_path)))
    (root / "sub").symlink_to(tmp_path)
    linked = replace(context, directories=replace(context.directories, cwd=str(root / "sub")))

    for elsewhere in (moved, linked):
        result = await make_command_tool().run_call({"command": "touch made"}, elsewhere)

        assert result.failed
        assert "is not in the workspace any more" in result.text
    assert not (tmp_path / "made").exists()


async def test_a_command_gets_no_input(tmp_path: Path) -> None:
    result = await make_command_tool().run_call(
        {"command": "cat; echo end"}, make_context(workspace(tmp_path))
    )

    assert succeeded_and_text(result) == (True, "end")


async def test_a_command_that_cannot_be_started_gives_a_clear_error(tmp_path: Path) -> None:
    result = await make_command_tool().run_call(
        {"command": "echo a\0b"}, make_context(workspace(tmp_path), limits=make_limits())
    )

    assert succeeded_and_text(result) == (False, "the command could not be started: embedded null byte")


def test_a_machine_without_bash_has_no_command_tool() -> None:
    assert command_tool(environ={"PATH": "/nonexistent"}) is None


def test_only_listed_variables_are_inherited() -> None:
    assert set(clean_environment({"PATH": "/bin", "AWS_SECRET_ACCESS_KEY": "x", "A": "1"}, ["A"])) >= {
        "PATH",
        "A",
        "TERM",
    }
    assert "AWS_SECRET_ACCESS_KEY" not in clean_environment({"AWS_SECRET_ACCESS_KEY": "x"})


def is_ended(pid: int) -> bool:
    """Whether a process has ended; a zombie counts as ended."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return True
    return state == "Z"
