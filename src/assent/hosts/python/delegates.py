"""Agents that a gated agent delegates to: one without the gate is refused, unless it was declared."""

from collections.abc import AsyncGenerator, Collection, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from typing import Any, NamedTuple

from pydantic_ai import Agent
from pydantic_ai.agent import AbstractAgent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ToolFailed


class _Gate(NamedTuple):
    """The gate that the current run is behind."""

    kind: type[AbstractCapability[Any]]
    """What a capability must be for its run to be gated."""
    ungated: Collection[str]


_gate: ContextVar[_Gate | None] = ContextVar("assent gate of a run", default=None)


@contextmanager
def within_gate(kind: type[AbstractCapability[Any]], ungated: Collection[str]) -> Generator[None]:
    """A run behind the gate: whatever it starts must be behind it, too, or be declared by name."""
    above = _gate.get()
    # A delegate cannot declare what its caller did not.
    allowed = ungated if above is None else [name for name in ungated if name in above.ungated]
    token = _gate.set(_Gate(kind, allowed))
    try:
        yield
    finally:
        _gate.reset(token)


@cache
def watch_delegates() -> None:
    """Look at every run and session that begins in this process; outside of gated runs nothing changes.

    The library has no hook for the runs of other agents, so its two ways into a run are wrapped, once.
    """
    iterate, converse = Agent.iter, AbstractAgent.realtime

    @wraps(iterate)
    @asynccontextmanager
    async def watched(self: Agent[Any, Any], *args: Any, **kwargs: Any) -> AsyncGenerator[Any]:
        gate = _gate.get()
        async with iterate(self, *args, **kwargs) as run:
            # Nothing was asked of its model yet, so nothing has run.
            if gate is not None and not _is_gated(run.ctx.deps.root_capability, gate):
                _refuse_unless_declared(self, gate)
            yield run

    @wraps(converse)
    def watched_session(self: AbstractAgent[Any, Any], *args: Any, **kwargs: Any) -> Any:
        gate = _gate.get()
        if gate is not None:
            _refuse_unless_declared(self, gate)
        return converse(self, *args, **kwargs)

    Agent.iter = watched  # type: ignore[method-assign]
    AbstractAgent.realtime = watched_session  # type: ignore[method-assign]


def _is_gated(root: AbstractCapability[Any], gate: _Gate) -> bool:
    found: list[bool] = []
    root.apply(lambda one: found.append(isinstance(one, gate.kind)))
    return any(found)


def _refuse_unless_declared(agent: AbstractAgent[Any, Any], gate: _Gate) -> None:
    name = agent.name or ""
    if name and name in gate.ungated:
        return
    raise ToolFailed(
        f"agent `{name or 'without a name'}` was not run: its calls would pass no gate. "
        "Wrap it in `GatedAgent`, or name it in `Gated(ungated=[...])`"
    )
