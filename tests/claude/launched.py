"""An agent that `assent claude` started, with the real client, and a person who answers its questions."""

import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assent.gate.answer import Answer
from assent.gate.approval import Approval
from tests.claude.driver import require_client
from tests.cli.running import ASSENT_PROGRAM
from tests.serving import RunningServer, server
from tools.claude_client import find_client, offline_environment
from tools.scripted_model import Script, ScriptedModel

VIAS = ("hook", "control", "prompt-tool")
POLICY = 'deny = ["Bash(touch *)"]\n'
Decide = Callable[[Approval], Answer]
"""The person's answer to a question."""


@dataclass
class AgentRun:
    """What happened in one run of an agent."""

    asked: list[Approval]
    """The questions, in the order in which they came."""
    messages: list[Any]
    """The conversation that the model got at the end."""
    log: str
    """What the command and the client printed."""

    @property
    def results(self) -> list[str]:
        """What the model got back for each call."""
        return [
            str(block["content"])
            for message in self.messages
            if message["role"] == "user" and isinstance(message["content"], list)
            for block in message["content"]
            if block["type"] == "tool_result"
        ]


@dataclass(frozen=True, kw_only=True)
class LaunchedAgent:
    """How an agent is started: `via` is the way in which its questions reach the server."""

    base: Path
    via: str
    policy: str = POLICY
    environ: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def project(self) -> Path:
        return self.base / "project"

    def run(
        self,
        scripts: Mapping[str, Script],
        decide: Decide,
        words: Sequence[str] = (),
        *,
        files: Mapping[str, str] | None = None,
    ) -> AgentRun:
        """Run the script `main` to its end; each question is answered as soon as it is there."""
        require_client()
        self._write_policy()
        log = self.base / "out.log"
        with server(self.base, name="assent") as running, ScriptedModel(scripts) as model:
            for name, text in (files or {}).items():
                (self.project / name).parent.mkdir(parents=True, exist_ok=True)
                (self.project / name).write_text(text, "utf-8")
            with log.open("w") as out:
                process = subprocess.Popen(
                    [*self._command(running), *words],
                    cwd=self.project,
                    env=self._environment(model.url),
                    stdin=subprocess.PIPE,
                    stdout=out,
                    stderr=out,
                    text=True,
                )
            try:
                asked = self._answer_questions(process, running, decide)
            finally:
                process.kill()
                process.wait()
        assert process.returncode == 0, log.read_text()
        return AgentRun(asked, list(model.requests[-1]["messages"]), log.read_text())  # type: ignore[call-overload]

    def _answer_questions(
        self, process: "subprocess.Popen[str]", running: RunningServer, decide: Decide
    ) -> list[Approval]:
        owner, ended = running.client(), threading.Event()
        asked: list[Approval] = []
        assert process.stdin is not None
        process.stdin.write("SCRIPT:main" if self.via == "control" else "")
        process.stdin.close()
        while process.poll() is None:
            for one in owner.approvals(state="pending"):
                asked.append(one)
                owner.answer(one.id, one.digest, decide(one))
            ended.wait(0.05)
        return asked

    def _command(self, running: RunningServer) -> list[str]:
        prompt = [] if self.via == "control" else ["-p", "SCRIPT:main"]
        return [
            ASSENT_PROGRAM, "claude", "--via", self.via, "--program", str(find_client()),
            "--database", str(running.data / "assent.db"), "--", *prompt,
        ]  # fmt: skip

    def _environment(self, url: str) -> dict[str, str]:
        return {
            **offline_environment(self.base, url),
            "XDG_CONFIG_HOME": str(self.base / "config"),
            "XDG_DATA_HOME": str(self.base / "data"),
            "ENABLE_TOOL_SEARCH": "false",
            **self.environ,
        }

    def _write_policy(self) -> None:
        file = self.base / "config" / "assent" / "config.toml"
        file.parent.mkdir(parents=True, mode=0o700)
        file.parent.chmod(0o700)
        file.write_text(self.policy)
        file.chmod(0o600)
