"""The catalog: the declared tools, their origins, and how far each origin is trusted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from assent.engine.model import Effect, Tool
from assent.errors import InputError
from assent.gate.ids import check_name, definition_digest, definition_text
from assent.gate.stored_policy import Pin


class Trust(StrEnum):
    """The trust in the origin of a declaration, highest first."""

    SERVER = "server"
    TRUSTED = "trusted"
    CLIENT = "client"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredTool:
    """A tool as its host declared it."""

    tool: Tool
    trust: Trust = Trust.SERVER
    provider: str = "operations"
    """The provider: `operations`, `mcp`, `rag` or a custom name."""
    agent: str = ""
    """The agent that may use it; empty is all agents."""

    @property
    def pin(self) -> Pin:
        """The digest that a person accepts with this definition."""
        return Pin(self.tool.origin, self.tool.name, definition_digest(self.tool))

    @property
    def full_pin(self) -> Pin:
        """The pin with the definition itself, so that a later change can be shown."""
        return self.pin._replace(definition=definition_text(self.tool))


class Catalog:
    """Tools by agent and name; if two origins declare the same tool, the more trusted one counts."""

    def __init__(self) -> None:
        self._own: dict[tuple[str, str], DeclaredTool] = {}
        self._shared: tuple[DeclaredTool, ...] = ()
        self._declared: dict[tuple[str, str], DeclaredTool] = {}
        self._known: dict[str, Mapping[str, DeclaredTool]] = {}

    def add(self, declared: DeclaredTool) -> None:
        """Add a declaration; it replaces neither a more trusted nor an earlier one of another origin."""
        check_name("tool", declared.tool.name)
        _add_if_stronger(self._own, declared)
        self._rebuild()

    def set_shared(self, shared: Iterable[DeclaredTool]) -> None:
        """Replace the tools that are declared to all processes; this program's own tools have priority."""
        self._shared = tuple(shared)
        self._rebuild()

    def _rebuild(self) -> None:
        declared = dict(self._own)
        for one in self._shared:
            _add_if_stronger(declared, one)
        self._declared = declared
        self._known.clear()

    def known(self, agent: str) -> Mapping[str, DeclaredTool]:
        """All tools by name as an agent sees them: its own have priority over those of other agents.

        They include the tools of sub-agents; otherwise their calls would name unknown tools.
        """
        found = self._known.get(agent)
        if found is None:
            # Trust before agent: a page's tool for one agent must not replace our own tool for all agents.
            strongest_last = sorted(
                self._declared.values(),
                key=lambda one: (one.agent in ("", agent), -_trust_rank(one), one.agent == agent),
            )
            found = self._known[agent] = {one.tool.name: one for one in strongest_last}
        return found

    @property
    def declared(self) -> tuple[DeclaredTool, ...]:
        """All declarations in effect."""
        return tuple(self._declared.values())

    @property
    def names(self) -> frozenset[str]:
        """The names of all declared tools."""
        return frozenset(name for _, name in self._declared)

    def offered(self, agent: str) -> frozenset[str]:
        """The names of the tools that are offered to this agent."""
        return frozenset(name for owner, name in self._declared if owner in ("", agent))

    def tools_for(self, ground: Mapping[str, Tool], agent: str) -> dict[str, Tool]:
        """The tools that an agent's calls are decided with; policy can only raise a tool's effect."""
        tools = dict(ground)
        for name, one in self.known(agent).items():
            tools[name] = one.tool if name not in ground else _with_policy_effect(one, ground[name])
        return tools

    def pins(self, agent: str | None = None) -> tuple[Pin, ...]:
        """The pins of all tools that are not part of this program."""
        every = self._declared.values() if agent is None else self.known(agent).values()
        return tuple(one.pin for one in every if one.trust is not Trust.SERVER)

    def changed_tools(self, accepted: Mapping[tuple[str, str], str], agent: str) -> frozenset[str]:
        """The tools whose definition differs from the accepted one."""
        return frozenset(
            pin.tool
            for pin in self.pins(agent)
            if accepted.get((pin.origin, pin.tool), pin.digest) != pin.digest
        )


def check_declarations(agent: str, origin: str, declared: Iterable[DeclaredTool]) -> tuple[DeclaredTool, ...]:
    """Refuse declarations for another origin or agent, or as tools of this program."""
    every = tuple(declared)
    for one in every:
        check_name("tool", one.tool.name)
        if (one.agent, one.tool.origin) != (agent, origin):
            raise InputError(f"`{one.tool.name}` has another origin or agent than the request")
        if one.trust is Trust.SERVER:
            raise InputError(f"`{one.tool.name}` is not a tool of this program: use `trusted` or `client`")
    return every


def _add_if_stronger(declared: dict[tuple[str, str], DeclaredTool], one: DeclaredTool) -> None:
    key = (one.agent, one.tool.name)
    known = declared.get(key)
    if known is None or _replaces(known, one):
        declared[key] = one


def _replaces(known: DeclaredTool, declared: DeclaredTool) -> bool:
    """Whether a declaration replaces another: it is more trusted, or newer from the same origin."""
    if known.tool.origin == declared.tool.origin:
        return _trust_rank(declared) <= _trust_rank(known)
    return _trust_rank(declared) < _trust_rank(known)


def _trust_rank(declared: DeclaredTool) -> int:
    return list(Trust).index(declared.trust)


def _with_policy_effect(declared: DeclaredTool, policy: Tool) -> Tool:
    """A tool that policy also defines: other programs cannot redefine it or lower its effect."""
    if declared.trust is not Trust.SERVER:
        return policy
    return replace(declared.tool, effect=max(declared.tool.effect, policy.effect, key=list(Effect).index))
