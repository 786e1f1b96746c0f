"""Decides the calls of a fleet's agents: for the hook, which sees every call, and for the prompt tool.

The hook submits a call and never waits. If the server asks a person, the hook answers `ask`; then the client
calls the prompt tool with the same call id, which is the same question, and the prompt tool waits.
"""

import asyncio
import itertools
import json
import os
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast

from assent.client.client import Outcome, OutcomeKind
from assent.config.files import open_without_links
from assent.config.paths import find_home
from assent.engine.base.sentences import to_model_message
from assent.engine.base.tool import Call
from assent.engine.policy.verdict import Stage, Verdict
from assent.errors import AssentError, InputError
from assent.gate.access import SubAgent
from assent.gate.ids import new_id
from assent.hosts.claude.command_line import prompt_tool_name
from assent.hosts.claude.fleet_gate import AskedCall, FleetGate, OnWaiting, RegisteredAgent
from assent.hosts.claude.permission_reply import deny_reply, hook_reply, prompt_reply, refusal_text
from assent.hosts.hook.claude import (
    ASK_TOOL,
    PLAN_TOOL,
    HookEvent,
    HookEventKind,
    allowing_reply,
    is_plan_file,
    read_event,
    to_bash_call,
)

_STOPPING_STAGES = (Stage.BREAKER, Stage.UNREADABLE, Stage.UNRESOLVED, Stage.PAUSED)
"""What stops a call of an agent that skips permissions: a call that cannot be read may be a denied one."""
_MAX_SEEN = 500
"""How many calls of the hook are kept for the prompt tool."""


@dataclass(slots=True, kw_only=True)
class SeenCall:
    """The facts of a call that only its hook event contains: the directory and the sub-agent."""

    cwd: str
    sub_agents: tuple[SubAgent, ...] = ()
    nonce: str = field(default_factory=new_id)
    """Lets the renewals and the prompt tool claim the call as one caller."""
    renewal: "asyncio.Task[None] | None" = None
    """Keeps the question open until the prompt tool waits for it."""

    def stop_renewal(self) -> None:
        """Stop keeping the question open."""
        if self.renewal is not None:
            self.renewal.cancel()
            self.renewal = None


@dataclass(slots=True, kw_only=True)
class CallingAgent:
    """An agent that makes calls, and the last calls that its hook saw."""

    access: RegisteredAgent
    directory: str
    skip_permissions: bool = False
    seen: OrderedDict[str, SeenCall] = field(default_factory=OrderedDict[str, SeenCall])
    """The calls that the hook saw, by call id."""
    plan_file: str = ""
    """The file in which the client keeps the agent's plan."""
    allowed: "OrderedDict[str, AskedCall]" = field(default_factory=OrderedDict[str, "AskedCall"])
    """The calls that a person allowed through the hook, as they run, by call id."""

    def record_event(self, event: HookEvent) -> SeenCall:
        """Record the call of an event for the prompt tool; a repeated event returns the same call."""
        call = self.seen.setdefault(event.call_id, SeenCall(cwd=event.cwd, sub_agents=_sub_agents(event)))
        while len(self.seen) > _MAX_SEEN:
            self.seen.popitem(last=False)[1].stop_renewal()
        return call

    def forget_calls(self) -> None:
        """Forget all calls, because the process that made them has ended."""
        for call in self.seen.values():
            call.stop_renewal()
        self.seen.clear()
        self.allowed.clear()

    def allow(self, call: AskedCall) -> None:
        """Keep a call that a person allowed, for the check that the client makes itself."""
        self.allowed[call.id] = call
        while len(self.allowed) > _MAX_SEEN:
            self.allowed.popitem(last=False)

    def take_allowed(self, event: HookEvent) -> bool:
        """Whether a person allowed the same call; each yes counts once."""
        wanted = (event.tool, event.args, event.cwd, _sub_agents(event))
        for id_, call in self.allowed.items():
            if (call.tool, call.args, call.cwd, call.sub_agents) == wanted:
                del self.allowed[id_]
                return True
        return False


class AgentCalls:
    """Answers the hook and the prompt tool of all agents of a fleet."""

    def __init__(self, gate: FleetGate, server: str, on_always: Callable[[str, str], None]) -> None:
        self._gate = gate
        self._prompt_tool = prompt_tool_name(server)
        self._on_always = on_always
        """Is called with the agent and each rule that an "always" wrote."""

    async def answer_hook(self, agent: CallingAgent, data: bytes, *, waits: bool = False) -> str:
        """What the hook prints for an event; empty leaves the decision to the client.

        With `waits`, the hook itself waits for a person, because nobody else would ask. Raises `AssentError`
        for an event that cannot be read, and if the server does not answer.
        """
        event = read_event(data)
        if waits and event.kind is HookEventKind.PERMISSION_REQUEST:
            # The client asks about some calls itself; a call that only rules or a mode allowed stays its own.
            return allowing_reply(event.kind).out if agent.take_allowed(event) else ""
        if event.kind is not HookEventKind.PRE_TOOL_USE:
            raise InputError(f"the hook of a fleet takes only {HookEventKind.PRE_TOOL_USE} events")
        if event.tool == self._prompt_tool:
            return hook_reply("deny", "this tool is for Claude Code itself; call the tool that you need")
        if agent.skip_permissions:
            seen = SeenCall(cwd=event.cwd, sub_agents=_sub_agents(event))
            return await self._decide_without_asking(
                agent, _to_asked_call(event.tool, event.args, event.call_id, seen)
            )
        seen = agent.record_event(event)
        call = _to_asked_call(event.tool, event.args, event.call_id, seen)
        if is_plan_file(event, find_home()):
            # The client lets the model write its plan; only a deny rule or a breaker stops it.
            agent.plan_file = str(event.args["file_path"])
            return await self._decide_without_asking(agent, call)
        decided = await self._strictest_call(agent, call)
        outcome = await (
            self._gate.ask(agent.access, decided, _report_nothing)
            if waits
            else self._gate.submit(agent.access, decided)
        )
        outcome = _with_args_of(call, decided, outcome)
        if outcome.kind is OutcomeKind.WAIT and seen.renewal is None:
            renewals = self._gate.keep_open(agent.access, outcome.approval, call.nonce)
            seen.renewal = asyncio.create_task(renewals, name=f"assent question {outcome.approval}")
        if waits and outcome.kind is OutcomeKind.RUN and await self._gate.has_own_answer(outcome.approval):
            agent.allow(replace(call, args=outcome.args or call.args))
        match outcome.kind:
            case OutcomeKind.RUN:
                return _allowing_reply(call, outcome)
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
            call = self._read_prompt_arguments(agent, arguments)
            if caller_id not in ("", call.id):
                return deny_reply("only Claude Code itself may call this tool")
            if call.tool == self._prompt_tool or agent.skip_permissions:
                return deny_reply("nobody can be asked about this call")
            if (seen := agent.seen.get(call.id)) is not None:
                seen.stop_renewal()
            decided = await self._strictest_call(agent, call)
            outcome = _with_args_of(call, decided, await self._gate.ask(agent.access, decided, on_waiting))
            if outcome.kind is OutcomeKind.RUN and call.tool in PERSON_TOOLS:
                return await self._ask_in_words(agent, call, on_waiting)
        except AssentError as error:
            return deny_reply(f"Assent could not decide this call: {error}")
        for one in outcome.remembered:
            self._on_always(agent.access.id, one.rule)
        return prompt_reply(outcome, call.args, asked=bool(outcome.approval))

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

    async def _strictest_call(self, agent: CallingAgent, call: AskedCall) -> AskedCall:
        """The call, or the call of `Bash` that does the same, if the rules are stricter about that one."""
        calls = _equal_calls(call)
        if len(calls) == 1:
            return call
        verdicts = [(await self._gate.decide(agent.access, one)).verdict for one in calls]
        return calls[verdicts.index(max(verdicts))]

    async def _decide_without_asking(self, agent: CallingAgent, call: AskedCall) -> str:
        """Decide a call of an agent that skips permissions: only what must be stopped is denied."""
        for one in _equal_calls(call):
            decision = await self._gate.decide(agent.access, one)
            # The first stage decides among equal verdicts, so another one may stand behind it.
            stop = next((step for step in decision.steps if step.stage in _STOPPING_STAGES), None)
            if stop is not None or decision.verdict not in (Verdict.RUN, Verdict.ASK):
                return hook_reply(
                    "deny", f"Assent denies this: {to_model_message((stop or decision).reason)}"
                )
        return ""

    def _read_prompt_arguments(self, agent: CallingAgent, arguments: Mapping[str, object]) -> AskedCall:
        tool, args, id_ = (arguments.get(name) for name in ("tool_name", "input", "tool_use_id"))
        if not isinstance(tool, str) or not isinstance(args, dict) or not isinstance(id_, str) or not id_:
            raise InputError("the prompt tool takes `tool_name`, `input` and `tool_use_id`")
        seen = agent.seen.get(id_) or SeenCall(cwd=agent.directory)
        return _to_asked_call(tool, cast("dict[str, object]", args), id_, seen)


def _allowing_reply(call: AskedCall, outcome: Outcome) -> str:
    """What the hook prints for a call that runs: with the arguments of the person who edited it."""
    edited = outcome.args if outcome.approval and outcome.args and outcome.args != call.args else None
    if edited is not None and call.tool in PERSON_TOOLS:
        # The client would take the input of a hook as the person's answer.
        return hook_reply("deny", f"Assent denies this: `{call.tool}` cannot be edited here")
    return hook_reply("allow", "Assent allows this", edited=edited)


def _equal_calls(call: AskedCall) -> list[AskedCall]:
    """The call, and the call of `Bash` that does the same: rules for `Bash` also apply to it."""
    bash = to_bash_call(Call(tool=call.tool, args=call.args))
    return [call] if bash is None else [call, replace(call, tool=bash.tool, args=bash.args)]


def _with_args_of(call: AskedCall, decided: AskedCall, outcome: Outcome) -> Outcome:
    """The outcome with all arguments of the call, also if the call of `Bash` was decided, which has fewer."""
    if decided.tool == call.tool or not outcome.args:
        return outcome
    return replace(outcome, args={**call.args, "command": outcome.args.get("command", "")})


def _to_asked_call(tool: str, args: Mapping[str, object], id: str, seen: SeenCall) -> AskedCall:
    return AskedCall(tool=tool, args=args, id=id, cwd=seen.cwd, sub_agents=seen.sub_agents, nonce=seen.nonce)


def _sub_agents(event: HookEvent) -> tuple[SubAgent, ...]:
    """The sub-agent that makes the call of an event; only hook events name it."""
    return (SubAgent(event.agent_id, event.agent_type),) if event.agent_id else ()


async def _report_nothing() -> None:
    """Report no progress while a hook waits: the client gives its hook a long time limit."""


PERSON_TOOLS = frozenset({ASK_TOOL, PLAN_TOOL})
"""The client's tools that need a person's words, not a permission."""
QUESTION_TOOL = "fleet.question"
"""Our tool for a question in words; no rule of a preset allows it, so it asks."""
_MAX_QUESTIONS = 4
_MAX_PLAN_BYTES = 50_000
_YES = frozenset({"", "y", "yes"})

AskInWords = Callable[[Mapping[str, object]], Awaitable[Outcome]]
"""Asks the person one question with `question`, `options` and an empty `answer`."""


class ModelQuestion(NamedTuple):
    """One question of the model."""

    text: str
    options: tuple[str, ...]

    @property
    def arguments(self) -> Mapping[str, object]:
        """The arguments of the call that asks the person."""
        return {"question": self.text, "options": list(self.options), "answer": ""}


async def answer_questions(args: Mapping[str, object], ask: AskInWords) -> str:
    """Ask the person each question, and return the reply of the prompt tool with all answers."""
    answers: dict[str, str] = {}
    for question in read_questions(args):
        words = _answer_words(await ask(question.arguments), otherwise="yes")
        if not words:
            return deny_reply("the person did not answer the question")
        answers[question.text] = words
    return json.dumps({"behavior": "allow", "updatedInput": {**args, "answers": answers}})


async def answer_plan(args: Mapping[str, object], plan: str, ask: AskInWords) -> str:
    """Show the plan to the person: a yes starts the work, and other words go back to the model."""
    text = f"Start the work with this plan?\n\n{plan}" if plan else "Leave plan mode and start the work?"
    outcome = await ask(ModelQuestion(text, ("yes", "no")).arguments)
    words = str(outcome.args.get("answer") or "") if outcome.kind is OutcomeKind.RUN else ""
    if outcome.kind is OutcomeKind.RUN and outcome.approval and words.strip().lower() in _YES:
        return json.dumps({"behavior": "allow", "updatedInput": dict(args)})
    said = words or outcome.reason
    return deny_reply(f"the person does not accept the plan{f': {said}' if said else ''}")


def read_questions(args: Mapping[str, object]) -> tuple[ModelQuestion, ...]:
    """The questions of a call; raises `InputError` if the call has none that can be shown."""
    found = args.get("questions")
    items = cast("list[object]", found) if isinstance(found, list) else []
    questions = tuple(_read_question(item) for item in items)
    if not 1 <= len(questions) <= _MAX_QUESTIONS or len({one.text for one in questions}) < len(questions):
        raise InputError(f"`{ASK_TOOL}` needs one to {_MAX_QUESTIONS} different `questions`")
    return questions


def read_plan(path: str) -> str:
    """The text of a plan file; empty if it cannot be read."""
    try:
        handle = open_without_links(path, os.O_RDONLY)
        with open(handle, "rb") as file:
            data = file.read(_MAX_PLAN_BYTES + 1)
    except OSError:
        return ""
    text = data[:_MAX_PLAN_BYTES].decode(errors="replace")
    return text if len(data) <= _MAX_PLAN_BYTES else f"{text}\n… (the rest of the plan is not shown)"


def _read_question(item: object) -> ModelQuestion:
    fields = cast("Mapping[str, object]", item) if isinstance(item, dict) else dict[str, object]()
    text, options = fields.get("question"), fields.get("options")
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"a question of `{ASK_TOOL}` has no text")
    shown = [_read_option(one) for one in cast("list[object]", options)] if isinstance(options, list) else []
    return ModelQuestion(text, tuple(one for one in shown if one))


def _read_option(option: object) -> str:
    fields = cast("Mapping[str, object]", option) if isinstance(option, dict) else dict[str, object]()
    return str(fields.get("label") or "")


def _answer_words(outcome: Outcome, *, otherwise: str) -> str:
    """The words of an answer, from the edited arguments or the message of a denial; may be empty."""
    if not outcome.approval:
        return ""
    if outcome.kind is OutcomeKind.RUN:
        return str(outcome.args.get("answer") or otherwise)
    return outcome.reason
