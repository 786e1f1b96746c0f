"""Forty calls of an ordinary session: Assent asks less than the client alone, and no denied effect happens."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from assent.gate.approval import Approval
from tests.claude.driver import ClientRun, bash_call
from tests.claude.gated import change_settings, files_named, install_hook, make_client, make_sandbox
from tests.claude.served import ALLOW, running_server
from tests.claude.test_hook import EIGHT_SPELLINGS
from tests.cli.running import CommandSandbox
from tools.scripted_model import ToolCall

DENY = "Bash(touch *)"


def tool_call(name: str, **arguments: object) -> ToolCall:
    return {"name": name, "input": arguments}


def forty_calls(root: Path) -> list[ToolCall]:
    """Reads, edits, shell lines that change something, a denied command, and the client's own tools."""
    reads = [
        tool_call("Read", file_path=str(root / "src" / "b.py")),
        tool_call("Read", file_path="/etc/os-release"),
        *map(
            bash_call,
            (
                "ls -l src",
                "cat README.md",
                "grep -n return -r src",
                "git status",
                "git log --oneline -3",
                "git diff",
                "tail -3 README.md | sort",
                "find src -name 'a*'",
                "python3 --version",
                "wc -c README.md Makefile",
                "awk '{print $2}' README.md",
                "ls | wc -l",
                "git --no-pager show --stat",
                "sort src/a.py | uniq",
            ),
        ),
    ]
    edits = [
        tool_call(
            "Edit", file_path=str(root / "src" / "b.py"), old_string="return 2", new_string="return 22"
        ),
        tool_call("Write", file_path=str(root / "notes.txt"), content="x"),
        tool_call("Write", file_path=str(root / ".git" / "hooks" / "pre-push"), content="#!/bin/sh\n"),
        tool_call("Write", file_path=str(root.parent / "outside.txt"), content="x"),
    ]
    changes = map(
        bash_call,
        (
            "mkdir -p out/deep",
            "echo done > log.txt",
            "git add README.md",
            "git -c user.name=a -c user.email=a@example.com commit -qm second --allow-empty",
            "python3 -c 'print(2)'",
            "sed -i s/second/third/ README.md",
            "cp Makefile out/",
            "rm -f out/Makefile",
            "node --check package.json",
            "make -n",
        ),
    )
    own = [
        tool_call("ListAgents"),
        tool_call(
            "Agent",
            description="x",
            subagent_type="general-purpose",
            prompt="SCRIPT:child",
            run_in_background=False,
        ),
    ]
    return [*reads, *edits, *changes, *map(bash_call, EIGHT_SPELLINGS), *own]


def run_calls(sandbox: CommandSandbox, mode: str) -> ClientRun:
    """Make all calls and answer each question with yes."""
    calls = forty_calls(sandbox.root)
    assert len(calls) == 40
    child = [[bash_call("ls src")], "done"]
    client = make_client(sandbox)
    run = client.run(calls, "--permission-mode", mode, answer=lambda _: True, others={"child": child})
    assert len(run.results) == 40
    return run


def count_undenied_questions(run: ClientRun) -> int:
    """How many questions of the client are about calls that no rule denies."""
    return sum(one.input.get("command") not in EIGHT_SPELLINGS for one in run.questions)


def questions_text(run: ClientRun) -> str:
    """The number of questions of the client, and how many of them are about calls that no rule denies."""
    return f"{len(run.questions)} questions ({count_undenied_questions(run)} about calls that no rule denies)"


@pytest.mark.usefixtures("require_hosts_option")
@pytest.mark.parametrize("mode", ["default", "acceptEdits"])
def test_assent_asks_less_than_the_client_alone_and_no_denied_effect_happens(
    tmp_path: Path, mode: str
) -> None:
    for name in ("alone", "gated"):
        (tmp_path / name).mkdir()
    alone, gated = make_sandbox(tmp_path / "alone"), make_sandbox(tmp_path / "gated")
    change_settings(alone, {"permissions": {"deny": [DENY]}})
    gated.write_user_file(f'deny = ["{DENY}"]\n')
    install_hook(gated)
    gated.run_at_terminal("config", "trust", typed="y\ny\n")

    by_client, by_assent = run_calls(alone, mode), run_calls(gated, mode)

    print(
        f"{mode}, no server: {questions_text(by_client)} and {len(files_named(alone, 'denied'))} denied effects "
        f"without Assent, {len(by_assent.questions)} questions and {len(files_named(gated, 'denied'))} with it"
    )
    assert files_named(gated, "denied") == []
    assert len(by_assent.questions) < len(by_client.questions)
    assert [result.text for result in by_assent.results[-2:] if result.is_error] == []


MAX_SHARE = 0.65
"""The questions with a server, as a share of those that the client alone asks."""


def run_calls_with_server(
    sandbox: CommandSandbox, project: Path, mode: str
) -> tuple[ClientRun, list[Approval]]:
    """Make all calls in a project; a person answers each question of the server with yes."""
    calls = forty_calls(project)
    client = replace(make_client(sandbox), project=project)
    child = [[bash_call("ls src")], "done"]
    with ExitStack() as stack:
        server = stack.enter_context(running_server(sandbox))
        sandbox.run("hook", "install", "--yes", cwd=project)
        asked = stack.enter_context(server.answer_each_question(lambda _: ALLOW))
        run = client.run(calls, "--permission-mode", mode, others={"child": child})
    assert len(run.results) == 40
    return run, asked


@pytest.mark.usefixtures("require_hosts_option")
@pytest.mark.parametrize(("mode", "ours"), [("default", "default"), ("acceptEdits", "accept_edits")])
@pytest.mark.parametrize("place", ["own", "second"])
def test_with_a_server_people_are_asked_less_than_by_the_client_alone(
    tmp_path: Path, mode: str, ours: str, place: str
) -> None:
    """The server starts in one project; `second` is another one, which is registered and trusted, too."""
    for name in ("alone", "gated", "second"):
        (tmp_path / name).mkdir()
    alone, gated = make_sandbox(tmp_path / "alone"), make_sandbox(tmp_path / "gated")
    change_settings(alone, {"permissions": {"deny": [DENY]}})
    gated.write_user_file(f'mode = "{ours}"\ndeny = ["{DENY}"]\n')
    chosen = gated if place == "own" else make_sandbox(tmp_path / "second")
    chosen.home = gated.home
    chosen.run_at_terminal("config", "trust", typed="y\ny\n")

    by_client = run_calls(alone, mode)
    by_assent, asked = run_calls_with_server(gated, chosen.root, mode)

    share = len(asked) / len(by_client.questions)
    print(
        f"{mode}, {place} project: {questions_text(by_client)} and {len(files_named(alone, 'denied'))} "
        f"denied effects without Assent, {len(asked)} questions ({share:.0%}) and "
        f"{len(files_named(chosen, 'denied'))} with it"
    )
    assert files_named(chosen, "denied") == []
    assert [result.text for result in by_assent.results[-2:] if result.is_error] == []
    assert len(asked) <= count_undenied_questions(by_client)
    if mode == "default":
        assert share <= MAX_SHARE
