"""The real client behind the hook: what is denied makes no effect, and a dead hook stops every call."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.claude.driver import Question, bash_call
from tests.claude.gated import (
    ALLOW_EVERYTHING,
    change_settings,
    files_named,
    install_hook,
    launcher_path,
    make_client,
)
from tests.claude.served import ALLOW, running_server
from tests.cli.running import CommandSandbox

POLICY = 'deny = ["Bash(touch *)"]\nallow = ["Bash(mkdir *)"]\n'
EIGHT_SPELLINGS = (
    "touch denied1",
    "/usr/bin/touch denied2",
    "eval 'touch denied3'",
    "bash -c 'touch denied4'",
    "echo denied5 | xargs -n1 touch",
    "find . -maxdepth 0 -exec touch denied6 \\;",
    "$'\\x74ouch' denied7",
    "tou\\\nch denied8",
)
SPELLINGS = json.loads(Path(__file__).with_name("spellings.json").read_text("utf-8"))


def test_calls_run_ask_or_are_denied_by_the_policy(sandbox: CommandSandbox) -> None:
    sandbox.write_user_file(POLICY)
    install_hook(sandbox)
    client = make_client(sandbox, allow=ALLOW_EVERYTHING)
    calls = [
        bash_call("ls src"),
        bash_call("mkdir made"),
        bash_call("cp README.md yes.txt"),
        bash_call("cp README.md no.txt"),
        *map(bash_call, EIGHT_SPELLINGS),
        {"name": "Monitor", "input": {"command": "touch denied9", "description": "x", "timeout_ms": 1000}},
    ]

    run = client.run(calls, answer=lambda question: "yes.txt" in str(question.input["command"]))

    assert run.asked_tools == ["Bash(cp README.md yes.txt)", "Bash(cp README.md no.txt)"]
    assert {(question.reason, question.kind) for question in run.questions} == {
        (
            "Assent asks: `cp` would create or overwrite `yes.txt`; default mode asks before every change",
            "hook",
        ),
        (
            "Assent asks: `cp` would create or overwrite `no.txt`; default mode asks before every change",
            "hook",
        ),
    }
    assert [result.is_error for result in run.results] == [False] * 3 + [True] * 10
    assert all("deny rule `Bash(touch *)`" in result.text for result in run.results[4:])
    assert (sandbox.root / "made").is_dir()
    assert (files_named(sandbox, "yes"), files_named(sandbox, "no.txt"), files_named(sandbox, "denied")) == (
        ["yes.txt"],
        [],
        [],
    )


@pytest.mark.supports("R002-1")
def test_a_question_that_nobody_can_answer_is_a_denial(sandbox: CommandSandbox) -> None:
    install_hook(sandbox)
    client = make_client(sandbox, allow=ALLOW_EVERYTHING)

    run = client.run(
        [bash_call("ls"), bash_call('python3 -c \'open("copy.txt", "w")\'')],
        "--permission-mode",
        "bypassPermissions",
    )

    assert [result.is_error for result in run.results] == [False, True]
    assert "Assent asks" in run.results[1].text
    assert files_named(sandbox, "copy") == []


def test_the_clients_own_check_of_protected_paths_stays_a_question(sandbox: CommandSandbox) -> None:
    install_hook(sandbox)
    path = str(sandbox.root / "pyrightconfig.json")
    asked: list[Question] = []

    run = make_client(sandbox).run(
        [
            {"name": "Write", "input": {"file_path": str(sandbox.root / "new.txt"), "content": "x"}},
            {"name": "Write", "input": {"file_path": path, "content": "{}"}},
        ],
        "--permission-mode",
        "acceptEdits",
        answer=lambda question: bool(asked.append(question)),
    )

    assert run.asked_tools == [f"Write({path})"]
    assert (files_named(sandbox, "new"), files_named(sandbox, "pyright")) == (["new.txt"], [])


REMOVED, KILLED = "removed", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n"
CRASHED, SILENT = "raise SystemExit(1)\n", "import sys\nsys.stdout.write('{')\nraise SystemExit(3)\n"


def break_hook(sandbox: CommandSandbox, text: str) -> None:
    if text == REMOVED:
        launcher_path(sandbox).unlink()
    else:
        launcher_path(sandbox).write_text(text, "utf-8")


@pytest.mark.parametrize("text", [REMOVED, KILLED], ids=["removed", "killed"])
def test_a_hook_that_does_not_work_stops_every_call(sandbox: CommandSandbox, text: str) -> None:
    install_hook(sandbox)
    break_hook(sandbox, text)
    client = make_client(sandbox, allow=ALLOW_EVERYTHING)

    run = client.run([bash_call("mkdir made"), bash_call("ls")])

    assert [result.is_error for result in run.results] == [True, True]
    assert all("assent: this call is blocked" in result.text for result in run.results)
    assert files_named(sandbox, "made") == []


@pytest.mark.usefixtures("require_hosts_option")
@pytest.mark.parametrize("text", [CRASHED, SILENT, "this is no Python"], ids=["crashed", "cut", "broken"])
def test_a_hook_that_fails_in_other_ways_stops_every_call(sandbox: CommandSandbox, text: str) -> None:
    install_hook(sandbox)
    break_hook(sandbox, text)

    run = make_client(sandbox, allow=ALLOW_EVERYTHING).run([bash_call("mkdir made"), bash_call("ls")])

    assert [result.is_error for result in run.results] == [True, True]
    assert files_named(sandbox, "made") == []


@pytest.mark.usefixtures("require_hosts_option")
def test_a_policy_file_with_a_mistake_stops_every_call_and_is_named(sandbox: CommandSandbox) -> None:
    install_hook(sandbox)
    sandbox.write_user_file('deny = ["Bash(touch *"]\n')

    run = make_client(sandbox, allow=ALLOW_EVERYTHING).run([bash_call("mkdir made")])

    assert "config.toml" in run.results[0].text
    assert files_named(sandbox, "made") == []


@pytest.mark.usefixtures("require_hosts_option")
def test_no_spelling_of_a_denied_command_makes_its_effect(sandbox: CommandSandbox) -> None:
    sandbox.write_user_file('allow = ["Bash"]\ndeny = ["Bash(touch *)"]\n')
    install_hook(sandbox)
    calls = [bash_call(text.replace("@", f"denied{number}")) for number, text in enumerate(SPELLINGS)]

    run = make_client(sandbox, allow=ALLOW_EVERYTHING).run(calls)

    assert len(run.results) == len(SPELLINGS) >= 100
    assert files_named(sandbox, "denied") == []


REMOVALS = (
    "rm -rf @HOME",
    "rm -r -f @HOME/",
    "rm --recursive --force @HOME",
    "rm -rf @HOME/*",
    "\\rm -rf @HOME",
    "r\\\nm -rf @HOME",
    "/bin/rm -rf @HOME",
    "sudo rm -rf @HOME",
    "env X=1 rm -rf @HOME",
    "timeout 5 rm -rf @HOME",
    "nohup rm -rf @HOME",
    "eval rm -rf @HOME",
    "bash -c 'rm -rf @HOME'",
    "echo @HOME | xargs rm -rf",
    "xargs rm -rf <<< @HOME",
    "rm -rf $'@HOME'",
    "rm -rf {@HOME,/nowhere-at-all}",
    "rm -rf @HOME/../home",
    "X=@HOME; rm -rf $X",
    'rm -rf "$(printf %s @HOME)"',
    "ls && rm -rf @HOME",
    "if true; then rm -rf @HOME; fi",
    "(rm -rf @HOME)",
    "find @HOME -delete",
    "find @HOME -type f -exec rm {} +",
    "rm -rf .",
    "rm -rf ./../work",
    'rm -rf "$PWD"',
    "cd .. && rm -rf work",
    "find . -delete",
)
"""Removals of the home directory and of the project, which are both thrown away after the test."""


@pytest.mark.usefixtures("require_hosts_option")
def test_no_spelling_of_a_removal_passes_the_breaker(sandbox: CommandSandbox) -> None:
    sandbox.write_user_file('allow = ["Bash"]\n')
    install_hook(sandbox)
    kept = [sandbox.root / "README.md", sandbox.home / "keep.txt"]
    kept[1].write_text("keep", "utf-8")
    calls = [bash_call(text.replace("@HOME", str(sandbox.home))) for text in REMOVALS]

    run = make_client(sandbox, allow=ALLOW_EVERYTHING).run([*calls, bash_call("mkdir made && rmdir made")])

    assert [text for text, result in zip(REMOVALS, run.results, strict=False) if not result.is_error] == []
    assert [path.exists() for path in kept] == [True, True]
    assert not run.results[-1].is_error


@pytest.mark.usefixtures("require_hosts_option")
def test_the_clients_search_for_tools_is_not_in_the_way(sandbox: CommandSandbox) -> None:
    install_hook(sandbox)
    search = {"query": "select:Monitor", "max_results": 1}
    client = replace(make_client(sandbox), environ={"ENABLE_TOOL_SEARCH": "true"})

    run = client.run([{"name": "ToolSearch", "input": search}], answer=lambda _: False)

    assert (run.asked_tools, [result.is_error for result in run.results]) == ([], [False])


@pytest.mark.usefixtures("require_hosts_option")
def test_a_sub_agent_is_behind_the_same_gate(sandbox: CommandSandbox) -> None:
    sandbox.write_user_file(POLICY)
    install_hook(sandbox)
    agent = {
        "description": "x",
        "subagent_type": "general-purpose",
        "prompt": "SCRIPT:child",
        "run_in_background": False,
    }
    child = [[bash_call("touch denied1")], [bash_call("mkdir made")], "done"]

    make_client(sandbox, allow=ALLOW_EVERYTHING).run(
        [{"name": "Agent", "input": agent}], others={"child": child}
    )

    assert (files_named(sandbox, "denied"), files_named(sandbox, "made")) == ([], ["made"])
    history = json.loads(sandbox.run("history", "--json").out)
    assert [(each["agent"], each["tool"], each["verdict"]) for each in history] == [
        ("", "Agent", "run"),
        ("general-purpose", "Bash", "deny"),
        ("general-purpose", "Bash", "run"),
    ]


@pytest.mark.usefixtures("require_hosts_option")
def test_status_names_the_file_because_of_which_the_client_runs_no_hook(sandbox: CommandSandbox) -> None:
    install_hook(sandbox)
    sandbox.write_file(".claude/settings.local.json", '{"disableAllHooks": true}')

    make_client(sandbox, allow=ALLOW_EVERYTHING).run([bash_call("mkdir made")])
    told = sandbox.run("hook", "status")

    assert files_named(sandbox, "made") == ["made"]  # what the client does: no hook can change that
    assert (told.status, "settings.local.json has `disableAllHooks`" in told.out) == (1, True)


@pytest.mark.usefixtures("require_hosts_option")
def test_plan_mode_only_reads_and_the_client_keeps_its_plan(sandbox: CommandSandbox) -> None:
    install_hook(sandbox)
    change_settings(sandbox, {"permissions": {"allow": ALLOW_EVERYTHING}})
    plan = sandbox.home / ".claude" / "plans" / "other.md"

    run = make_client(sandbox).run(
        [
            bash_call("ls"),
            bash_call("mkdir made"),
            {"name": "Write", "input": {"file_path": str(plan), "content": "x"}},
        ],
        "--permission-mode",
        "plan",
    )

    assert [result.is_error for result in run.results] == [False, True, True]
    assert "plan mode only reads" in run.results[1].text
    assert "Assent" not in run.results[2].text


@pytest.mark.usefixtures("require_hosts_option")
def test_a_server_that_is_started_later_is_asked_until_it_is_stopped(sandbox: CommandSandbox) -> None:
    sandbox.write_user_file(POLICY)
    install_hook(sandbox)
    client = make_client(sandbox, allow=ALLOW_EVERYTHING)
    protected = str(sandbox.root / ".git" / "hooks" / "pre-push")
    calls = [
        bash_call("mkdir made1"),
        bash_call("touch denied"),
        bash_call("cp README.md yes.txt"),
        {"name": "Write", "input": {"file_path": protected, "content": "#!/bin/sh\n"}},
    ]

    with running_server(sandbox) as server:
        with server.answer_each_question(lambda _: ALLOW) as asked:
            gated = client.run(calls)  # type: ignore[arg-type]
        server.kill()
        killed = client.run([bash_call("mkdir made2"), bash_call("touch denied")])
        server.start()
        server.stop()
        stopped = client.run([bash_call("mkdir made3")])

    assert [result.is_error for result in gated.results] == [False, True, False, False]
    assert [one.call.tool for one in asked if one.call.tool != "workspace.register"] == ["Bash", "Write"]
    assert (sandbox.root / ".git" / "hooks" / "pre-push").exists()
    assert [result.is_error for result in killed.results] == [True, True]
    assert [result.is_error for result in stopped.results] == [False]
    assert files_named(sandbox, "made") == ["made1", "made3"]
    assert files_named(sandbox, "denied") == []
