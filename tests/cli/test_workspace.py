"""`assent workspace` registers, lists and removes workspaces, with a server or in the database."""

import json
import os
from pathlib import Path

import pytest

from assent.engine.base.tool import Call
from assent.engine.policy.verdict import Verdict
from tests.cli.questions import LOCAL_PERSON, open_gate_at
from tests.cli.running import Command, CommandSandbox
from tests.serving import run_command, server


async def create_database(sandbox: CommandSandbox) -> None:
    async with open_gate_at(sandbox):
        pass


def listed_workspaces(command: Command, *words: str) -> list[tuple[object, ...]]:
    found = json.loads(command("workspace", "list", "--json", *words).out)
    return [(one["agent"], one["root"], one["remote"]) for one in found]


async def test_the_current_project_is_registered_listed_and_removed(
    sandbox: CommandSandbox, command: Command
) -> None:
    await create_database(sandbox)
    root = os.path.realpath(sandbox.root)
    before = sorted(os.listdir(root))

    added = command("workspace", "add")
    again = command("workspace", "add", root)
    shown = command("workspace", "list")
    removed = command("workspace", "remove", ".")
    empty = command("workspace", "list")

    assert (added.status, added.out) == (0, f"registered {root}, local, for all agents\n")
    assert "the policy files in it count there" in added.err
    assert again.out == added.out
    assert shown.out.startswith(f"{root}, local, for all agents  by ")
    assert removed.out == f"removed {root}, local, for all agents\n"
    assert (empty.out, empty.err) == ("", "there are no registered workspaces\n")
    assert sorted(os.listdir(root)) == before


async def test_a_workspace_is_for_one_agent_or_for_all(sandbox: CommandSandbox, command: Command) -> None:
    await create_database(sandbox)
    other = Path(os.path.realpath(sandbox.root), "other")
    other.mkdir()
    command("workspace", "add", "other", "--agent", "clerk")
    command("workspace", "add", "/srv/far", "--remote")

    assert listed_workspaces(command) == [(None, "/srv/far", True), ("clerk", str(other), False)]
    assert listed_workspaces(command, "--agent", "cook") == [(None, "/srv/far", True)]
    assert command("workspace", "remove", "other").status != 0
    other.rmdir()
    assert command("workspace", "remove", "other", "--agent", "clerk").status == 0
    assert json.loads(command("workspace", "remove", "/srv/far", "--json").out)["removed"] is True


async def test_a_registered_project_counts_for_the_next_call(
    sandbox: CommandSandbox, command: Command
) -> None:
    other = sandbox.root.with_name("other")
    other.mkdir()
    call = Call(tool="Bash", args={"command": "ls"}, cwd=os.path.realpath(other))
    async with open_gate_at(sandbox) as gate:
        before = (await gate.decide(LOCAL_PERSON, call)).decision.verdict
        ran = command("workspace", "add", str(other))
        after = (await gate.decide(LOCAL_PERSON, call)).decision.verdict

    assert (before, ran.status, after) == (Verdict.ASK, 0, Verdict.RUN)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("/",), "`/` cannot be a workspace"),
        (("{home}",), "is the home directory"),
        (("{base}",), "contains the home directory"),
        (("missing",), "is not a directory here; add --remote"),
        (("--remote",), "--remote requires the PATH"),
        (("relative", "--remote"), "must be an absolute path"),
        (("/home/ana", "--remote"), "is the home directory"),
    ],
)
async def test_a_directory_that_may_not_be_a_workspace_is_refused_with_a_sentence(
    sandbox: CommandSandbox, command: Command, words: tuple[str, ...], reason: str
) -> None:
    await create_database(sandbox)
    base = os.path.realpath(sandbox.root.parent)

    ran = command("workspace", "add", *(word.format(home=f"{base}/home", base=base) for word in words))

    assert ran.status != 0
    assert reason in ran.err
    assert listed_workspaces(command) == []


def test_a_running_server_reads_the_proof(tmp_path: Path) -> None:
    other = Path(os.path.realpath(tmp_path), "other")
    (home := tmp_path / "person").mkdir()
    other.mkdir()
    with server(home) as running:
        database = str(running.data / "assent.db")
        added = run_command(home, "workspace", "add", str(other), "--agent", "clerk", "--database", database)
        client = running.client()
        call = {"tool": "Bash", "args": {"command": "ls"}, "cwd": str(other)}
        ran = client.request("POST", "/v1/calls", {"call": call, "agent": "clerk"})
        (found,) = client.workspaces()
        removed = run_command(
            home, "workspace", "remove", str(other), "--agent", "clerk", "--database", database
        )

    assert (added[0], added[1]) == (0, f"registered {other}, local, for agent clerk\n")
    assert (found.root, found.remote, found.agent) == (str(other), False, "clerk")
    assert removed[0] == 0
    assert isinstance(ran, dict)
    assert ran["outcome"] == "run"
