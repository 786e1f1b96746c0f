"""`assent claude` with the real client: by hook, control protocol and prompt tool."""

import subprocess
from pathlib import Path

import pytest

from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval
from tests.claude.driver import bash_call, require_client
from tests.cli.running import ASSENT_PROGRAM
from tests.serving import server
from tests.waiting import wait_until
from tools.claude_client import find_client, offline_environment
from tools.scripted_model import ScriptedModel

CALLS = [
    [bash_call("ls")],
    [bash_call("mkdir made")],
    [bash_call("mkdir refused")],
    [bash_call("touch denied")],
    "done",
]


@pytest.mark.usefixtures("require_hosts_option")
@pytest.mark.parametrize("via", ["hook", "control", "prompt-tool"])
def test_questions_reach_the_server_and_effects_follow_the_answers(tmp_path: Path, via: str) -> None:
    require_client()
    policy = tmp_path / "config" / "assent" / "config.toml"
    policy.parent.mkdir(parents=True, mode=0o700)
    policy.parent.chmod(0o700)
    policy.write_text('deny = ["Bash(touch *)"]\n')
    policy.chmod(0o600)
    with server(tmp_path, name="assent") as running, ScriptedModel({"main": CALLS}) as model:
        owner = running.client()
        words = [] if via == "control" else ["-p", "SCRIPT:main"]
        environment = {
            **offline_environment(tmp_path, model.url),
            "XDG_CONFIG_HOME": str(tmp_path / "config"),
            "XDG_DATA_HOME": str(tmp_path / "data"),
            "ENABLE_TOOL_SEARCH": "false",
        }
        command = [ASSENT_PROGRAM, "claude", "--via", via, "--program", str(find_client())]
        with (tmp_path / "out.log").open("w") as log:
            process = subprocess.Popen(
                [*command, "--database", str(running.data / "assent.db"), "--", *words],
                cwd=tmp_path / "project",
                env=environment,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                text=True,
            )

        def question() -> Approval | None:
            assert process.poll() is None, (tmp_path / "out.log").read_text()
            return next(iter(owner.approvals(state="pending")), None)

        try:
            assert process.stdin is not None
            process.stdin.write("SCRIPT:main" if via == "control" else "")
            process.stdin.close()
            asked: list[object] = []
            for answer in (Answer(say=Say.ONCE), Answer(say=Say.DENY, reason="not here")):
                found = wait_until(question)
                asked.append(found.call.args["command"])
                owner.answer(found.id, found.digest, answer)
            status = wait_until(lambda: process.poll() is not None and [process.returncode])[0]
        finally:
            process.kill()
            process.wait()

    project = tmp_path / "project"
    assert status == 0, (tmp_path / "out.log").read_text()
    assert asked == ["mkdir made", "mkdir refused"]
    assert (project / "made").is_dir()
    assert not (project / "refused").exists()
    assert not (project / "denied").exists()
