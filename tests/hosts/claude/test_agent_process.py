"""The process of an agent: its messages are read, its secret is in its environment, and it ends as a whole."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from assent.errors import AssentError
from assent.hosts.claude.agent_process import (
    AgentProcess,
    Usage,
    agent_environment,
    start_process,
    usage_with_message,
)
from tests.waiting import wait_until_async


async def start_test_process(tmp_path: Path, program: str, got: list[Mapping[str, object]]) -> AgentProcess:
    return await start_process([sys.executable, "-c", program], str(tmp_path), "the-secret", got.append)


async def test_messages_and_the_end_are_reported(tmp_path: Path) -> None:
    program = """
import json, os, sys
print("not json")
print("{broken")
print(json.dumps({"type": "assistant", "message": {"usage": {"input_tokens": 2, "output_tokens": 3}}}))
print(json.dumps({"type": "x", "secret": os.environ["ASSENT_FLEET_SECRET"], "big": "y" * 200_000}))
print(json.dumps({"type": "result", "total_cost_usd": 0.25}), end="")
sys.exit("it failed")
"""
    got: list[Mapping[str, object]] = []
    process = await start_test_process(tmp_path, program, got)

    status = await process.wait()

    assert (status, process.stderr, process.usage) == (1, "it failed", Usage(5, 0.25))
    assert [message["type"] for message in got] == ["assistant", "x", "result"]
    assert got[1]["secret"] == "the-secret"


async def test_other_secrets_of_the_user_are_not_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSENT_TOKEN", "owner")
    got: list[Mapping[str, object]] = []
    names = 'import json, os; print(json.dumps({"names": [n for n in os.environ if n.startswith("ASSENT")]}))'

    await (await start_test_process(tmp_path, names, got)).wait()

    assert got == [{"names": ["ASSENT_FLEET_SECRET"]}]


def test_variables_because_of_which_the_client_runs_no_hook_are_not_passed_on() -> None:
    environ = {"CLAUDE_CODE_SIMPLE": "1", "CLAUDE_CODE_SAFE_MODE": "1", "PATH": "/bin", "ASSENT_TOKEN": "x"}

    assert agent_environment(environ, "secret") == {"PATH": "/bin", "ASSENT_FLEET_SECRET": "secret"}


async def test_the_end_of_an_agent_ends_its_children(tmp_path: Path) -> None:
    program = """
import json, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(json.dumps({"child": child.pid}), flush=True)
time.sleep(600)
"""
    got: list[Mapping[str, object]] = []
    process = await start_test_process(tmp_path, program, got)
    import asyncio

    watching = asyncio.create_task(process.wait())
    await wait_until_async(lambda: got)

    await process.end()

    assert await watching != 0
    child = int(str(got[0]["child"]))
    await wait_until_async(lambda: not _is_running(child))


def _is_running(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


async def test_a_program_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AssentError, match="cannot be started"):
        await start_process([str(tmp_path / "gone")], str(tmp_path), "s", lambda _: None)


def test_messages_without_numbers_count_nothing() -> None:
    for text in ("{}", '{"type": "assistant"}', '{"type": "assistant", "message": {}}', '{"type": "result"}'):
        assert usage_with_message(Usage(1, 2.0), json.loads(text)) == Usage(1, 2.0)
    assert os.name
