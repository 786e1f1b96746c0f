"""A fleet of real clients behind `assent up`, offline, with a person who answers through the server."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from assent.client.client import Client
from assent.client.local_server import find_local_server
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval
from tests.claude.driver import bash_call, require_client
from tests.cli.running import ASSENT_PROGRAM, CommandSandbox
from tests.waiting import wait_until
from tools.claude_client import find_client, offline_environment
from tools.scripted_model import Script, ScriptedModel, ToolCall

FLEET = """
project: {name: Shop, description: "SCRIPT:lead"}
archie:
  persona: personas/lead.md
agent_pool:
  - id: qa
    persona: personas/qa.md
    permissions:
      allowed_tools: ["Bash(cp *)"]
"""


def fleet_tool_call(name: str, **arguments: object) -> ToolCall:
    return {"name": f"mcp__arch__{name}", "input": arguments}


class RunningFleetCommand:
    """A process of `assent up`, and the owner's client of the server that it started."""

    def __init__(self, sandbox: CommandSandbox, model: ScriptedModel, log: Path) -> None:
        environment = {**sandbox.environment(), **offline_environment(sandbox.home, model.url)}
        self._log = log
        with log.open("w") as file:
            self.process = subprocess.Popen(
                [ASSENT_PROGRAM, "up", "--plain", "--program", str(find_client())],
                cwd=sandbox.root,
                env={**environment, "ENABLE_TOOL_SEARCH": "false"},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
            )
        self._data = sandbox.home / ".local" / "share" / "assent"
        self.client = wait_until(self._find_client)

    def _find_client(self) -> Client | None:
        assert self.process.poll() is None, self.output
        found = find_local_server(str(self._data))
        client = None if found is None else Client(found.url, found.token)
        return client if client is not None and client.is_reachable() else None

    @property
    def output(self) -> str:
        return self._log.read_text()

    def wait_for_question(self) -> Approval:
        """The next open question."""

        def find_question() -> Approval | None:
            assert self.process.poll() is None, self.output
            return next(iter(self.client.approvals()), None)

        return wait_until(find_question)

    def answer_question(self, answer: Answer) -> Approval:
        asked = self.wait_for_question()
        self.client.answer(asked.id, asked.digest, answer)
        return asked

    def wait(self) -> int:
        return wait_until(lambda: self.process.poll() is not None and [self.process.returncode])[0]


@contextmanager
def run_fleet_command(
    sandbox: CommandSandbox, scripts: Mapping[str, Script], tmp_path: Path
) -> Iterator[RunningFleetCommand]:
    require_client()
    with ScriptedModel(scripts) as model:
        up = RunningFleetCommand(sandbox, model, tmp_path / "up.log")
        try:
            yield up
        finally:
            up.client.close()
            if up.process.poll() is None:
                up.process.terminate()
                up.process.wait(60)


def write_fleet(sandbox: CommandSandbox, text: str = FLEET) -> None:
    sandbox.write_file("fleet.yaml", text)
    for name in ("lead", "qa"):
        sandbox.write_file(f"personas/{name}.md", f"You are {name}.")


@pytest.mark.proves("R002-1", "R002-2", "R002-5", "R002-12", "R002-13", "R002-18", "R002-39")
def test_a_fleet_asks_a_person_and_works_in_its_own_worktrees(
    sandbox: CommandSandbox, tmp_path: Path
) -> None:
    write_fleet(sandbox)
    sandbox.write_user_file('deny = ["Bash(touch *)"]\n')
    worktrees = sandbox.root / ".worktrees"
    protected = worktrees / "archie" / "pyrightconfig.json"
    lead: Script = [
        [fleet_tool_call("spawn_agent", role="qa", assignment="SCRIPT:qa")],
        [bash_call("rm -rf yes.txt README.md && make && mkdir made")],
        [bash_call("make -n && mkdir refused")],
        [bash_call("make && mkdir -p kept")],
        [bash_call("make && mkdir -p kept")],
        [bash_call("touch denied-lead")],
        [{"name": "Write", "input": {"file_path": str(protected), "content": "{}"}}],
        [fleet_tool_call("close_project", summary="done")],
        "done",
    ]
    qa: Script = [
        [bash_call("cp README.md copied.txt")],
        [bash_call("cp README.md copied.txt && touch denied-qa")],
        [
            fleet_tool_call(
                "handle_permission_request", tool_name="Bash", input={"command": "ls"}, tool_use_id="x"
            )
        ],
        [fleet_tool_call("report_completion", summary="copied")],
        "done",
    ]
    always = ("Bash(make)", "Bash(mkdir -p kept)")

    with run_fleet_command(sandbox, {"lead": lead, "qa": qa}, tmp_path) as up:
        asked = [
            up.answer_question(Answer(say=Say.ONCE)),
            up.answer_question(Answer(say=Say.DENY, reason="not here")),
            up.answer_question(Answer(say=Say.ALWAYS, rules=always)),
        ]
        status = up.wait()

    assert [(one.call.agent, one.call.args["command"]) for one in asked] == [
        ("archie", "rm -rf yes.txt README.md && make && mkdir made"),
        ("archie", "make -n && mkdir refused"),
        ("archie", "make && mkdir -p kept"),
    ]
    assert status == 0, up.output
    assert (worktrees / "archie" / "made").is_dir()
    assert (worktrees / "archie" / "kept").is_dir()
    assert not (worktrees / "archie" / "refused").exists()
    assert protected.read_text() == "{}"
    assert (worktrees / "qa" / "copied.txt").exists()
    assert sorted(sandbox.root.rglob("denied-*")) == []
    assert "the lead closed the project: done" in up.output


@pytest.mark.usefixtures("require_hosts_option")
def test_over_stdio_a_fleet_asks_a_person_and_its_agents_talk(
    sandbox: CommandSandbox, tmp_path: Path
) -> None:
    write_fleet(sandbox, FLEET + "settings: {mcp_transport: stdio}\n")
    lead: Script = [
        [fleet_tool_call("spawn_agent", role="qa", assignment="SCRIPT:qa")],
        [bash_call("make && mkdir made")],
        [bash_call("make -n && mkdir refused")],
        "I wait.",
        [fleet_tool_call("get_messages")],
        [fleet_tool_call("close_project", summary="done")],
        "done",
    ]
    qa: Script = [[fleet_tool_call("send_message", to="archie", content="look")], "done"]

    with run_fleet_command(sandbox, {"lead": lead, "qa": qa}, tmp_path) as up:
        asked = [
            up.answer_question(Answer(say=Say.ONCE)),
            up.answer_question(Answer(say=Say.DENY, reason="not here")),
        ]
        status = up.wait()

    assert status == 0, up.output
    assert [one.call.args["command"] for one in asked] == ["make && mkdir made", "make -n && mkdir refused"]
    assert (sandbox.root / ".worktrees" / "archie" / "made").is_dir()
    assert not (sandbox.root / ".worktrees" / "archie" / "refused").exists()
    assert "the lead closed the project: done" in up.output


@pytest.mark.usefixtures("require_hosts_option")
@pytest.mark.proves("R002-38")
def test_a_session_of_the_client_is_resumed_with_the_same_gate(
    sandbox: CommandSandbox, tmp_path: Path
) -> None:
    write_fleet(sandbox)
    lead: Script = [
        [fleet_tool_call("spawn_agent", role="qa", assignment="SCRIPT:qa")],
        "I wait.",
        [fleet_tool_call("get_messages")],
        [bash_call("make && mkdir resumed")],
        "done",
    ]
    qa: Script = [
        [bash_call("make && mkdir asked")],
        [fleet_tool_call("send_message", to="archie", content="look")],
        "done",
    ]

    with run_fleet_command(sandbox, {"lead": lead, "qa": qa}, tmp_path) as up:
        wait_until(lambda: "archie ended" in up.output)
        first = up.answer_question(Answer(say=Say.ONCE))
        second = up.answer_question(Answer(say=Say.ONCE))
        status = up.wait()

    assert status == 0, up.output
    assert (first.call.agent, second.call.agent) == ("qa", "archie")
    assert second.call.args["command"] == "make && mkdir resumed"
    assert (sandbox.root / ".worktrees" / "archie" / "resumed").is_dir()
