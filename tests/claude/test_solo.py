"""`assent claude` with the real client: by hook, control protocol and prompt tool."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval
from tests.claude.driver import bash_call, require_client
from tests.cli.running import ASSENT_PROGRAM
from tests.serving import server
from tests.waiting import wait_until
from tools.claude_client import find_client, offline_environment
from tools.scripted_model import Script, ScriptedModel

CALLS: Script = [
    [bash_call("ls")],
    [bash_call("mkdir made")],
    [bash_call("mkdir refused")],
    [bash_call("touch denied")],
    "done",
]


def run_agent(
    tmp_path: Path, via: str, script: Script, answers: list[Answer], *words: str
) -> tuple[list[Approval], Any]:
    """Start an agent on a script, and answer its questions; returns the questions, and what the model got."""
    require_client()
    policy = tmp_path / "config" / "assent" / "config.toml"
    policy.parent.mkdir(parents=True, mode=0o700)
    policy.parent.chmod(0o700)
    policy.write_text('deny = ["Bash(touch *)"]\n')
    policy.chmod(0o600)
    log = tmp_path / "out.log"
    with server(tmp_path, name="assent") as running, ScriptedModel({"main": script}) as model:
        owner = running.client()
        prompt = [] if via == "control" else ["-p", "SCRIPT:main"]
        environment = {
            **offline_environment(tmp_path, model.url),
            "XDG_CONFIG_HOME": str(tmp_path / "config"),
            "XDG_DATA_HOME": str(tmp_path / "data"),
            "ENABLE_TOOL_SEARCH": "false",
        }
        command = [ASSENT_PROGRAM, "claude", "--via", via, "--program", str(find_client())]
        with log.open("w") as out:
            process = subprocess.Popen(
                [*command, "--database", str(running.data / "assent.db"), "--", *prompt, *words],
                cwd=tmp_path / "project",
                env=environment,
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=out,
                text=True,
            )

        def find_question() -> Approval | None:
            assert process.poll() is None, log.read_text()
            return next(iter(owner.approvals(state="pending")), None)

        asked: list[Approval] = []
        try:
            assert process.stdin is not None
            process.stdin.write("SCRIPT:main" if via == "control" else "")
            process.stdin.close()
            for answer in answers:
                found = wait_until(find_question)
                asked.append(found)
                owner.answer(found.id, found.digest, answer)
            status = wait_until(lambda: process.poll() is not None and [process.returncode])[0]
        finally:
            process.kill()
            process.wait()
    assert status == 0, log.read_text()
    return asked, model.requests[-1]["messages"]


@pytest.mark.usefixtures("require_hosts_option")
@pytest.mark.parametrize("via", ["hook", "control", "prompt-tool"])
def test_questions_reach_the_server_and_effects_follow_the_answers(tmp_path: Path, via: str) -> None:
    answers = [Answer(say=Say.ONCE), Answer(say=Say.DENY, reason="not here")]

    asked, _ = run_agent(tmp_path, via, CALLS, answers)

    project = tmp_path / "project"
    assert [one.call.args["command"] for one in asked] == ["mkdir made", "mkdir refused"]
    assert (project / "made").is_dir()
    assert not (project / "refused").exists()
    assert not (project / "denied").exists()


QUESTION = {
    "question": "Which color?",
    "header": "Color",
    "options": [{"label": "red", "description": "x"}, {"label": "blue", "description": "y"}],
    "multiSelect": False,
}


@pytest.mark.usefixtures("require_hosts_option")
def test_the_model_gets_answers_in_words_and_its_plan_starts_after_a_yes(tmp_path: Path) -> None:
    script: Script = [
        [{"name": "AskUserQuestion", "input": {"questions": [QUESTION]}}],
        [{"name": "ExitPlanMode", "input": {}}],
        [{"name": "ExitPlanMode", "input": {}}],
        [bash_call("mkdir made")],
        "done",
    ]
    answers = [
        Answer(say=Say.DENY, reason="green"),
        Answer(say=Say.DENY, reason="add tests"),
        Answer(say=Say.ONCE),
        Answer(say=Say.ONCE),
    ]

    asked, messages = run_agent(tmp_path, "control", script, answers, "--permission-mode", "plan")

    results = [
        str(block["content"])
        for message in messages
        if message["role"] == "user"
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    assert [one.call.tool for one in asked] == [
        "fleet.question",
        "fleet.question",
        "fleet.question",
        "Bash",
    ]
    assert asked[0].call.args["options"] == ["red", "blue"]
    assert '"Which color?"="green"' in results[0]
    assert results[1:3] == [
        "the person does not accept the plan: add tests",
        "User has approved exiting plan mode. You can now proceed.",
    ]
    assert (tmp_path / "project" / "made").is_dir()
