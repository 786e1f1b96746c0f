"""`assent hook install` registers the project as a workspace, or states why it may not."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.claude.served import GateServer, running_server
from tests.cli.running import CommandSandbox


@pytest.fixture
def server(sandbox: CommandSandbox) -> Iterator[GateServer]:
    with running_server(sandbox) as server:
        yield server


def workspaces(sandbox: CommandSandbox) -> list[tuple[str, str, bool]]:
    found = json.loads(sandbox.run("workspace", "list", "--json").out)
    return [(one["agent"], one["root"], one["remote"]) for one in found]


def test_install_registers_the_project_for_the_agent_of_the_hook(
    sandbox: CommandSandbox, server: GateServer
) -> None:
    root = os.path.realpath(sandbox.root)
    before = sorted(os.listdir(root))

    done = sandbox.run("hook", "install", "--yes")
    again = sandbox.run("hook", "install")

    assert f"The project {root} becomes a workspace of the agent claude: reads in it run" in done.out
    assert f"registered {root} as a workspace of the agent claude" in done.lines
    assert workspaces(sandbox) == [("claude", root, False)]
    assert (again.status, again.lines[0]) == (0, f"The project {root} is a registered workspace.")
    assert sorted(os.listdir(root)) == before


def test_a_second_project_is_registered_after_a_confirmation(
    sandbox: CommandSandbox, server: GateServer
) -> None:
    sandbox.run("hook", "install", "--yes")
    other = sandbox.root.with_name("other")
    other.mkdir()

    refused = sandbox.run("hook", "install", cwd=other)
    unchanged = workspaces(sandbox)
    done = sandbox.run("hook", "install", "--yes", cwd=other)

    assert (refused.status, len(unchanged)) == (2, 1)
    assert "nothing was changed: confirm at a terminal, or add --yes" in refused.err
    assert done.status == 0
    assert {root for _, root, _ in workspaces(sandbox)} == {
        os.path.realpath(sandbox.root),
        os.path.realpath(other),
    }


def test_a_workspace_of_all_agents_is_enough(sandbox: CommandSandbox, server: GateServer) -> None:
    sandbox.run("workspace", "add")

    done = sandbox.run("hook", "install", "--yes")

    assert "is a registered workspace." in done.out
    assert [agent for agent, _, _ in workspaces(sandbox)] == [None]


def test_a_home_directory_is_not_registered_and_the_hook_is_installed(
    sandbox: CommandSandbox, server: GateServer
) -> None:
    done = sandbox.run("hook", "install", "--yes", cwd=sandbox.home)

    assert done.status == 0, done.err
    assert "is not registered as a workspace: " in done.out
    assert "it is the home directory" in done.out
    assert workspaces(sandbox) == []


def test_without_the_rights_the_hook_is_installed_and_the_reason_is_shown(
    sandbox: CommandSandbox, server: GateServer
) -> None:
    sandbox.run("user", "create", "ben")
    made = json.loads(sandbox.run("token", "create", "--user", "ben", "--json").out)
    file = Path(json.loads((server.data / "server.json").read_text("utf-8"))["token_file"])
    file.write_text(made["secret"], "ascii")

    done = sandbox.run("hook", "install", "--yes")
    file.unlink()
    other = sandbox.run("hook", "install", "--yes")

    assert done.status == 0, done.err
    assert "an administrator can run `assent workspace add` in it." in done.out
    assert (other.status, "you are not the owner of the server" in other.out) == (0, True)
