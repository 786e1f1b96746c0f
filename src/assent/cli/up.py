"""`assent up`: start the fleet of a fleet file, and serve its requests until it ends."""

import asyncio
import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial

import click

from assent.cli.base.command import requires_extra, run_async
from assent.cli.base.database import database_option, find_database
from assent.cli.base.decider import current_config_paths
from assent.cli.base.terminal import visible_text
from assent.cli.dashboard import is_accessible
from assent.client.client import Client
from assent.client.local_server import LocalServer, find_local_server, without_password
from assent.config.files import make_private_directory
from assent.config.preset import load_preset
from assent.errors import AssentError, InputError

with requires_extra("fleet"):
    from assent.config.fleet import LEAD_ID, Fleet, FleetAgent, find_fleet_file, load_fleet
    from assent.hosts.claude.command_line import Launch, command_line
    from assent.hosts.claude.fleet_gate import FleetGate
    from assent.hosts.claude.fleet_host import FleetHost, FleetPlan, lead_prompt
    from assent.hosts.claude.fleet_server import hook_words
    from assent.hosts.claude.fleet_state import FleetState
    from assent.hosts.claude.github import find_gh

CONFIRMATION = "skip"
"""The word that confirms agents which skip permissions."""
_SERVER_SECONDS = 30.0
"""How long a server that we start may take until it replies."""


@click.command(name="up")
@click.argument("file", required=False)
@click.option("--dry-run", is_flag=True, help="print the command line of each agent and start nothing")
@click.option("--program", metavar="PROGRAM", default="claude", help="the program of Claude Code")
@click.option("--plain", is_flag=True, help="print lines instead of the dashboard")
@database_option
def start_fleet(file: str | None, *, dry_run: bool, program: str, plain: bool, database: str | None) -> None:
    """Start the fleet of FILE, by default fleet.yaml or arch.yaml, and wait until it ends.

    Agents ask through the server of this user; without one, a server is started in the repository.
    """
    fleet = load_fleet(file or find_fleet_file(os.getcwd()))
    plan = FleetPlan(
        fleet=fleet,
        preset=load_preset("fleet"),
        directory=_fleet_directory(fleet),
        program=program,
        github=find_gh(),
    )
    if dry_run:
        for agent in fleet.agents:
            click.echo(f"# {agent.id}\n{shlex.join(command_line(_example_launch(plan, agent)))}")
        return
    if shutil.which(program) is None:
        raise InputError(f"`{visible_text(program)}` is not installed; name Claude Code with --program")
    for key in fleet.ignored:
        click.echo(f"note: `{key}` in {visible_text(fleet.path)} has no effect", err=True)
    _confirm_skipping(fleet)
    # Each by itself, because only the last directory would get the private mode.
    for directory in (current_config_paths().data, os.path.dirname(plan.directory), plan.directory):
        make_private_directory(directory)
    address = find_database(database)
    address = address if "://" in address else os.path.abspath(address)
    with _use_or_start_server(address, plan) as (url, token):
        run_async(_run_fleet(plan, url, token, with_dashboard=not plain and _can_show_dashboard()))


async def _run_fleet(plan: FleetPlan, url: str, token: str, *, with_dashboard: bool) -> None:
    log: list[str] = []
    report: Callable[[str], None] = log.append if with_dashboard else partial(click.echo, err=True)
    gate = FleetGate(url, token, plan.fleet.answer_seconds)
    state = FleetState(plan.directory)
    try:
        host = FleetHost(
            plan, gate, state, lambda text: report("\n".join(map(visible_text, text.split("\n"))))
        )
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, host.done.set)
        async with host.server.running():
            try:
                await host.start()
                if with_dashboard:
                    await _show_dashboard(url, token, host)
                else:
                    click.echo("the fleet runs; answer its questions with `assent dashboard`", err=True)
                await host.done.wait()
            finally:
                await host.end()
        lead = state.agent_record(LEAD_ID)
        if lead is not None and lead.status == "error":
            raise AssentError("the lead ended with an error")
    finally:
        gate.close()
        _print_summary(state)
        state.close()
        for line in log:
            click.echo(line, err=True)


async def _show_dashboard(url: str, token: str, host: "FleetHost") -> None:
    """Show the dashboard until the person leaves it, which ends the fleet, or until the fleet ends."""
    with requires_extra("tui"):
        from assent.surfaces.tui.app import DashboardApp
        from assent.surfaces.tui.overview import AgentUsage

    def agent_usage() -> "dict[str, AgentUsage]":
        return {
            one.id: AgentUsage(state=_state_text(one.status), task=one.task, tokens=one.tokens, cost=one.cost)
            for one in host.records()
        }

    app = DashboardApp(url, token, usage=agent_usage)
    showing = asyncio.create_task(app.run_async())
    ending = asyncio.create_task(host.done.wait())
    await asyncio.wait({showing, ending}, return_when=asyncio.FIRST_COMPLETED)
    if not showing.done():
        app.exit()
    await showing
    ending.cancel()
    host.done.set()


def _state_text(status: str) -> str:
    """The state of an agent in the dashboard, by the status of its record."""
    word = status.partition(":")[0]
    known = {"starting": "working", "working": "working", "done": "done", "ended": "done", "error": "failed"}
    return known.get(word, "idle")


def _print_summary(state: "FleetState") -> None:
    for record in state.records():
        cost = f"${record.cost:.2f}" if record.cost else "no cost reported"
        click.echo(f"{record.id:<16} {record.status}, {record.tokens} tokens, {cost}")


def _example_launch(plan: "FleetPlan", agent: "FleetAgent") -> "Launch":
    """The launch of an agent; words in capitals stand for what is known only at its start."""
    return Launch(
        program=plan.program,
        prefix=agent.command,
        model=agent.model,
        server=plan.fleet.server,
        mcp_config=plan.mcp_config,
        allowed_tools=agent.all_allowed_tools(plan.preset, plan.fleet.server),
        hook=hook_words("127.0.0.1:PORT"),
        persona=agent.persona,
        session="SESSION",
        skip_permissions=agent.skip_permissions,
        prompt=lead_prompt(plan.fleet) if agent.id == LEAD_ID else "ASSIGNMENT",
    )


def _confirm_skipping(fleet: "Fleet") -> None:
    """Ask for a typed word if agents skip permissions; everything else, and the end of input, is a no."""
    names = [agent.id for agent in fleet.agents if agent.skip_permissions]
    if not names:
        return
    click.echo(f"These agents run with --dangerously-skip-permissions: {', '.join(names)}.", err=True)
    click.echo("Only deny rules and breakers stop their calls; nobody is asked.", err=True)
    click.echo(f"Type {CONFIRMATION} to start them: ", nl=False, err=True)
    if sys.stdin.readline().strip().lower() != CONFIRMATION:
        raise AssentError("not confirmed; nothing was started")


def _fleet_directory(fleet: "Fleet") -> str:
    """The directory in which this repository's fleet keeps its messages and records."""
    name = hashlib.sha256(os.path.realpath(fleet.repository).encode()).hexdigest()[:16]
    return os.path.join(os.path.abspath(current_config_paths().data), "fleet", name)


def _can_show_dashboard() -> bool:
    """Whether there is a terminal, and the person has not asked for plain lines."""
    return sys.stdin.isatty() and sys.stdout.isatty() and not is_accessible()


@contextmanager
def _use_or_start_server(address: str, plan: "FleetPlan") -> Generator[tuple[str, str]]:
    """Yield the address and the owner's token of the running server; without one, run a server meanwhile."""
    found = _find_running_server(address)
    if found is not None:
        yield found.url, found.token
        return
    program = "import sys; from assent.cli import main; sys.exit(main(sys.argv[1:]))"
    words = ("serve", "--port", "0", "--json", "--database", address)
    with open(os.path.join(plan.directory, "server.log"), "a", encoding="utf-8") as log:
        process = subprocess.Popen(  # noqa: S603 - the words are ours
            [sys.executable, "-c", program, *words],
            cwd=plan.fleet.repository,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
            text=True,
        )
    try:
        yield _wait_for_server(process, address, log.name)
    finally:
        process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_SERVER_SECONDS)
        process.kill()


def _wait_for_server(process: "subprocess.Popen[str]", address: str, log: str) -> tuple[str, str]:
    """Read the line that a server prints when it listens."""
    assert process.stdout is not None  # noqa: S101 - for the type checker
    line = process.stdout.readline()
    if not line:
        raise AssentError(f"the server did not start, and no agent; {log} shows why")
    told = json.loads(line)
    found = _find_running_server(address)
    token = told.get("owner_token") or (found.token if found else "")
    if not token:
        raise AssentError("the server started without access for its owner; no agent was started")
    return str(told["url"]), str(token)


def _find_running_server(address: str) -> LocalServer | None:
    is_path = "://" not in address
    database = os.path.abspath(address) if is_path else without_password(address)
    beside = [os.path.dirname(database)] if is_path else []
    for directory in dict.fromkeys([current_config_paths().data, *beside]):
        server = find_local_server(directory)
        if server is None or server.database != database or not server.token:
            continue
        with Client(server.url, server.token, tries=1) as client:
            if client.is_reachable():
                return server
    return None
