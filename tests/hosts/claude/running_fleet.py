"""A repository with a fleet file, a real server that works in it, and a fleet whose client is a small program."""

import asyncio
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
from mcp.client import Client as McpClient
from mcp.client.streamable_http import streamable_http_client

from assent.client.client import Client
from assent.config.fleet import load_fleet
from assent.config.preset import load_preset
from assent.gate.answer import Answer
from assent.gate.approval import Approval
from assent.hosts.claude.fleet_gate import FleetGate
from assent.hosts.claude.fleet_host import FleetHost, FleetPlan
from assent.hosts.claude.fleet_state import FleetState
from tests.serving import RunningServer
from tests.waiting import wait_until_async

FLEET = """
project: {name: Shop, description: A shop}
archie: {persona: lead.md}
agent_pool:
  - id: qa
    persona: qa.md
    permissions: {allowed_tools: ["Bash(cp *)"]}
  - id: bold
    persona: qa.md
    permissions: {skip_permissions: true}
"""
CLIENT = """import json, os, sys, time
with open({log!r}, "a") as file:
    file.write(json.dumps([sys.argv[1:], os.getcwd(), os.environ["ASSENT_FLEET_SECRET"]]) + "\\n")
print(json.dumps({{"type": "assistant", "message": {{"usage": {{"input_tokens": 2, "output_tokens": 3}}}}}}))
print(json.dumps({{"type": "result", "total_cost_usd": 0.5}}), flush=True)
while os.path.exists({stay!r}):
    time.sleep(0.01)
"""
"""A program in place of Claude Code: it writes its command line down, and stays while a file exists."""


def run_git(directory: Path, *words: str) -> str:
    run = subprocess.run(["git", *words], cwd=directory, capture_output=True, text=True, check=True)
    return run.stdout.strip()


def make_repository(root: Path, fleet: str = FLEET) -> None:
    """A repository with one commit, a fleet file and its personas."""
    root.mkdir(parents=True, exist_ok=True)
    run_git(root, "init", "-q", "-b", "main")
    run_git(root, "config", "user.name", "a")
    run_git(root, "config", "user.email", "a@example.com")
    for name, text in {
        "a.txt": "one\n",
        "lead.md": "You lead.",
        "qa.md": "You test.",
        "fleet.yaml": fleet,
    }.items():
        (root / name).write_text(text)
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", "first")


def write_client(directory: Path) -> tuple[Path, Path, Path]:
    """Write the program in place of Claude Code; returns it, its log, and the file that keeps it running."""
    log, stay, program = directory / "clients.log", directory / "stay", directory / "claude"
    stay.touch()
    text = CLIENT.format(log=str(log), stay=str(stay))
    program.write_text(f"#!{sys.executable}\n{text}")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program, log, stay


@dataclass
class RunningFleet:
    """A running fleet with the objects that a test inspects."""

    host: FleetHost
    gate: FleetGate
    state: FleetState
    owner: Client
    root: Path
    log: Path
    stay: Path
    reports: list[str] = field(default_factory=list[str])

    def secret(self, agent: str) -> str:
        return self.host._agents[agent].secret

    @asynccontextmanager
    async def connect_mcp(self, agent: str) -> AsyncIterator[McpClient]:
        """A client of the fleet's MCP server with the secret of an agent."""
        headers = {"Authorization": f"Bearer {self.secret(agent)}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=180) as http,
            McpClient(streamable_http_client(self.host.server.url, http_client=http)) as client,
        ):
            yield client

    async def call_tool(self, agent: str, tool: str, **arguments: object) -> tuple[bool, str]:
        """Call a tool as an agent; returns whether it failed, and the text."""
        async with self.connect_mcp(agent) as client:
            result = await client.call_tool(tool, dict(arguments))
        (block,) = result.content
        assert result.structured_content is None
        return bool(result.is_error), str(getattr(block, "text", ""))

    async def wait_for_question(self, tool: str) -> Approval:
        """The open question about a tool."""

        async def find_question() -> Approval | None:
            pending = await asyncio.to_thread(lambda: list(self.owner.approvals(state="pending")))
            return next((one for one in pending if one.call.tool == tool), None)

        return await wait_until_async(find_question)

    async def answer_question(self, tool: str, answer: Answer) -> Approval:
        asked = await self.wait_for_question(tool)
        await asyncio.to_thread(self.owner.answer, asked.id, asked.digest, answer)
        return asked


@asynccontextmanager
async def run_fleet(
    server: RunningServer, root: Path, tmp_path: Path, **changes: object
) -> AsyncIterator[RunningFleet]:
    """Start the fleet of the file in a repository; its clients stay until the end."""
    program, log, stay = write_client(tmp_path)
    values: Mapping[str, object] = {
        "fleet": load_fleet(str(root / "fleet.yaml")),
        "preset": load_preset("fleet"),
        "directory": str(tmp_path),
        "program": str(program),
        **changes,
    }
    gate, state, reports = FleetGate(server.url, server.token), FleetState(str(tmp_path)), list[str]()
    host = FleetHost(FleetPlan(**values), gate, state, reports.append)  # type: ignore[arg-type]
    try:
        async with host.server.running():
            await host.start()
            try:
                yield RunningFleet(host, gate, state, server.client(), root, log, stay, reports)
            finally:
                await host.end()
    finally:
        stay.unlink(missing_ok=True)
        gate.close()
        state.close()
