"""Pydantic AI behind the gate: one capability for function tools, MCP tools and sub-agents."""

import hashlib
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from pydantic_ai import ApprovalRequired, RunContext, ToolDenied
from pydantic_ai.agent import AbstractAgent, WrapperAgent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import ToolDefinition

from assent.engine.model import Call, Effect, Tool, parse_effect
from assent.gate.catalog import Declared, Trust
from assent.gate.gate import Opening
from assent.gate.outcome import Applied, Outcome, Refuse, Run, Wait
from assent.gate.preset import Delivery
from assent.gate.turn import Turn
from assent.hosts.python.delegates import watch_delegates, within_gate
from assent.hosts.python.host import AGENT, Host

_log = logging.getLogger("assent.pydantic_ai")


@dataclass
class Gated(AbstractCapability[Any]):
    """Decides every tool call of a run before the tool is entered.

    Inline, a call that asks waits for its own answer while its siblings go on. Durable, the run ends with
    `DeferredToolRequests` and is resumed by a later run, in any process; what counts then is the answer in
    the store, never what the resuming caller says of it.
    """

    host: Host
    effects: Mapping[str, str] = field(default_factory=dict[str, str])
    """Effects by tool name; a tool may also carry one in its metadata. Undeclared is `external`."""
    tools: Mapping[str, Tool] = field(default_factory=dict[str, Tool])
    """Whole definitions by tool name, where an effect is not enough: shells, paths, templates."""
    conversation: str = ""
    durable: bool = False
    trusted: bool = False
    """MCP servers' own hints that a tool only reads are believed."""
    ungated: Collection[str] = ()
    """Names of agents that may be delegated to without the gate: what they do is asked about by nobody."""
    opening: Opening = Opening()
    _turn: Turn | None = None
    _seen: dict[str, ToolDefinition] = field(default_factory=dict[str, ToolDefinition])

    def __post_init__(self) -> None:
        """From now on an agent that is delegated to beside the gate is seen."""
        watch_delegates()

    async def for_run(self, ctx: RunContext[Any]) -> "Gated":  # noqa: ARG002 - the hook's own shape
        """One turn for each run."""
        return replace(self, _turn=None, _seen={})

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> AgentRunResult[Any]:
        """Begin a turn around a run; a run inside a gated tool is bound by the turn of its caller."""
        opening = self.opening._replace(delivery=Delivery.SUSPEND) if self.durable else self.opening
        async with self.host.turn(_agent(ctx), conversation=self.conversation, opening=opening) as turn:
            self._turn = turn
            with within_gate(Gated, self.ungated):
                return cast("AgentRunResult[Any]", await handler())

    async def prepare_tools(
        self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]
    ) -> list[ToolDefinition]:
        """Show the model what it may see; a tool that would run outside of the gate is not there."""
        turn = self._turn_of(ctx)
        kept = [one for one in tool_defs if _is_gated(one)]
        for one in kept:
            await self._declare(one, turn.seat.agent)
        visible = {tool.name for tool in await turn.visible_tools()}
        return [one for one in kept if one.name in visible]

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: Any,
    ) -> Any:
        """Decide a call, ask where a person must be asked, and run it or say why not."""
        turn = self._turn_of(ctx)
        await self._declare(tool_def, turn.seat.agent)
        asked = Call(tool=tool_def.name, args=call.args_as_dict(), id=self._call_id(ctx, call))
        outcome = await self._settled(turn, await turn.submit(asked))
        match outcome:
            case Refuse():
                return await self._refused(asked, outcome)
            case Applied():
                return await self._applied(asked, outcome)
            case Run():
                edited = outcome.call.args != asked.args
                chosen = dict(outcome.call.args) if edited else args
                return await self._ran(outcome, handler, chosen)

    def _call_id(self, ctx: RunContext[Any], call: ToolCallPart) -> str:
        """An id from the run that the call was made in, its step and its place: a resumed run finds the same.

        Providers number calls as they like, and some give the same id to two of them.
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
            _position(call, made_in),
            call.tool_call_id,
        )
        return hashlib.sha256(repr(words).encode()).hexdigest()[:32]

    async def _refused(self, asked: Call, outcome: Refuse) -> Any:  # noqa: ARG002 - for those who show more
        """What the model is given for a call that does not run."""
        return ToolDenied(outcome.told)

    async def _applied(self, asked: Call, outcome: Applied) -> Any:  # noqa: ARG002 - for those who show more
        """What the model is given for a call that the gate itself ran."""
        return outcome.result

    async def _ran(self, run: Run, handler: Any, args: dict[str, Any]) -> Any:
        """Let a call run, and say what came of it."""
        return await self.host.reported(run, handler(args))

    async def _settled(self, turn: Turn, outcome: Outcome) -> Run | Refuse | Applied:
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

    def _turn_of(self, ctx: RunContext[Any]) -> Turn:
        if self._turn is None:
            raise RuntimeError(f"the run of agent `{_agent(ctx)}` did not begin behind the gate")
        return self._turn

    async def _declare(self, definition: ToolDefinition, agent: str) -> None:
        """Take a tool into the catalog; only a new or a changed definition costs anything."""
        if self._seen.get(definition.name) == definition:
            return
        known = self.tools.get(definition.name)
        foreign = _annotations(definition) is not None
        tool = known or Tool(
            name=definition.name,
            effect=self._effect(definition),
            description=definition.description or "",
            parameters=definition.parameters_json_schema,
            origin=f"mcp:{agent}" if foreign else "server",
        )
        trust = Trust.SERVER
        if foreign:
            trust = Trust.TRUSTED if self.trusted else Trust.CLIENT
        provider = "mcp" if foreign else "operations"
        await self.host.gate.declare(Declared(tool=tool, trust=trust, provider=provider, agent=agent))
        self._seen[definition.name] = definition

    def _effect(self, definition: ToolDefinition) -> Effect:
        """What was declared for the tool; a server's hints may raise it, and lower it only where trusted."""
        said = self.effects.get(definition.name) or (definition.metadata or {}).get("effect")
        hints = _annotations(definition)
        if said is not None or hints is None:
            return parse_effect(said)
        if hints.get("destructiveHint") is True:
            return Effect.DESTRUCTIVE
        return Effect.READ if self.trusted and hints.get("readOnlyHint") is True else Effect.EXTERNAL


class GatedAgent(WrapperAgent[Any, Any]):
    """A delegate that cannot run ungated: the gate goes into each of its runs."""

    def __init__(self, wrapped: AbstractAgent[Any, Any], gate: Gated) -> None:
        super().__init__(wrapped)
        self._gate = gate

    def iter(self, *args: Any, capabilities: Sequence[Any] | None = None, **kwargs: Any) -> Any:
        """Start a run with the gate among its capabilities."""
        return self.wrapped.iter(*args, capabilities=[*(capabilities or ()), self._gate], **kwargs)


def _position(call: ToolCallPart, response: ModelResponse) -> int:
    """Which of an answer's calls this is; one that was copied on its way is found by what it says."""
    calls = response.tool_calls
    same = [place for place, one in enumerate(calls) if one is call]
    alike = [place for place, one in enumerate(calls) if one.tool_call_id == call.tool_call_id]
    return [*same, *alike, len(calls)][0]


def _agent(ctx: RunContext[Any]) -> str:
    agent = ctx.agent
    return (agent.name if agent is not None else None) or AGENT


def _is_gated(definition: ToolDefinition) -> bool:
    """Whether executing a tool passes the gate; an external one is executed elsewhere."""
    if definition.kind == "external":
        _log.warning("tool `%s` runs outside of the gate, so it is not offered", definition.name)
        return False
    return True


def _annotations(definition: ToolDefinition) -> Mapping[str, Any] | None:
    """What an MCP server says of its tool; None for a tool of the program itself."""
    metadata = definition.metadata or {}
    if "annotations" not in metadata and "meta" not in metadata:
        return None
    return cast("Mapping[str, Any]", metadata.get("annotations") or {})
