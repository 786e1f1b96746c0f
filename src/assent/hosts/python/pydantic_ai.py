"""The gate for Pydantic AI agents: a capability for function tools, MCP tools and sub-agents."""

import hashlib
import logging
from collections.abc import AsyncGenerator, Collection, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache, wraps
from threading import Thread
from typing import Any, NamedTuple, cast

from pydantic_ai import Agent, ApprovalRequired, RunContext, ToolDenied
from pydantic_ai.agent import AbstractAgent, WrapperAgent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import ToolDefinition

from assent.engine.base.tool import Call, Effect, Tool, parse_effect
from assent.gate.calls import Applied, Outcome, Refuse, Run, Wait
from assent.gate.catalog import DeclaredTool, TrustLevel
from assent.gate.gate import TurnOptions
from assent.gate.preset import Delivery
from assent.gate.turn import Turn
from assent.hosts.python.host import DEFAULT_AGENT, Host

_log = logging.getLogger("assent.pydantic_ai")


class _ActiveGate(NamedTuple):
    """The gate settings of the current run, which also apply to agents that it starts."""

    capability: type[AbstractCapability[Any]]
    """A run is gated if it has a capability of this type."""
    ungated: Collection[str]


_active_gate: ContextVar[_ActiveGate | None] = ContextVar("assent gate of a run", default=None)


@dataclass
class Gated(AbstractCapability[Any]):
    """Lets the gate decide every tool call of a run before the tool runs.

    By default a call that needs approval waits, and the other calls of the run continue. With `durable` the
    run ends with `DeferredToolRequests`, and a later run in any process resumes it. Only the answer in the
    store counts, never an answer that the resuming caller passes.
    """

    host: Host
    effects: Mapping[str, str] = field(default_factory=dict[str, str])
    """Effects by tool name; a tool's metadata can also contain an effect. The default is `external`."""
    tools: Mapping[str, Tool] = field(default_factory=dict[str, Tool])
    """Full definitions by tool name, for tools that also need a dialect or a template."""
    conversation: str = ""
    durable: bool = False
    trusted: bool = False
    """Whether the hint of an MCP server that a tool only reads is trusted."""
    ungated: Collection[str] = ()
    """Names of agents that may run without the gate; their calls are not decided."""
    opening: TurnOptions = TurnOptions()
    _turn: Turn | None = None
    _declared: dict[str, ToolDefinition] = field(default_factory=dict[str, ToolDefinition])

    def __post_init__(self) -> None:
        """Patch Pydantic AI, so that agents without the gate are detected when they start."""
        patch_agent_runs()

    async def for_run(self, ctx: RunContext[Any]) -> "Gated":  # noqa: ARG002 - the hook's own shape
        """A copy of this capability for one run."""
        return replace(self, _turn=None, _declared={})

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> AgentRunResult[Any]:
        """Begin a turn for a run; a run that a gated tool starts is limited by the turn of its caller."""
        opening = self.opening._replace(delivery=Delivery.SUSPEND) if self.durable else self.opening
        async with self.host.turn(_agent_name(ctx), conversation=self.conversation, opening=opening) as turn:
            self._turn = turn
            with enter_gated_run(Gated, self.ungated):
                return cast("AgentRunResult[Any]", await handler())

    async def prepare_tools(
        self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]
    ) -> list[ToolDefinition]:
        """The tools that the model may see; tools that would run outside the gate are hidden."""
        turn = self._current_turn(ctx)
        gated = [one for one in tool_defs if _runs_behind_gate(one)]
        for one in gated:
            await self._declare_tool(one, turn.context.agent)
        visible = {tool.name for tool in await turn.visible_tools([one.name for one in gated])}
        return [one for one in gated if one.name in visible]

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: Any,
    ) -> Any:
        """Decide a call, wait for approval if needed, and run it or return the refusal."""
        turn = self._current_turn(ctx)
        await self._declare_tool(tool_def, turn.context.agent)
        id = self._call_id(ctx, call)
        asked = Call(tool=tool_def.name, args=call.args_as_dict(), id=id, cwd=self._call_directory(id))
        outcome = await self._wait_for_answer(turn, await turn.submit(asked))
        match outcome:
            case Refuse():
                return await self._handle_refused_call(asked, outcome)
            case Applied():
                return await self._handle_applied_call(asked, outcome)
            case Run():
                edited = outcome.call.args != asked.args
                chosen = dict(outcome.call.args) if edited else args
                return await self._execute_call(outcome, handler, chosen)

    def _call_id(self, ctx: RunContext[Any], call: ToolCallPart) -> str:
        """A call id made of run, step and position, so that a resumed run has the same ids.

        The call ids of model providers are not unique.
        """
        responses = [one for one in ctx.messages if isinstance(one, ModelResponse)]
        if not responses:
            return call.tool_call_id
        made_in = responses[-1]
        step = sum(one.run_id == made_in.run_id for one in responses)
        words = (
            made_in.run_id,
            made_in.timestamp.isoformat(),
            step,
            _call_position(call, made_in),
            call.tool_call_id,
        )
        return hashlib.sha256(repr(words).encode()).hexdigest()[:32]

    def _call_directory(self, id: str) -> str:  # noqa: ARG002 - for subclasses
        """The directory of a call; empty for the directory of this process."""
        return ""

    async def _handle_refused_call(self, asked: Call, outcome: Refuse) -> Any:  # noqa: ARG002 - for subclasses
        """The result that the model gets for a refused call."""
        return ToolDenied(outcome.full_message)

    async def _handle_applied_call(self, asked: Call, outcome: Applied) -> Any:  # noqa: ARG002 - for subclasses
        """The result that the model gets for a call that the gate ran itself."""
        return outcome.result

    async def _execute_call(self, run: Run, handler: Any, args: dict[str, Any]) -> Any:
        """Run an allowed call and record its result."""
        return await self.host.run_and_report(run, handler(args))

    async def _wait_for_answer(self, turn: Turn, outcome: Outcome) -> Run | Refuse | Applied:
        if not isinstance(outcome, Wait):
            return outcome
        if not self.durable:
            return await turn.wait(outcome.approval)
        approval = outcome.approval
        raise ApprovalRequired(
            metadata={
                "approval": approval.id,
                "digest": approval.digest,
                "because": approval.decision.because,
            }
        )

    def _current_turn(self, ctx: RunContext[Any]) -> Turn:
        if self._turn is None:
            raise RuntimeError(f"the run of agent `{_agent_name(ctx)}` did not begin behind the gate")
        return self._turn

    async def _declare_tool(self, definition: ToolDefinition, agent: str) -> None:
        """Declare a tool to the gate, unless this definition is declared already."""
        if self._declared.get(definition.name) == definition:
            return
        known = self.tools.get(definition.name)
        is_mcp = _server_hints(definition) is not None
        tool = known or Tool(
            name=definition.name,
            effect=self._tool_effect(definition),
            description=definition.description or "",
            parameters=definition.parameters_json_schema,
            origin=f"mcp:{agent}" if is_mcp else "server",
        )
        trust = TrustLevel.SERVER
        if is_mcp:
            trust = TrustLevel.TRUSTED if self.trusted else TrustLevel.CLIENT
        provider = "mcp" if is_mcp else "operations"
        await self.host.gate.declare(DeclaredTool(tool=tool, trust=trust, provider=provider, agent=agent))
        self._declared[definition.name] = definition

    def _tool_effect(self, definition: ToolDefinition) -> Effect:
        """The declared effect; server hints can make it stricter, and only a trusted server looser."""
        declared = self.effects.get(definition.name) or (definition.metadata or {}).get("effect")
        hints = _server_hints(definition)
        if declared is not None or hints is None:
            return parse_effect(declared)
        if hints.get("destructiveHint") is True:
            return Effect.DESTRUCTIVE
        return Effect.READ if self.trusted and hints.get("readOnlyHint") is True else Effect.EXTERNAL


class GatedAgent(WrapperAgent[Any, Any]):
    """An agent with the gate in every run, wherever the run starts."""

    def __init__(self, wrapped: AbstractAgent[Any, Any], gate: Gated) -> None:
        super().__init__(wrapped)
        self._gate = gate

    def iter(self, *args: Any, capabilities: Sequence[Any] | None = None, **kwargs: Any) -> Any:
        """Start a run with the gate as a capability."""
        return self.wrapped.iter(*args, capabilities=[*(capabilities or ()), self._gate], **kwargs)


def _call_position(call: ToolCallPart, response: ModelResponse) -> int:
    """The position of a call in the model's answer; a copy of the call is found by its id."""
    calls = response.tool_calls
    same = [index for index, one in enumerate(calls) if one is call]
    alike = [index for index, one in enumerate(calls) if one.tool_call_id == call.tool_call_id]
    return [*same, *alike, len(calls)][0]


def _agent_name(ctx: RunContext[Any]) -> str:
    agent = ctx.agent
    return (agent.name if agent is not None else None) or DEFAULT_AGENT


def _runs_behind_gate(definition: ToolDefinition) -> bool:
    """Whether a tool runs behind the gate; Pydantic AI's external tools run elsewhere."""
    if definition.kind == "external":
        _log.warning("tool `%s` runs outside the gate, so it is not offered", definition.name)
        return False
    return True


def _server_hints(definition: ToolDefinition) -> Mapping[str, Any] | None:
    """The hints of an MCP server about its tool; None for a tool that is not from a server."""
    metadata = definition.metadata or {}
    if "annotations" not in metadata and "meta" not in metadata:
        return None
    return cast("Mapping[str, Any]", metadata.get("annotations") or {})


@contextmanager
def enter_gated_run(capability: type[AbstractCapability[Any]], ungated: Collection[str]) -> Generator[None]:
    """Mark the current run as gated: agents that it starts must be gated or listed in `ungated`."""
    outer = _active_gate.get()
    # An inner run cannot allow an agent that the outer run does not allow.
    allowed = ungated if outer is None else [name for name in ungated if name in outer.ungated]
    token = _active_gate.set(_ActiveGate(capability, allowed))
    try:
        yield
    finally:
        _active_gate.reset(token)


@cache
def patch_agent_runs() -> None:
    """Wrap the methods that start a run or a thread; Pydantic AI has no hook for runs of other agents.

    Outside of gated runs nothing changes.
    """
    iterate, converse = Agent.iter, AbstractAgent.realtime

    @wraps(iterate)
    @asynccontextmanager
    async def iter_with_gate_check(self: Agent[Any, Any], *args: Any, **kwargs: Any) -> AsyncGenerator[Any]:
        gate = _active_gate.get()
        async with iterate(self, *args, **kwargs) as run:
            # The model has not been called yet, so nothing has run.
            if gate is not None and not _has_gate(run.ctx.deps.root_capability, gate):
                _refuse_unless_declared(self, gate)
            yield run

    @wraps(converse)
    def session_with_gate_check(self: AbstractAgent[Any, Any], *args: Any, **kwargs: Any) -> Any:
        gate = _active_gate.get()
        if gate is not None:
            _refuse_unless_declared(self, gate)
        return converse(self, *args, **kwargs)

    Agent.iter = iter_with_gate_check  # type: ignore[method-assign]
    AbstractAgent.realtime = session_with_gate_check  # type: ignore[method-assign]
    _patch_threads()


def _patch_threads() -> None:
    """Give the threads that a gated run starts its gate, because Python does not pass it on.

    Outside of gated runs nothing changes.
    """
    start = Thread.start
    submit: Any = ThreadPoolExecutor.submit

    @wraps(start)
    def start_with_gate(self: Thread) -> None:
        gate = _active_gate.get()
        if gate is not None:
            self.run = _with_gate(gate, self.run)  # type: ignore[method-assign]
        start(self)

    @wraps(submit)
    def submit_with_gate(self: ThreadPoolExecutor, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        gate = _active_gate.get()
        if gate is None:
            return submit(self, fn, *args, **kwargs)
        # A thread of the pool outlives this run, so only the function has the gate.
        token = _active_gate.set(None)
        try:
            return submit(self, _with_gate(gate, fn), *args, **kwargs)
        finally:
            _active_gate.reset(token)

    Thread.start = start_with_gate  # type: ignore[method-assign]
    ThreadPoolExecutor.submit = submit_with_gate  # type: ignore[method-assign, assignment]


def _with_gate(gate: _ActiveGate, function: Any) -> Any:
    """The function with this gate while it runs."""

    @wraps(function)
    def run_with_gate(*args: Any, **kwargs: Any) -> Any:
        token = _active_gate.set(gate)
        try:
            return function(*args, **kwargs)
        finally:
            _active_gate.reset(token)

    return run_with_gate


def _has_gate(root: AbstractCapability[Any], gate: _ActiveGate) -> bool:
    found: list[bool] = []
    root.apply(lambda one: found.append(isinstance(one, gate.capability)))
    return any(found)


def _refuse_unless_declared(agent: AbstractAgent[Any, Any], gate: _ActiveGate) -> None:
    """Raise `ToolFailed` for an agent that is not listed in `ungated`."""
    name = agent.name or ""
    if name and name in gate.ungated:
        return
    raise ToolFailed(
        f"agent `{name or 'without a name'}` was not run: its calls would not pass the gate. "
        "Wrap it in `GatedAgent`, or name it in `Gated(ungated=[...])`"
    )
