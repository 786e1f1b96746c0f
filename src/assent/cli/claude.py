"""`assent claude`: start one Claude Code agent whose every call is decided by the server."""

import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from typing import cast

import click

from assent.cli.base.command import requires_extra, run_async
from assent.cli.base.database import database_option, find_database
from assent.cli.base.terminal import visible_text
from assent.cli.dashboard import find_server_and_token
from assent.errors import InputError

with requires_extra("fleet"):
    from assent.hosts.claude.agent_process import agent_environment
    from assent.hosts.claude.command_line import mcp_settings
    from assent.hosts.claude.control import ControlSession
    from assent.hosts.claude.fleet_gate import FleetGate
    from assent.hosts.claude.fleet_server import FleetServer
    from assent.hosts.claude.solo import AGENT_ID, SERVER, SoloAgent, SoloLaunch, Via, solo_command_line

_MAX_LINE_BYTES = 64_000_000
_NO_WORKSPACE = (
    "note: {} is in no workspace, so each read in it asks; register it: "
    f"assent workspace add --agent {AGENT_ID}"
)


@click.command(name="claude", context_settings={"ignore_unknown_options": True})
@click.option(
    "--via",
    type=click.Choice([one.value for one in Via]),
    default=Via.HOOK.value,
    help="how questions reach Assent",
)
@click.option("--program", metavar="PROGRAM", default="claude", help="the program of Claude Code")
@database_option
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def start_agent(via: str, program: str, database: str | None, arguments: tuple[str, ...]) -> int:
    """Start Claude Code with ARGUMENTS (after `--`), behind the server of this user.

    With `--via control` the prompt is read from standard input, and the last text is printed.
    """
    if shutil.which(program) is None:
        raise InputError(f"`{visible_text(program)}` is not installed; name Claude Code with --program")
    url, token = find_server_and_token(find_database(database))
    return run_async(_run_agent(Via(via), program, arguments, FleetGate(url, token)))


async def _run_agent(via: "Via", program: str, arguments: tuple[str, ...], gate: "FleetGate") -> int:
    agent = SoloAgent(gate, via)
    server = FleetServer(agent)
    with tempfile.TemporaryDirectory(prefix="assent-") as directory:
        config = os.path.join(directory, "mcp.json")
        with open(config, "w", encoding="utf-8") as file:
            json.dump(mcp_settings(SERVER, server.url), file)
        launch = SoloLaunch(
            via=via, program=program, address=server.address, mcp_config=config, arguments=arguments
        )
        words = solo_command_line(launch)
        try:
            async with server.running():
                await agent.register(os.getcwd())
                await server.check_discoverable(agent.secret)
                if not await agent.is_in_workspace():
                    click.echo(_NO_WORKSPACE.format(visible_text(os.getcwd())), err=True)
                if via is Via.CONTROL:
                    return await _run_controlled(agent, words)
                process = await asyncio.create_subprocess_exec(
                    *words, env=agent_environment(os.environ, agent.secret)
                )
                return await process.wait()
        finally:
            await agent.remove()
            gate.close()


async def _run_controlled(agent: "SoloAgent", words: list[str]) -> int:
    prompt = sys.stdin.read()
    process = await asyncio.create_subprocess_exec(
        *words,
        env=agent_environment(os.environ, agent.secret),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=_MAX_LINE_BYTES,
    )
    writer, reader = process.stdin, process.stdout
    assert writer is not None  # noqa: S101 - for the type checker
    assert reader is not None  # noqa: S101

    def send_message(message: Mapping[str, object]) -> None:
        if not writer.is_closing():
            writer.write(json.dumps(message).encode() + b"\n")

    async def report_nothing() -> None:
        """Report nothing: the control protocol has no time limit."""

    session = ControlSession(
        lambda call: agent.answer_prompt(AGENT_ID, call, report_nothing, ""),
        send_message,
        lambda note: click.echo(note, err=True),
    )
    session.begin(prompt)
    try:
        async for line in reader:
            if line.startswith(b"{") and session.handle_message(cast("dict[str, object]", json.loads(line))):
                writer.close()
    finally:
        await session.close()
        if process.returncode is None and reader.at_eof() is False:
            process.terminate()
    status = await process.wait()
    click.echo(visible_text(session.result))
    return status
