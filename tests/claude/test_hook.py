"""The real client behind the hook: what is denied makes no effect, and a dead hook stops every call."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.claude.driver import Question, bash
from tests.claude.gated import (
    ALLOW_EVERYTHING,
    change_settings,
    client_of,
    files_named,
    install_hook,
    launcher,
)
from tests.cli.running import CommandPlace

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


def test_calls_run_ask_or_are_denied_by_the_policy(place: CommandPlace) -> None:
    place.write_user_file(POLICY)
    install_hook(place)
    client = client_of(place, allow=ALLOW_EVERYTHING)
    calls = [
        bash("ls src"),
        bash("mkdir made"),
        bash("cp README.md yes.txt"),
        bash("cp README.md no.txt"),
        *map(bash, EIGHT_SPELLINGS),
        {"name": "Monitor", "input": {"command": "touch denied9", "description": "x", "timeout_ms": 1000}},
    ]

    run = client.run(calls, answer=lambda question: "yes.txt" in str(question.input["command"]))

    assert run.asked == ["Bash(cp README.md yes.txt)", "Bash(cp README.md no.txt)"]
    assert {(question.reason, question.kind) for question in run.questions} == {
        ("Assent asks: default mode asks before running commands", "hook")
    }
    assert [result.is_error for result in run.results] == [False] * 3 + [True] * 10
    assert all("deny rule `Bash(touch *)`" in result.text for result in run.results[4:])
    assert (place.root / "made").is_dir()
    assert (files_named(place, "yes"), files_named(place, "no.txt"), files_named(place, "denied")) == (
        ["yes.txt"],
        [],
        [],
    )


@pytest.mark.supports("R002-1")
def test_a_question_that_nobody_can_answer_is_a_denial(place: CommandPlace) -> None:
    install_hook(place)
    client = client_of(place, allow=ALLOW_EVERYTHING)

    run = client.run([bash("ls"), bash("cp README.md copy.txt")], "--permission-mode", "bypassPermissions")

    assert [result.is_error for result in run.results] == [False, True]
    assert "Assent asks" in run.results[1].text
    assert files_named(place, "copy") == []


def test_the_clients_own_check_of_protected_paths_stays_a_question(place: CommandPlace) -> None:
    install_hook(place)
    path = str(place.root / "pyrightconfig.json")
    asked: list[Question] = []

    run = client_of(place).run(
        [
            {"name": "Write", "input": {"file_path": str(place.root / "new.txt"), "content": "x"}},
            {"name": "Write", "input": {"file_path": path, "content": "{}"}},
        ],
        "--permission-mode",
        "acceptEdits",
        answer=lambda question: bool(asked.append(question)),
    )

    assert run.asked == [f"Write({path})"]
    assert (files_named(place, "new"), files_named(place, "pyright")) == (["new.txt"], [])


REMOVED, KILLED = "removed", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n"
CRASHED, SILENT = "raise SystemExit(1)\n", "import sys\nsys.stdout.write('{')\nraise SystemExit(3)\n"


def break_hook(place: CommandPlace, text: str) -> None:
    if text == REMOVED:
        launcher(place).unlink()
    else:
        launcher(place).write_text(text, "utf-8")


@pytest.mark.parametrize("text", [REMOVED, KILLED], ids=["removed", "killed"])
def test_a_hook_that_does_not_work_stops_every_call(place: CommandPlace, text: str) -> None:
    install_hook(place)
    break_hook(place, text)
    client = client_of(place, allow=ALLOW_EVERYTHING)

    run = client.run([bash("mkdir made"), bash("ls")])

    assert [result.is_error for result in run.results] == [True, True]
    assert all("assent: this call is blocked" in result.text for result in run.results)
    assert files_named(place, "made") == []


@pytest.mark.usefixtures("hosts")
@pytest.mark.parametrize("text", [CRASHED, SILENT, "this is no Python"], ids=["crashed", "cut", "broken"])
def test_a_hook_that_fails_in_other_ways_stops_every_call(place: CommandPlace, text: str) -> None:
    install_hook(place)
    break_hook(place, text)

    run = client_of(place, allow=ALLOW_EVERYTHING).run([bash("mkdir made"), bash("ls")])

    assert [result.is_error for result in run.results] == [True, True]
    assert files_named(place, "made") == []


@pytest.mark.usefixtures("hosts")
def test_a_policy_file_with_a_mistake_stops_every_call_and_is_named(place: CommandPlace) -> None:
    install_hook(place)
    place.write_user_file('deny = ["Bash(touch *"]\n')

    run = client_of(place, allow=ALLOW_EVERYTHING).run([bash("mkdir made")])

    assert "config.toml" in run.results[0].text
    assert files_named(place, "made") == []


@pytest.mark.usefixtures("hosts")
def test_no_spelling_of_a_denied_command_makes_its_effect(place: CommandPlace) -> None:
    place.write_user_file('allow = ["Bash"]\ndeny = ["Bash(touch *)"]\n')
    install_hook(place)
    calls = [bash(text.replace("@", f"denied{number}")) for number, text in enumerate(SPELLINGS)]

    run = client_of(place, allow=ALLOW_EVERYTHING).run(calls)

    assert len(run.results) == len(SPELLINGS) >= 100
    assert files_named(place, "denied") == []


@pytest.mark.usefixtures("hosts")
def test_the_clients_search_for_tools_is_not_in_the_way(place: CommandPlace) -> None:
    install_hook(place)
    search = {"query": "select:Monitor", "max_results": 1}
    client = replace(client_of(place), environ={"ENABLE_TOOL_SEARCH": "true"})

    run = client.run([{"name": "ToolSearch", "input": search}], answer=lambda _: False)

    assert (run.asked, [result.is_error for result in run.results]) == ([], [False])


@pytest.mark.usefixtures("hosts")
def test_a_sub_agent_is_behind_the_same_gate(place: CommandPlace) -> None:
    place.write_user_file(POLICY)
    install_hook(place)
    agent = {
        "description": "x",
        "subagent_type": "general-purpose",
        "prompt": "SCRIPT:child",
        "run_in_background": False,
    }
    child = [[bash("touch denied1")], [bash("mkdir made")], "done"]

    client_of(place, allow=ALLOW_EVERYTHING).run([{"name": "Agent", "input": agent}], others={"child": child})

    assert (files_named(place, "denied"), files_named(place, "made")) == ([], ["made"])
    history = json.loads(place.run("history", "--json").out)
    assert [(each["agent"], each["tool"], each["verdict"]) for each in history] == [
        ("", "Agent", "run"),
        ("general-purpose", "Bash", "deny"),
        ("general-purpose", "Bash", "run"),
    ]


@pytest.mark.usefixtures("hosts")
def test_status_names_the_file_because_of_which_the_client_runs_no_hook(place: CommandPlace) -> None:
    install_hook(place)
    place.write_file(".claude/settings.local.json", '{"disableAllHooks": true}')

    client_of(place, allow=ALLOW_EVERYTHING).run([bash("mkdir made")])
    told = place.run("hook", "status")

    assert files_named(place, "made") == ["made"]  # what the client does: no hook can change that
    assert (told.status, "settings.local.json has `disableAllHooks`" in told.out) == (1, True)


@pytest.mark.usefixtures("hosts")
def test_plan_mode_only_reads_and_the_client_keeps_its_plan(place: CommandPlace) -> None:
    install_hook(place)
    change_settings(place, {"permissions": {"allow": ALLOW_EVERYTHING}})
    plan = place.home / ".claude" / "plans" / "other.md"

    run = client_of(place).run(
        [
            bash("ls"),
            bash("mkdir made"),
            {"name": "Write", "input": {"file_path": str(plan), "content": "x"}},
        ],
        "--permission-mode",
        "plan",
    )

    assert [result.is_error for result in run.results] == [False, True, True]
    assert "plan mode only reads" in run.results[1].text
    assert "Assent" not in run.results[2].text
