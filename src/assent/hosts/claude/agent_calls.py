"""Decides the calls of a fleet's agents: for the hook, which sees every call, and for the prompt tool.

The hook submits a call and never waits. If the server asks a person, the hook answers `ask`; then the client
calls the prompt tool with the same call id, which is the same question, and the prompt tool waits.
"""

import asyncio
import itertools
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

from assent.client.client import Outcome, OutcomeKind
from assent.config.paths import find_home
from assent.errors import AssentError, InputError
from assent.gate.answer import Say
from assent.hosts.claude.command_line import prompt_tool_name
from assent.hosts.claude.fleet_gate import AskedCall, FleetGate, OnWaiting, RegisteredAgent
from assent.hosts.claude.permission_reply import deny_reply, hook_reply, prompt_reply, refusal_text
from assent.hosts.claude.person_questions import (
    PERSON_TOOLS,
    QUESTION_TOOL,
    answer_plan,
    answer_questions,
    read_plan,
)
from assent.hosts.hook.claude import ASK_TOOL, HookEventKind, is_plan_file, read_event

_MAX_REMEMBERED = 500
"""How many directories of calls are remembered for the prompt tool, which does not learn them."""


@dataclass(slots=True, kw_only=True)
class CallingAgent:
    """An agent that makes calls, and the directories of its last calls."""

    access: RegisteredAgent
    directory: str
    skip_permissions: bool = False
    directories: OrderedDict[str, str] = field(default_factory=OrderedDict[str, str])
    """The directory of each call that the hook saw, by call id."""
    plan_file: str = ""
    """The file in which the client keeps the agent's plan."""

    def remember(self, call_id: str, directory: str) -> None:
        """Remember the directory of a call for the prompt tool."""
        self.directories[call_id] = directory
        while len(self.directories) > _MAX_REMEMBERED:
            self.directories.popitem(last=False)


class AgentCalls:
    """Answers the hook and the prompt tool of all agents of a fleet."""

    def __init__(self, gate: FleetGate, server: str, on_always: Callable[[str, str], None]) -> None:
        self._gate = gate
        self._prompt_tool = prompt_tool_name(server)
        self._on_always = on_always
        """Is called with the agent and the rule of each "always"."""

    async def answer_hook(self, agent: CallingAgent, data: bytes, *, waits: bool = False) -> str:
        """What the hook prints for an event; empty leaves the decision to the client.

        With `waits`, the hook itself waits for a person, because nobody else would ask. Raises `AssentError`
        for an event that cannot be read, and if the server does not answer.
        """
        event = read_event(data)
        if event.kind is not HookEventKind.PRE_TOOL_USE:
            raise InputError(f"the hook of a fleet takes only {HookEventKind.PRE_TOOL_USE} events")
        call = AskedCall(tool=event.tool, args=event.args, id=event.call_id, cwd=event.cwd)
        if event.tool == self._prompt_tool:
            return hook_reply("deny", "this tool is for Claude Code itself; call the tool that you need")
        if agent.skip_permissions:
            return await self._answer_unasked(agent, call)
        agent.remember(call.id, call.cwd)
        if is_plan_file(event, find_home()):
            # The client lets the model write its plan; only a deny rule or a breaker stops it.
            agent.plan_file = str(event.args["file_path"])
            return await self._answer_unasked(agent, call)
        outcome = await (
            self._gate.ask(agent.access, call, _nothing) if waits else self._gate.submit(agent.access, call)
        )
        match outcome.kind:
            case OutcomeKind.RUN:
                return hook_reply("allow", "Assent allows this")
            case OutcomeKind.WAIT:
                return hook_reply("ask", "Assent asks a person")
            case OutcomeKind.REFUSE | OutcomeKind.APPLIED:
                return hook_reply("deny", f"Assent denies this: {refusal_text(outcome)}")

    async def answer_prompt(
        self,
        agent: CallingAgent,
        arguments: Mapping[str, object],
        on_waiting: OnWaiting,
        *,
        caller_id: str = "",
    ) -> str:
        """The reply of the prompt tool; every failure is a denial with its reason.

        `caller_id` is the call that the client names in the protocol. A model that calls the tool by itself
        cannot know the id of its own call, so it gets a denial and nobody is asked.
        """
        try:
            call = self._read_prompt(agent, arguments)
            if caller_id not in ("", call.id):
                return deny_reply("only Claude Code itself may call this tool")
            if call.tool == self._prompt_tool or agent.skip_permissions:
                return deny_reply("nobody can be asked about this call")
            outcome = await self._gate.ask(agent.access, call, on_waiting)
            if outcome.kind is OutcomeKind.RUN and call.tool in PERSON_TOOLS:
                return await self._ask_in_words(agent, call, on_waiting)
            always = await self._always_rules(agent, outcome)
        except AssentError as error:
            return deny_reply(f"Assent could not decide this call: {error}")
        return prompt_reply(outcome, call.args, always, asked=bool(outcome.approval))

    async def _ask_in_words(self, agent: CallingAgent, call: AskedCall, on_waiting: OnWaiting) -> str:
        """Ask the person what the model wants to know, or whether its plan may start."""
        numbers = itertools.count(1)

        async def ask(arguments: Mapping[str, object]) -> Outcome:
            question = AskedCall(
                tool=QUESTION_TOOL, args=arguments, id=f"{call.id}-{next(numbers)}", cwd=call.cwd
            )
            outcome = await self._gate.ask(agent.access, question, on_waiting)
            if outcome.kind is OutcomeKind.RUN and outcome.approval:
                await self._gate.report_done(agent.access, outcome)
            return outcome

        if call.tool == ASK_TOOL:
            return await answer_questions(call.args, ask)
        plan = call.args.get("plan")
        text = plan if isinstance(plan, str) else await asyncio.to_thread(read_plan, agent.plan_file)
        return await answer_plan(call.args, text, ask)

    async def _answer_unasked(self, agent: CallingAgent, call: AskedCall) -> str:
        """For an agent that skips permissions: deny rules and breakers deny, all else is the client's."""
        decision = await self._gate.decide(agent.access, call)
        verdict, stage = decision.get("verdict"), decision.get("stage")
        if verdict in ("run", "ask") and stage != "breaker":
            return ""
        return hook_reply("deny", f"Assent denies this: {decision.get('because')}")

    async def _always_rules(self, agent: CallingAgent, outcome: Outcome) -> tuple[str, ...]:
        """The rules that a person's "always" wrote for this call."""
        if outcome.kind is not OutcomeKind.RUN or not outcome.approval:
            return ()
        answer = (await self._gate.approval(outcome.approval)).answer
        if answer is None or answer.say is not Say.ALWAYS or answer.released_by:
            return ()
        for rule in answer.rules:
            self._on_always(agent.access.id, rule)
        return answer.rules

    def _read_prompt(self, agent: CallingAgent, arguments: Mapping[str, object]) -> AskedCall:
        tool, args, id_ = (arguments.get(name) for name in ("tool_name", "input", "tool_use_id"))
        if not isinstance(tool, str) or not isinstance(args, dict) or not isinstance(id_, str) or not id_:
            raise InputError("the prompt tool takes `tool_name`, `input` and `tool_use_id`")
        directory = agent.directories.get(id_, agent.directory)
        return AskedCall(tool=tool, args=cast("dict[str, object]", args), id=id_, cwd=directory)


async def _nothing() -> None:
    """Report nothing while a hook waits; the client has a long time limit for it."""
