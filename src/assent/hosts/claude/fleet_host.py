"""A running fleet: the lead, the agents that the lead starts and ends, and their records."""

import asyncio
import json
import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from uuid import uuid4

from assent.client.client import OutcomeKind
from assent.client.local_server import write_private_file
from assent.config.fleet import LEAD_ID, Fleet, FleetAgent
from assent.config.paths import find_home, find_root
from assent.errors import AssentError, InputError, NotFoundError
from assent.gate.preset import Preset
from assent.hosts.claude.agent_calls import AgentCalls, CallingAgent
from assent.hosts.claude.agent_process import AgentProcess, Usage, start_process
from assent.hosts.claude.brief import Brief
from assent.hosts.claude.command_line import Launch, command_line, mcp_settings
from assent.hosts.claude.fleet_gate import AskedCall, FleetGate
from assent.hosts.claude.fleet_server import FleetServer, hook_words, is_same_secret
from assent.hosts.claude.fleet_state import EVERYBODY, AgentRecord, FleetState
from assent.hosts.claude.fleet_tools import Arguments, FleetTool, FleetTools, OnWaiting
from assent.hosts.claude.github import GitHub
from assent.hosts.claude.worktrees import Worktrees

LEAD_PROMPT = "You are the lead of this fleet. Call `get_project_context` first, then do your work."
NEW_MESSAGES_PROMPT = "You have new messages. Call `get_messages`, then continue."
ALWAYS_HINT = 3
"""After this many "always" for one rule the line for the fleet file is printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetPlan:
    """The fleet file, preset, directory and programs that a fleet runs with."""

    fleet: Fleet
    preset: Preset
    directory: str
    """The private directory of this fleet, which survives a restart."""
    program: str = "claude"
    github: str = ""
    """The path of `gh`; empty if it is not installed."""

    @property
    def mcp_config(self) -> str:
        """The absolute path of the MCP configuration."""
        return os.path.join(self.directory, "mcp.json")


@dataclass(slots=True, kw_only=True)
class HostedAgent:
    """An agent that was started in this run."""

    entry: FleetAgent
    calling: CallingAgent
    secret: str
    session: str
    process: AgentProcess | None = None
    watch: "asyncio.Task[None] | None" = None
    announced: int = 0
    """The newest message that it was continued for; one that it ignores does not continue it again."""
    used: Usage = Usage(0, 0.0)
    """What its earlier processes of this run used."""
    is_ending: bool = False

    @property
    def id(self) -> str:
        """The id of the agent, which differs between instances of one entry of the pool."""
        return self.calling.access.id


class FleetHost:
    """All agents of a fleet; it answers their requests and their tools."""

    def __init__(
        self, plan: FleetPlan, gate: FleetGate, state: FleetState, report: Callable[[str], None]
    ) -> None:
        self._plan = plan
        self._gate = gate
        self._state = state
        self._report = report
        self._agents: dict[str, HostedAgent] = {}
        self._started: dict[str, None] = {}
        """The ids of all agents of this run, in the order of their first start."""
        self._worktrees = Worktrees(plan.fleet.repository)
        self._calls = AgentCalls(gate, plan.fleet.server, self._count_always)
        github = GitHub(plan.github, self._worktrees.root, plan.fleet.github) if plan.github else None
        self._tools = FleetTools(state, self, Brief(self._worktrees.root), github)
        self.server = FleetServer(self, plan.fleet.port)
        self.done = asyncio.Event()
        """Set when the lead closed the project, or when no agent runs any more."""

    # ---- the life of the fleet ------------------------------------------------------------------

    async def start(self) -> None:
        """Check that the server works, then start the lead; raises an error if either fails."""
        lead = await self._add_agent(self._plan.fleet.lead, LEAD_ID, "")
        fleet = self._plan.fleet
        settings = mcp_settings(fleet.server, self.server.url, fleet.transport)
        write_private_file(self._plan.mcp_config, json.dumps(settings, indent=2) + "\n")
        await self.server.check_discoverable(lead.secret, fleet.transport)
        await self._launch_agent(lead, self._prompt(lead, lead_prompt(fleet)))

    async def end(self) -> None:
        """End every agent and withdraw its questions; worktrees and records stay."""
        for agent in list(self._agents.values()):
            record = self._state.agent_record(agent.id)
            status = "" if record is None else record.status
            await self._end_agent(agent, status if status in ("done", "error") else "ended")

    def records(self) -> list[AgentRecord]:
        """The records of the agents that were started in this run, the lead first."""
        found = (self._state.agent_record(id) for id in self._started)
        return [one for one in found if one is not None]

    # ---- requests of agents ---------------------------------------------------------------------

    def agent_with_secret(self, secret: str) -> str | None:
        """The agent that has this secret."""
        found = [one.id for one in self._agents.values() if is_same_secret(secret, one.secret)]
        return found[0] if found else None

    def offered_to(self, agent: str) -> list[FleetTool]:
        """The tools of an agent."""
        return self._tools.offered_to(agent)

    async def answer_hook(self, agent: str, data: bytes) -> str:
        """What the hook prints for an event."""
        return await self._calls.answer_hook(self._find_agent(agent).calling, data)

    async def answer_prompt(
        self, agent: str, arguments: Arguments, on_waiting: OnWaiting, caller_id: str
    ) -> str:
        """The reply of the prompt tool."""
        calling = self._find_agent(agent).calling
        return await self._calls.answer_prompt(calling, arguments, on_waiting, caller_id=caller_id)

    async def run_tool(self, agent: str, name: str, arguments: Arguments, on_waiting: OnWaiting) -> str:
        """The result of a tool of the fleet."""
        return await self._tools.run(agent, name, arguments, on_waiting)

    # ---- what the lead can do -------------------------------------------------------------------

    async def spawn(self, role: str, assignment: str, context: str, *, skip: bool) -> Mapping[str, object]:
        """Start an agent of the pool; only the fleet file decides whether it skips permissions."""
        entry = self._plan.fleet.find(role)
        if entry is None:
            known = ", ".join(one.id for one in self._plan.fleet.pool) or "nobody"
            raise InputError(f"there is no `{role}` in the pool; it has {known}")
        id_ = self._unused_id(entry)
        warning = ""
        if skip and not entry.skip_permissions:
            warning = f"skip_permissions of `{role}` is not configured in the fleet file; it is ignored"
            self._report(f"warning: {warning}")
        agent = await self._add_agent(entry, id_, assignment)
        try:
            await self._launch_agent(agent, self._prompt(agent, _assignment_prompt(id_, assignment, context)))
        except AssentError:
            await self._end_agent(agent, "error")
            raise
        return {
            "agent_id": id_,
            "worktree_path": agent.calling.directory,
            "skip_permissions": entry.skip_permissions,
            "status": "spawning",
            **({"warning": warning} if warning else {}),
        }

    async def teardown(self, id: str, reason: str) -> Mapping[str, object]:
        """End an agent and remove its worktree, unless the worktree has changes that are not committed."""
        if id == LEAD_ID:
            raise InputError("the lead ends with `close_project`")
        agent = self._find_agent(id)
        await self._end_agent(agent, f"ended: {reason}" if reason else "ended")
        removed = bool(agent.entry.directory) or await asyncio.to_thread(self._worktrees.remove, id)
        return {"ok": True, "worktree_removed": removed}

    async def ask_person(
        self, tool: str, arguments: Arguments, on_waiting: OnWaiting
    ) -> tuple[OutcomeKind, Arguments, str]:
        """Ask the person a question of the lead; raises an error if a rule decided instead."""
        lead = self._find_agent(LEAD_ID).calling
        call = AskedCall(tool=tool, args=arguments, id=f"fleet-{uuid4().hex}", cwd=lead.directory)
        outcome = await self._gate.ask(lead.access, call, on_waiting)
        if not outcome.approval:
            raise AssentError(f"nobody was asked: {outcome.message or 'a rule decided'}")
        if outcome.kind is OutcomeKind.RUN:
            await self._gate.report_done(lead.access, outcome)
        return outcome.kind, outcome.args, outcome.reason

    async def merge(self, id: str, target: str, on_waiting: OnWaiting) -> Mapping[str, object]:
        """Merge the branch of an agent; the person must agree, unless the file allows automatic merges."""
        record = self._state.agent_record(id)
        if record is None or not record.branch:
            raise NotFoundError("branch of agent", id)
        goal = target or self._worktrees.branch
        if not self._plan.fleet.auto_merge:
            asked = {"branch": record.branch, "target": goal}
            kind, _, words = await self.ask_person("fleet.merge", asked, on_waiting)
            if kind is not OutcomeKind.RUN:
                return {"status": "rejected", "reason": words}
        message = f"Merge {record.branch}: {record.summary or record.assignment or 'work of an agent'}"
        commit = await asyncio.to_thread(self._worktrees.merge, id, goal, message.splitlines()[0][:200])
        return {"status": "approved", "commit": commit}

    async def notify(self, recipient: str) -> None:
        """Continue agents that have ended and have a new message."""
        for agent in list(self._agents.values()):
            if recipient in (agent.id, EVERYBODY) and agent.process is None:
                await self._continue_if_needed(agent)

    def context(self) -> Mapping[str, object]:
        """The project and its agents."""
        fleet = self._plan.fleet
        return {
            "name": fleet.name,
            "description": fleet.description,
            "repo_path": self._worktrees.root,
            "branch": self._worktrees.branch,
            "git_status": self._worktrees.status,
            "pool": [{"role": one.id, "max_instances": one.max_instances} for one in fleet.pool],
            "active_agents": [one.id for one in self._agents.values() if one.process is not None],
        }

    def close(self, summary: str) -> None:
        """End the fleet."""
        self._report(f"the lead closed the project: {summary}")
        self.done.set()

    # ---- agents ---------------------------------------------------------------------------------

    def _find_agent(self, id: str) -> HostedAgent:
        agent = self._agents.get(id)
        if agent is None:
            raise NotFoundError("agent", id)
        return agent

    def _unused_id(self, entry: FleetAgent) -> str:
        running = [one for one in self._agents.values() if one.entry.id == entry.id]
        if len(running) >= entry.max_instances:
            raise InputError(f"`{entry.id}` has {entry.max_instances} instances already")
        if len(self._agents) > self._plan.fleet.max_agents:
            raise InputError(f"the fleet has {self._plan.fleet.max_agents} agents already")
        names = [entry.id, *(f"{entry.id}-{number}" for number in range(2, entry.max_instances + 1))]
        return next(name for name in names if name not in self._agents)

    async def _add_agent(self, entry: FleetAgent, id: str, assignment: str) -> HostedAgent:
        """Register an agent at the server and prepare its directory."""
        branch, directory = "", entry.directory
        if not directory:
            directory, branch = await asyncio.to_thread(self._worktrees.add, id)
        allowed = entry.all_allowed_tools(self._plan.preset, self._plan.fleet.server)
        root = find_root(directory, find_home()) if entry.directory else self._worktrees.root
        access = await self._gate.register(id, allowed, self._plan.fleet.server, root=root)
        if access.workspace_problem:
            self._report(f"reads of {id} in {root} ask, as it is no workspace: {access.workspace_problem}")
        calling = CallingAgent(access=access, directory=directory, skip_permissions=entry.skip_permissions)
        session = str(uuid4())
        agent = HostedAgent(entry=entry, calling=calling, secret=secrets.token_urlsafe(32), session=session)
        self._agents[id] = agent
        self._started[id] = None
        if entry.skip_permissions:
            await self._record_skipped_permissions(agent)
        known = self._state.agent_record(id)
        self._state.save(
            AgentRecord(
                id=id,
                role=entry.id,
                session=session,
                directory=directory,
                branch=branch,
                assignment=assignment,
                progress=None if known is None else known.progress,
            )
        )
        return agent

    async def _record_skipped_permissions(self, agent: HostedAgent) -> None:
        call = AskedCall(
            tool="fleet.skip_permissions",
            args={"agent": agent.id},
            id=f"fleet-{uuid4().hex}",
            cwd=agent.calling.directory,
        )
        await self._gate.record_confirmation(agent.calling.access, call, "typed confirmation at the start")

    async def _launch_agent(self, agent: HostedAgent, prompt: str, *, is_resumed: bool = False) -> None:
        entry, fleet = agent.entry, self._plan.fleet
        launch = Launch(
            program=self._plan.program,
            prefix=entry.command,
            model=entry.model,
            server=fleet.server,
            mcp_config=self._plan.mcp_config,
            allowed_tools=entry.all_allowed_tools(self._plan.preset, fleet.server),
            hook=hook_words(self.server.address),
            persona=entry.persona,
            session=agent.session,
            is_resumed=is_resumed,
            skip_permissions=entry.skip_permissions,
            prompt=prompt,
        )
        words = command_line(launch)
        agent.process = await start_process(
            words, agent.calling.directory, agent.secret, lambda message: self._handle_message(agent, message)
        )
        self._state.change(agent.id, status="working")
        self._report(f"{agent.id} started in {agent.calling.directory}")
        agent.watch = asyncio.create_task(self._watch(agent, agent.process), name=f"assent {agent.id}")

    async def _continue_if_needed(self, agent: HostedAgent) -> bool:
        """Continue an agent that has ended, once for each new message; return whether it was started."""
        newest = self._state.newest_unread(agent.id)
        if agent.is_ending or self.done.is_set() or newest <= agent.announced:
            return False
        agent.announced = newest
        try:
            await self._launch_agent(agent, NEW_MESSAGES_PROMPT, is_resumed=True)
        except AssentError as error:
            self._report(f"{agent.id} cannot be continued: {error}")
            return False
        return True

    async def _watch(self, agent: HostedAgent, process: AgentProcess) -> None:
        """Wait for the end of a process; withdraw its questions, and continue it if it has messages."""
        status = await process.wait()
        agent.process = None
        agent.used = agent.used + process.usage
        agent.calling.forget_calls()
        with suppress(AssentError):
            await self._gate.withdraw_questions(agent.calling.access)
        if agent.is_ending:
            return
        why = f": {process.stderr}" if process.stderr else ""
        self._report(f"{agent.id} ended" + (f" with status {status}{why}" if status else ""))
        if status:
            self._state.change(agent.id, status="error")
            if agent.id != LEAD_ID:
                self._state.add_message(agent.id, LEAD_ID, f"{agent.id} ended unexpectedly: {process.stderr}")
                await self.notify(LEAD_ID)
        else:
            is_continued = await self._continue_if_needed(agent)
            record = self._state.agent_record(agent.id)
            if not is_continued and record is not None and record.status == "working":
                self._state.change(agent.id, status="idle")
        if not any(one.process is not None for one in self._agents.values()):
            self.done.set()

    async def _end_agent(self, agent: HostedAgent, status: str) -> None:
        agent.is_ending = True
        if agent.process is not None:
            await agent.process.end()
        if agent.watch is not None:
            await agent.watch
        with suppress(AssentError):
            await self._gate.remove(agent.calling.access)
        self._state.change(agent.id, status=status)
        self._agents.pop(agent.id, None)

    def _handle_message(self, agent: HostedAgent, message: Mapping[str, object]) -> None:
        if message.get("type") in ("assistant", "result") and agent.process is not None:
            usage = agent.used + agent.process.usage
            self._state.change(agent.id, tokens=usage.tokens, cost=usage.cost)

    def _prompt(self, agent: HostedAgent, text: str) -> str:
        """The prompt, with the progress that the agent saved before a restart."""
        record = self._state.agent_record(agent.id)
        if record is None or not record.progress:
            return text
        return f"{text}\n\nBefore the restart you saved this:\n{json.dumps(asdict(record)['progress'])}"

    def _count_always(self, agent: str, rule: str) -> None:
        if self._state.count_always(rule) == ALWAYS_HINT:
            entry = self._agents[agent].entry.id
            self._report(
                f"you answered always to `{rule}` {ALWAYS_HINT} times; to keep it, add this line to"
                f" permissions.allowed_tools of `{entry}` in {self._plan.fleet.path}:\n"
                f"        - {json.dumps(rule)}"
            )


def lead_prompt(fleet: Fleet) -> str:
    """The first prompt of the lead."""
    about = [text for text in (fleet.name, fleet.description) if text]
    return "\n\n".join((LEAD_PROMPT, *about))


def _assignment_prompt(id: str, assignment: str, context: str) -> str:
    more = f"\n\n{context}" if context else ""
    return (
        f"You are the agent `{id}`. Your assignment:\n{assignment}{more}\n\n"
        "Report your status, ask `archie` if something is unclear, and call `report_completion` at the end."
    )
