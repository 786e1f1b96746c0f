"""The hook with a server: installed with a token of its own; a server that does not reply is reported."""

import json
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from assent.cli.hook import commands, files
from assent.cli.hook.server import ServerHook
from assent.client.local_server import LocalServer
from assent.config.paths import ConfigPaths
from assent.errors import InputError
from assent.hosts.hook.settings import EVENT, SERVER_EVENTS
from tests.claude.served import DENY, GateServer, running_server
from tests.cli.running import ASSENT_PROGRAM, Command, CommandSandbox
from tests.hosts.hook.scripted_server import ScriptedServer


@pytest.fixture
def server(sandbox: CommandSandbox) -> Iterator[GateServer]:
    with running_server(sandbox) as server:
        yield server


def installed_hooks(sandbox: CommandSandbox) -> dict[str, list[dict[str, object]]]:
    text = (sandbox.home / ".claude" / "settings.json").read_text("utf-8")
    found: dict[str, list[dict[str, object]]] = {
        event: groups[0]["hooks"] for event, groups in json.loads(text)["hooks"].items()
    }
    return found


def test_install_makes_a_token_and_a_hook_for_each_event(sandbox: CommandSandbox, server: GateServer) -> None:
    done = sandbox.run("hook", "install", "--yes")
    again = sandbox.run("hook", "install")
    told = sandbox.run("hook", "status")

    assert done.status == 0, done.err
    assert "decides each call, and people answer it there" in done.out
    assert "Calls of tools that nobody declared are asked, not refused." in done.out
    found = installed_hooks(sandbox)
    assert set(found) == set(SERVER_EVENTS)
    assert all(" || { echo 'assent: this call is blocked" in str(one[0]["command"]) for one in found.values())
    assert found["PreToolUse"][0]["timeout"] == 36_000
    assert stat.S_IMODE((server.hook / "claude.token").stat().st_mode) == 0o600
    assert (again.status, "the hook is installed already" in again.out) == (0, True)
    assert (told.status, told.lines[1]) == (0, "the server decides, and people answer its questions")
    tokens = json.loads(sandbox.run("token", "list", "--json").out)
    assert [one["label"] for one in tokens if one["kind"] == "agent"] == ["the hook of Claude Code"]


def test_without_the_server_status_and_doctor_say_that_calls_are_blocked(
    sandbox: CommandSandbox, server: GateServer
) -> None:
    sandbox.run("hook", "install", "--yes")
    server.kill()

    told, doctor = sandbox.run("hook", "status", "--json"), sandbox.run("doctor")

    assert (told.status, json.loads(told.out)["server"]) == (1, True)
    assert "Assent cannot be reached" in json.loads(told.out)["problems"][0]
    assert (doctor.status, "fail  hook of Claude Code" in doctor.out) == (1, True)


def test_a_token_of_an_earlier_database_is_replaced(sandbox: CommandSandbox, server: GateServer) -> None:
    sandbox.run("hook", "install", "--yes")
    (server.hook / "claude.token").write_text("assent_agent_old\n", "ascii")

    assert sandbox.run("hook", "install").status == 0
    assert sandbox.run("hook", "status").status == 0


def test_uninstall_removes_every_event(sandbox: CommandSandbox, server: GateServer) -> None:
    sandbox.run("hook", "install", "--yes", "--shell", "--fallback", "ask")
    commands = {event: str(one[0]["command"]) for event, one in installed_hooks(sandbox).items()}
    sandbox.run("hook", "uninstall", "--yes")

    assert [event for event, command in commands.items() if " ask || " in command] == ["PreToolUse"]
    assert (sandbox.home / ".claude" / "settings.json").read_text("utf-8") == "{}\n"


@pytest.mark.parametrize("form", [(), ("--shell",), ("--project",)])
def test_only_the_hook_that_decides_calls_can_defer_them(
    sandbox: CommandSandbox, server: GateServer, form: tuple[str, ...]
) -> None:
    path = f"{Path(ASSENT_PROGRAM).parent}:{sandbox.environment()['PATH']}"
    done = sandbox.run("hook", "install", "--yes", "--defer", *form, PATH=path)
    directory = sandbox.root if "--project" in form else sandbox.home
    hooks = json.loads((directory / ".claude" / "settings.json").read_text("utf-8"))["hooks"]

    assert done.status == 0, done.err
    assert [event for event in hooks if "deny defer ||" in hooks[event][0]["hooks"][0]["command"]] == [EVENT]


@pytest.mark.parametrize("words", [("--defer",), ("--shell",), ("--fallback", "deny")])
def test_without_a_server_an_option_for_one_is_refused(
    sandbox: CommandSandbox, words: tuple[str, ...]
) -> None:
    done = sandbox.run("hook", "install", "--yes", *words)
    local = sandbox.run("hook", "install", "--yes", "--local", *words)

    sentence = f"assent: {words[0]} is for a hook that asks a running server;"
    assert (done.status, done.err) == (2, f"{sentence} start it with `assent serve`\n")
    assert (local.status, local.err) == (2, f"{sentence} leave out --local\n")
    assert not (sandbox.home / ".claude").exists()


def test_with_a_server_the_option_for_none_is_refused(sandbox: CommandSandbox, server: GateServer) -> None:
    done = sandbox.run("hook", "install", "--yes", "--record-commands")

    assert (done.status, "--record-commands is for a hook that decides by itself" in done.err) == (2, True)
    assert not (sandbox.home / ".claude").exists()


def answer_of_hook(sandbox: CommandSandbox, command: str, session: str = "s1") -> tuple[int, str, str]:
    """The exit status of the installed hook for a shell command, with what it decides and why."""
    event = {
        "session_id": session,
        "cwd": str(sandbox.root),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": f"toolu_{session}_{command}",
    }
    done = subprocess.run(
        str(installed_hooks(sandbox)["PreToolUse"][0]["command"]),
        shell=True,
        input=json.dumps(event),
        capture_output=True,
        text=True,
        check=False,
        env={**sandbox.environment(), "CLAUDE_PROJECT_DIR": str(sandbox.root)},
    )
    if not done.stdout:
        return done.returncode, "", done.stderr
    found = json.loads(done.stdout)["hookSpecificOutput"]
    return done.returncode, found["permissionDecision"], found["permissionDecisionReason"]


def test_a_hook_without_a_server_asks_the_server_that_is_started_later(sandbox: CommandSandbox) -> None:
    sandbox.write_user_file('allow = ["Bash(mkdir *)"]\ndeny = ["Bash(touch *)"]\n')
    sandbox.run("hook", "install", "--yes")
    sandbox.run("config", "trust")
    assert answer_of_hook(sandbox, "mkdir a")[:2] == (0, "allow")

    with running_server(sandbox) as server:
        told = sandbox.run("hook", "status")
        with server.answer_each_question(lambda _: DENY) as asked:
            answers = [answer_of_hook(sandbox, words)[:2] for words in ("mkdir b", "touch c", "make d")]
        history = sandbox.run("history").lines[-1]

    assert answers == [(0, "allow"), (0, "deny"), (0, "deny")]
    assert [one.call.args["command"] for one in asked] == ["make d"]
    assert history == "1 call: 1 run, 0 ask, 0 deny"
    assert (told.status, told.lines[1]) == (0, "the server decides, and people answer its questions")


def test_a_server_that_was_killed_lets_no_call_run_unasked(sandbox: CommandSandbox) -> None:
    sandbox.write_user_file('allow = ["Bash(mkdir *)"]\ndeny = ["Bash(touch *)"]\n')
    sandbox.run("hook", "install", "--yes")
    with running_server(sandbox):
        pass

    killed = [answer_of_hook(sandbox, words) for words in ("mkdir a", "touch b")]
    told = sandbox.run("hook", "status")
    sandbox.run("hook", "install", "--local", "--yes")
    without = answer_of_hook(sandbox, "mkdir a")

    assert [answer[:2] for answer in killed] == [(0, "ask"), (0, "deny")]
    assert killed[0][2].startswith("Assent asks: your server ended without being stopped")
    assert (told.status, "your server ended without being stopped" in told.out) == (1, True)
    assert without[:2] == (0, "allow")


def test_a_server_that_fails_after_it_was_connected_blocks_the_call(sandbox: CommandSandbox) -> None:
    sandbox.write_user_file('allow = ["Bash(mkdir *)"]\n')
    sandbox.run("hook", "install", "--yes")
    with running_server(sandbox) as server:
        data = server.data
    (data / "assent.sock").unlink()
    scripted = ScriptedServer(data, b"HTTP/1.1 200 OK\r\n\r\nout {}\n", b"HTTP/1.1 401 x\r\n\r\n")

    cut, refused = answer_of_hook(sandbox, "mkdir a"), answer_of_hook(sandbox, "mkdir b")
    scripted.close()

    assert cut[:2] == refused[:2] == (2, "")
    assert "the reply of Assent was cut off" in cut[2]
    assert "the server refuses the token" in refused[2]


def test_a_token_of_the_hook_that_was_revoked_is_not_replaced_at_a_start(sandbox: CommandSandbox) -> None:
    sandbox.run("hook", "install", "--yes")
    with running_server(sandbox) as server:
        (token,) = (
            one for one in json.loads(sandbox.run("token", "list", "--json").out) if one["kind"] == "agent"
        )
        assert sandbox.run("token", "revoke", token["id"]).status == 0
        server.kill()
        server.start()

        status, word, reason = answer_of_hook(sandbox, "ls")

    assert (status, word, "the server refuses the token" in reason) == (2, "", True)


def test_without_a_token_for_the_running_server_no_call_runs_unasked(
    sandbox: CommandSandbox, server: GateServer
) -> None:
    sandbox.run("hook", "install", "--yes", "--local")
    with_token = answer_of_hook(sandbox, "ls")
    (server.hook / "claude.token").unlink()
    without = answer_of_hook(sandbox, "ls")
    again = sandbox.run("hook", "install", "--yes", "--local")

    assert set(installed_hooks(sandbox)) == set(SERVER_EVENTS)
    assert (with_token[:2], without[:2]) == ((0, "allow"), (0, "ask"))
    assert "this hook has no token for it; run `assent hook install`" in without[2]
    assert (again.status, answer_of_hook(sandbox, "ls")[:2]) == (0, (0, "allow"))


def test_a_server_with_tls_and_without_a_socket_needs_curl(tmp_path: Path) -> None:
    paths = ConfigPaths(root="/p", cwd="/p", home="/h", managed="/m", user="/u", data=str(tmp_path))
    server = LocalServer(url="https://example.org", database="", token_file="", pid=1)

    with pytest.raises(InputError, match="add --shell"):
        _ = ServerHook(paths=paths, server=server).address
    assert ServerHook(paths=paths, server=server, is_shell=True).address == "https://example.org"


def test_a_project_gets_a_command_that_asks_the_server_of_each_user(
    sandbox: CommandSandbox, server: GateServer
) -> None:
    path = f"{Path(ASSENT_PROGRAM).parent}:{sandbox.environment()['PATH']}"

    done = sandbox.run("hook", "install", "--project", "--yes", PATH=path)
    told = sandbox.run("hook", "status", PATH=path)
    without = sandbox.run("hook", "status", PATH="/usr/bin:/bin")

    assert done.status == 0, done.err
    text = (sandbox.root / ".claude" / "settings.json").read_text("utf-8")
    groups = [group for groups in json.loads(text)["hooks"].values() for group in groups]
    commands = {group["hooks"][0]["command"].partition(" || ")[0] for group in groups}
    assert commands == {"assent-hook"}
    assert str(sandbox.home) not in text
    assert (told.status, told.lines[1]) == (0, "the server decides, and people answer its questions")
    assert (without.status, "the hook gives no valid answer" in without.out) == (1, True)


@pytest.fixture
def managed_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings of the machine, in a directory of the test."""
    path = tmp_path / "etc" / "managed-settings.json"
    for module in (commands, files):
        monkeypatch.setattr(module, "MANAGED_SETTINGS", str(path))
    monkeypatch.delenv("SUDO_UID", raising=False)
    return path


def test_managed_settings_can_be_read_by_every_user(
    command: Command, server: GateServer, managed_settings: Path
) -> None:
    done = command("hook", "install", "--managed", "--yes")
    told = command("hook", "status")
    removed = command("hook", "uninstall", "--managed", "--yes")

    assert (done.status, f"wrote {managed_settings}" in done.out) == (0, True), done.err
    assert (told.status, told.lines[0]) == (0, f"installed in {managed_settings}")
    assert stat.S_IMODE(managed_settings.stat().st_mode) == 0o644
    assert (removed.status, managed_settings.read_text("utf-8")) == (0, "{}\n")


def test_a_user_who_may_not_write_managed_settings_learns_the_command_for_root(
    command: Command, server: GateServer, managed_settings: Path
) -> None:
    managed_settings.parent.write_text("not a directory", "utf-8")

    refused = command("hook", "install", "--managed", "--yes")

    proposed = server.hook / "managed-settings.json"
    assert refused.status == 2
    assert refused.err.endswith(
        f"root can install it with: install -D -m 644 {proposed} {managed_settings}\n"
    )
    assert set(json.loads(proposed.read_text("utf-8"))["hooks"]) == set(SERVER_EVENTS)


def test_managed_settings_are_not_installed_with_sudo(
    command: Command, managed_settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUDO_UID", "1000")

    refused = command("hook", "install", "--managed", "--yes")

    assert (refused.status, "run this without sudo" in refused.err, managed_settings.exists()) == (
        2,
        True,
        False,
    )
