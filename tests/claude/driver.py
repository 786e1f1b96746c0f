"""Runs the real Claude Code client offline, on a script of tool calls, in a throw-away project and home."""

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from tools.claude_client import (
    OPENING,
    ClientMissingError,
    client_command,
    find_client,
    offline_environment,
)
from tools.scripted_model import Json, Script, ScriptedModel, ToolCall


@dataclass(frozen=True)
class Question:
    """A question of the client's own prompt."""

    tool: str
    input: Mapping[str, object]
    reason: str
    kind: str
    """What made the client ask, such as `hook` or `rule`."""


@dataclass(frozen=True)
class ToolResult:
    """The result of one call, as the model got it."""

    is_error: bool
    text: str


@dataclass
class ClientRun:
    """What happened in one run of the client."""

    questions: list[Question] = field(default_factory=list[Question])
    results: list[ToolResult] = field(default_factory=list[ToolResult])
    requests: list[Json] = field(default_factory=list[Json])
    """What the client sent to the model."""
    errors: str = ""
    status: int = 0

    @property
    def asked_tools(self) -> list[str]:
        """The tool of each question, with the first value of its input."""
        return [f"{each.tool}({next(iter(each.input.values()), '')})" for each in self.questions]


@dataclass(frozen=True)
class Client:
    """The client in one project, with one home directory."""

    project: Path
    home: Path
    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    sessions: "list[_ClientSession]" = field(default_factory=list["_ClientSession"])

    def run(
        self,
        script: Script | Sequence[ToolCall],
        *arguments: str,
        answer: Callable[[Question], bool | None] | None = None,
        others: Mapping[str, Script] | None = None,
    ) -> ClientRun:
        """Run a script; each call is one turn, unless the script defines turns.

        With `answer`, the client's prompts are answered through its control protocol (None leaves a prompt
        open, for a hook to answer); without, the client is headless. `others` are the scripts of sub-agents.
        """
        turns: Script = [
            *([call] if isinstance(call, dict) else cast("Sequence[ToolCall] | str", call) for call in script)
        ]
        with ScriptedModel({"main": turns, **(others or {})}) as model:
            session = _ClientSession(self, model.url, arguments, answer)
            self.sessions.append(session)
            run = session.run()
        run.requests = model.requests
        return run

    def kill(self) -> None:
        """Kill the client that runs, as a crash does."""
        self.sessions[-1].kill()

    def environment(self, url: str) -> dict[str, str]:
        """The environment variables of the client; only `PATH` is from the current environment."""
        return {**offline_environment(self.home, url), "ENABLE_TOOL_SEARCH": "false", **self.environ}


def require_client() -> None:
    """Without the client, fail in CI and skip the test elsewhere; the reason tells how to install the client."""
    try:
        find_client()
    except ClientMissingError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(str(error))
        pytest.skip(str(error))


def bash_call(command: str) -> ToolCall:
    """A call of the client's tool `Bash`."""
    return {"name": "Bash", "input": {"command": command, "description": "x"}}


class _ClientSession:
    """One process of the client, and the messages exchanged with it."""

    def __init__(
        self,
        client: Client,
        url: str,
        arguments: Sequence[str],
        answer: Callable[[Question], bool | None] | None,
    ) -> None:
        self._answer = answer
        self._run = ClientRun()
        require_client()
        command = client_command(*arguments, prompts=answer is not None)
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - `run` closes it
        self._process = subprocess.Popen(
            command,
            cwd=client.project,
            env=client.environment(url),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )

    def kill(self) -> None:
        self._process.kill()

    def run(self) -> ClientRun:
        with self._process, self._errors:
            try:
                for message in OPENING:
                    self._send_message(message)
                self._read_messages()
                self._run.status = self._process.wait()
            finally:
                self._process.kill()
            self._errors.seek(0)
            self._run.errors = self._errors.read()
        return self._run

    def _read_messages(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):
                self._handle_message(cast("Json", json.loads(line)))

    def _handle_message(self, message: Json) -> None:
        match message["type"]:
            case "control_request":
                self._handle_request(message)
            case "user":
                self._record_results(cast("Json", message["message"]), message.get("parent_tool_use_id"))
            case "result":
                assert self._process.stdin is not None
                self._process.stdin.close()
            case _:
                pass

    def _handle_request(self, message: Json) -> None:
        request = cast("dict[str, str]", message["request"])
        if request["subtype"] != "can_use_tool" or self._answer is None:
            return
        question = Question(
            tool=request["tool_name"],
            input=cast("Mapping[str, object]", request["input"]),
            reason=request.get("decision_reason") or "",
            kind=request.get("decision_reason_type") or "",
        )
        self._run.questions.append(question)
        said = self._answer(question)
        if said is None:
            return
        answer: Json = (
            {"behavior": "allow", "updatedInput": question.input}
            if said
            else {"behavior": "deny", "message": "the person said no"}
        )
        self._send_message({"type": "control_response", "response": {
            "subtype": "success", "request_id": message["request_id"], "response": answer}})  # fmt: skip

    def _record_results(self, message: Json, parent: object) -> None:
        content = message.get("content")
        if parent is not None or not isinstance(content, list):
            return
        for block in cast("Iterable[Json]", content):
            if block.get("type") == "tool_result":
                text = block.get("content")
                shown = text if isinstance(text, str) else json.dumps(text)
                self._run.results.append(ToolResult(bool(block.get("is_error")), shown))

    def _send_message(self, message: Mapping[str, object]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
