"""The real client behind a server: people answer, denied effects never happen, and a dead gate stops calls."""

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assent.errors import AssentError
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State
from tests.claude.driver import Client, ClientRun, bash_call, require_client
from tests.claude.gated import ALLOW_EVERYTHING, files_named, install_hook, make_client, make_sandbox
from tests.claude.served import ALLOW, DENY, GateServer, running_server
from tests.claude.test_hook import REMOVALS, SPELLINGS
from tests.cli.running import CommandSandbox
from tests.hosts.hook.scripted_server import ScriptedServer
from tests.waiting import wait_until
from tools.claude_client import find_client
from tools.scripted_model import Script, ScriptedModel

POLICY = 'deny = ["Bash(touch *)"]\nallow = ["Bash(mkdir *)"]\n'


@pytest.fixture
def server(sandbox: CommandSandbox) -> Iterator[GateServer]:
    """A server with a policy, and the client behind it."""
    sandbox.write_user_file(POLICY)
    with running_server(sandbox) as server:
        install_hook(sandbox)
        yield server


def allow_or_deny_by_name(approval: Approval) -> Answer:
    return DENY if "no.txt" in str(approval.call.args) else ALLOW


def test_calls_are_decided_by_the_server_and_stop_when_it_is_gone(
    sandbox: CommandSandbox, server: GateServer
) -> None:
    client = make_client(sandbox, allow=ALLOW_EVERYTHING)
    protected = str(sandbox.root / ".git" / "hooks" / "pre-push")
    calls = [
        bash_call("ls src"),
        bash_call("mkdir made"),
        bash_call("cp README.md yes.txt"),
        bash_call("cp README.md no.txt"),
        bash_call("bash -c 'touch denied1'"),
        {"name": "Monitor", "input": {"command": "touch denied2", "description": "x", "timeout_ms": 1000}},
        {"name": "Write", "input": {"file_path": protected, "content": "#!/bin/sh\n"}},
    ]

    with server.answer_each_question(allow_or_deny_by_name) as asked:
        run = client.run(calls)
    with server.client() as person:
        states = [person.approval(approval.id).state for approval in asked]
    server.kill()
    dead = client.run([bash_call("mkdir later"), bash_call("ls")])

    assert [result.is_error for result in run.results] == [False, False, False, True, True, True, False]
    assert [approval.call.tool for approval in asked] == ["Bash", "Bash", "Write"]
    assert states == [State.DONE, State.DENIED, State.DONE]
    assert "the person said no" in run.results[3].text
    assert all("deny rule `Bash(touch *)`" in run.results[number].text for number in (4, 5))
    assert (sandbox.root / ".git" / "hooks" / "pre-push").read_text("utf-8") == "#!/bin/sh\n"
    assert (files_named(sandbox, "yes"), files_named(sandbox, "no.txt"), files_named(sandbox, "denied")) == (
        ["yes.txt"],
        [],
        [],
    )
    assert [result.is_error for result in dead.results] == [True, True]
    assert all("assent: this call is blocked: Assent cannot be reached" in one.text for one in dead.results)
    assert files_named(sandbox, "later") == []


def run_in_background(
    sandbox: CommandSandbox, calls: list[object]
) -> tuple[threading.Thread, list[ClientRun]]:
    """Start the client with an allow rule for everything; its run is in the list after the thread ended."""
    client, ended = make_client(sandbox, allow=ALLOW_EVERYTHING), list[ClientRun]()
    thread = threading.Thread(target=lambda: ended.append(client.run(calls)))  # type: ignore[arg-type]
    thread.start()
    return thread, ended


def assert_nothing_runs(sandbox: CommandSandbox, count: int) -> ClientRun:
    """Let the client make calls that its own rules allow; each must be blocked."""
    calls = [bash_call(f"mkdir made{number}") for number in range(count)]

    run = make_client(sandbox, allow=ALLOW_EVERYTHING).run(calls)

    assert [result.is_error for result in run.results] == [True] * count
    assert all("assent: this call is blocked" in result.text for result in run.results)
    assert files_named(sandbox, "made") == []
    return run


HEAD = b"HTTP/1.1 200 OK\r\n\r\n"
ALLOWED = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}
COMPLETE = HEAD + f"out {json.dumps(ALLOWED)}\nexit 0\n".encode()


@contextmanager
def scripted_server(server: GateServer, *replies: bytes | None) -> Iterator[None]:
    """A server in the sandbox of a killed one; other events than those of calls get no reply."""
    (server.data / "assent.sock").unlink(missing_ok=True)
    stand_in = ScriptedServer(server.data, *replies, only=b'"hook_event_name":"PreToolUse"')
    try:
        yield
    finally:
        stand_in.close()


@pytest.mark.usefixtures("require_hosts_option")
@pytest.mark.parametrize("form", [(), ("--shell",)], ids=["python", "shell"])
def test_a_reply_that_is_cut_anywhere_stops_the_call(
    sandbox: CommandSandbox, server: GateServer, form: tuple[str, ...]
) -> None:
    install_hook(sandbox, *form)
    server.kill()
    offsets = [round(number * (len(COMPLETE) - 1) / 19) for number in range(20)]
    with scripted_server(server, *(COMPLETE[:offset] for offset in offsets)):
        assert_nothing_runs(sandbox, len(offsets))


@pytest.mark.usefixtures("require_hosts_option")
@pytest.mark.parametrize("form", [(), ("--shell",)], ids=["python", "shell"])
def test_a_server_that_refuses_or_never_replies_stops_the_call(
    sandbox: CommandSandbox, server: GateServer, form: tuple[str, ...]
) -> None:
    install_hook(sandbox, *form)
    server.kill()
    statuses = [f"HTTP/1.1 {status} x\r\n\r\nexit 0\n".encode() for status in (401, 404, 500)]
    with scripted_server(server, *statuses, None):
        assert_nothing_runs(sandbox, 4)


@pytest.mark.usefixtures("require_hosts_option")
def test_a_complete_reply_of_the_same_scripted_server_runs(
    sandbox: CommandSandbox, server: GateServer
) -> None:
    server.kill()
    with scripted_server(server, COMPLETE):
        make_client(sandbox, allow=ALLOW_EVERYTHING).run([bash_call("mkdir made")])

    assert files_named(sandbox, "made") == ["made"]


@pytest.mark.usefixtures("require_hosts_option")
@pytest.mark.parametrize("form", [(), ("--shell",)], ids=["python", "shell"])
def test_a_question_goes_on_after_the_server_was_killed_and_its_call_runs_once(
    sandbox: CommandSandbox, server: GateServer, form: tuple[str, ...]
) -> None:
    install_hook(sandbox, *form)
    thread, ended = run_in_background(sandbox, [bash_call("echo once >> log.txt")])
    before = server.wait_for_question()
    server.kill()
    server.start()
    after = server.wait_for_question()
    server.answer(after)
    thread.join()

    assert before.id == after.id
    assert [result.is_error for result in ended[0].results] == [False]
    assert (sandbox.root / "log.txt").read_text("utf-8") == "once\n"


@pytest.mark.usefixtures("require_hosts_option")
def test_the_limit_of_the_hook_stops_the_call(sandbox: CommandSandbox, server: GateServer) -> None:
    settings = sandbox.home / ".claude" / "settings.json"
    text = settings.read_text("utf-8")
    assert " deny || {" in text
    settings.write_text(text.replace(" deny || {", " deny 2 || {"), "utf-8")

    run = make_client(sandbox, allow=ALLOW_EVERYTHING).run([bash_call("cp README.md made")])

    assert "nobody answered within the time limit of the hook" in run.results[0].text
    assert files_named(sandbox, "made") == []
    assert wait_until(lambda: server.pending_approvals() == [])


@pytest.mark.usefixtures("require_hosts_option")
def test_the_question_of_a_client_that_was_killed_is_withdrawn(
    sandbox: CommandSandbox, server: GateServer
) -> None:
    client = make_client(sandbox, allow=ALLOW_EVERYTHING)
    thread = threading.Thread(target=lambda: client.run([bash_call("cp README.md made")]))
    thread.start()
    asked = server.wait_for_question()
    client.kill()
    thread.join()
    wait_until(lambda: server.pending_approvals() == [])

    with server.client() as person:
        assert person.approval(asked.id).state is State.WITHDRAWN
        with pytest.raises(AssentError):
            person.answer(asked.id, asked.digest, ALLOW)
    assert files_named(sandbox, "made") == []


@pytest.mark.usefixtures("require_hosts_option")
@pytest.mark.parametrize(
    "text", [None, "raise SystemExit(1)", "import os\nos.kill(os.getpid(), 9)"], ids=["gone", "crash", "kill"]
)
def test_a_program_that_does_not_work_stops_the_call(
    sandbox: CommandSandbox, server: GateServer, text: str | None
) -> None:
    program = server.hook / "claude_server.py"
    if text is None:
        program.unlink()
    else:
        program.write_text(text, "utf-8")
    assert_nothing_runs(sandbox, 2)
    told, doctor = sandbox.run("hook", "status"), sandbox.run("doctor")

    assert (told.status, "the hook gives no valid answer" in told.out) == (1, True)
    assert "fail  hook of Claude Code" in doctor.out


@pytest.mark.usefixtures("require_hosts_option")
def test_the_shell_form_decides_as_the_other_does(sandbox: CommandSandbox, server: GateServer) -> None:
    install_hook(sandbox, "--shell")
    calls = [
        bash_call("ls"),
        bash_call("cp README.md yes.txt"),
        bash_call("cp README.md no.txt"),
        bash_call("touch denied"),
    ]

    with server.answer_each_question(allow_or_deny_by_name) as asked:
        run = make_client(sandbox, allow=ALLOW_EVERYTHING).run(calls)

    assert ([result.is_error for result in run.results], len(asked)) == ([False, False, True, True], 2)
    assert (files_named(sandbox, "yes"), files_named(sandbox, "denied")) == (["yes.txt"], [])


@pytest.mark.usefixtures("require_hosts_option")
@pytest.mark.parametrize("form", [(), ("--shell",)], ids=["python", "shell"])
def test_with_a_server_no_spelling_of_a_denied_command_makes_its_effect(
    sandbox: CommandSandbox, server: GateServer, form: tuple[str, ...]
) -> None:
    sandbox.write_user_file('allow = ["Bash"]\ndeny = ["Bash(touch *)"]\n')
    install_hook(sandbox, *form)
    calls = [bash_call(text.replace("@", f"denied{number}")) for number, text in enumerate(SPELLINGS)]

    with server.answer_each_question(lambda _: DENY):
        run = make_client(sandbox, allow=ALLOW_EVERYTHING).run([*calls, bash_call("mkdir made")])

    assert len(run.results) - 1 == len(SPELLINGS) >= 100
    assert (files_named(sandbox, "denied"), files_named(sandbox, "made")) == ([], ["made"])


@pytest.mark.usefixtures("require_hosts_option")
def test_with_a_server_no_spelling_of_a_removal_passes_the_breaker(
    sandbox: CommandSandbox, server: GateServer
) -> None:
    sandbox.write_user_file('allow = ["Bash"]\n')
    kept = [sandbox.root / "README.md", sandbox.home / "keep.txt"]
    kept[1].write_text("keep", "utf-8")
    calls = [bash_call(text.replace("@HOME", str(sandbox.home))) for text in REMOVALS]

    with server.answer_each_question(lambda _: DENY):
        run = make_client(sandbox, allow=ALLOW_EVERYTHING).run([*calls, bash_call("mkdir made")])

    assert [text for text, result in zip(REMOVALS, run.results, strict=False) if not result.is_error] == []
    assert [path.exists() for path in kept] == [True, True]
    assert not run.results[-1].is_error


@pytest.mark.usefixtures("require_hosts_option")
def test_a_session_in_another_project_is_offered_as_a_workspace(
    sandbox: CommandSandbox, server: GateServer, tmp_path: Path
) -> None:
    (tmp_path / "second").mkdir()
    second = make_sandbox(tmp_path / "second")
    client = replace(make_client(sandbox, allow=ALLOW_EVERYTHING), project=second.root)
    read = {"name": "Read", "input": {"file_path": str(second.root / "README.md")}}

    with server.answer_each_question(lambda _: ALLOW) as asked:
        before = client.run([read])  # type: ignore[list-item]
        first = list(asked)
        after = client.run([read])  # type: ignore[list-item]

    offers = [approval for approval in first if approval.call.tool != "Read"]
    assert [(one.call.tool, one.call.args) for one in offers] == [
        ("workspace.register", {"agent": "claude", "root": str(second.root)})
    ]
    assert asked == first
    assert [result.is_error for result in (*before.results, *after.results)] == [False, False]
    with server.client() as person:
        found = {(one.root, one.remote) for one in person.workspaces()}
    assert found == {(str(sandbox.root), False), (str(second.root), False)}


def run_headless(client: Client, url: str, *words: str) -> dict[str, Any]:
    """Run the client as a command that prints one JSON object at its end."""
    done = subprocess.run(
        [str(find_client()), "-p", "--output-format", "json", *words],
        cwd=client.project,
        env=client.environment(url),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.usefixtures("require_hosts_option")
@pytest.mark.parametrize("form", [(), ("--shell",)], ids=["python", "shell"])
@pytest.mark.parametrize("answer", [ALLOW, DENY], ids=["allow", "deny"])
def test_a_deferred_call_runs_once_after_the_session_is_resumed(
    sandbox: CommandSandbox, server: GateServer, form: tuple[str, ...], answer: Answer
) -> None:
    require_client()
    install_hook(sandbox, "--defer", *form)
    client = make_client(sandbox, allow=ALLOW_EVERYTHING)
    script: Script = [[bash_call("ls")], [bash_call("echo once >> log.txt")], "done"]

    with ScriptedModel({"main": script}) as model:
        first = run_headless(client, model.url, "SCRIPT:main")
        again = run_headless(client, model.url, "--resume", first["session_id"])
        server.kill()
        server.start()
        (asked,) = server.pending_approvals()
        is_untouched = not (sandbox.root / "log.txt").exists()
        server.answer(asked, answer)
        last = run_headless(client, model.url, "--resume", first["session_id"])

    assert ["deferred_tool_use" in one for one in (first, again, last)] == [True, True, False]
    assert (first["deferred_tool_use"]["id"], is_untouched) == (asked.call.id, True)
    assert (sandbox.root / "log.txt").exists() == answer.yes
    if answer.yes:
        assert (sandbox.root / "log.txt").read_text("utf-8") == "once\n"
    with server.client() as person:
        assert person.approval(asked.id).state is (State.DONE if answer.yes else State.DENIED)


@pytest.mark.usefixtures("require_hosts_option")
def test_of_several_calls_of_a_message_none_is_deferred(sandbox: CommandSandbox, server: GateServer) -> None:
    require_client()
    install_hook(sandbox, "--defer")
    client = make_client(sandbox, allow=ALLOW_EVERYTHING)
    script: Script = [[bash_call("cp README.md yes1.txt"), bash_call("cp README.md yes2.txt")], "done"]

    with ScriptedModel({"main": script}) as model, server.answer_each_question(lambda _: ALLOW) as asked:
        ended = run_headless(client, model.url, "SCRIPT:main")

    assert (ended["terminal_reason"], len(asked)) == ("completed", 2)
    assert files_named(sandbox, "yes") == ["yes1.txt", "yes2.txt"]


@pytest.mark.usefixtures("require_hosts_option")
def test_a_question_of_the_model_is_answered_from_the_server(
    sandbox: CommandSandbox, server: GateServer
) -> None:
    question = {
        "question": "Which color?",
        "header": "Color",
        "options": [{"label": "red", "description": "x"}, {"label": "blue", "description": "y"}],
        "multiSelect": False,
    }
    calls = [
        {"name": "AskUserQuestion", "input": {"questions": [question]}},
        {"name": "ExitPlanMode", "input": {}},
    ]

    def decide(approval: Approval) -> Answer:
        return Answer(say=Say.DENY, reason="green") if approval.call.tool == "AskUserQuestion" else ALLOW

    with server.answer_each_question(decide) as asked:
        run = make_client(sandbox).run(
            calls,  # type: ignore[arg-type]
            "--permission-mode",
            "plan",
            answer=lambda _: None,
        )

    assert [approval.call.tool for approval in asked] == ["AskUserQuestion", "ExitPlanMode"]
    assert '"Which color?"="green"' in run.results[0].text
    assert run.results[1].text.startswith("User has approved exiting plan mode")
