"""The catalog: the tools that hosts declared, where each comes from, and how far that is trusted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from assent.engine.model import Effect, Tool
from assent.errors import InputError
from assent.gate.binding import check_name, definition_digest, definition_text
from assent.gate.current import Pin


class Trust(StrEnum):
    """Whose word a declaration is, the most trusted first."""

    SERVER = "server"
    TRUSTED = "trusted"
    CLIENT = "client"


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A tool as its host declared it."""

    tool: Tool
    trust: Trust = Trust.SERVER
    provider: str = "operations"
    """Who offers it: `operations`, `mcp`, `rag` or a name of one's own."""
    agent: str = ""
    """The one agent that it is offered to; empty is all of them."""

    @property
    def pin(self) -> Pin:
        """What a person accepts when they accept this definition."""
        return Pin(self.tool.origin, self.tool.name, definition_digest(self.tool))

    @property
    def whole_pin(self) -> Pin:
        """The same with the definition itself, so that a later change can be shown."""
        return self.pin._replace(definition=definition_text(self.tool))


class Catalog:
    """Tools by agent and name; where two origins declare the same one, the more trusted word counts."""

    def __init__(self) -> None:
        self._own: dict[tuple[str, str], Declared] = {}
        self._shared: tuple[Declared, ...] = ()
        self._declared: dict[tuple[str, str], Declared] = {}
        self._known: dict[str, Mapping[str, Declared]] = {}

    def add(self, declared: Declared) -> None:
        """Take a declaration in; neither a more trusted origin nor whoever was first is shadowed."""
        check_name("tool", declared.tool.name)
        _take(self._own, declared)
        self._join()

    def remove(self, origin: str) -> None:
        """Whoever leaves takes their tools with them."""
        self._own = {key: one for key, one in self._own.items() if one.tool.origin != origin}
        self._join()

    def share(self, shared: Iterable[Declared]) -> None:
        """What was declared to all processes is this and nothing else; our own code's word counts more."""
        self._shared = tuple(shared)
        self._join()

    def _join(self) -> None:
        declared = dict(self._own)
        for one in self._shared:
            _take(declared, one)
        self._declared = declared
        self._known.clear()

    def known(self, agent: str) -> Mapping[str, Declared]:
        """Every tool there is, by name, as this agent knows it: its own before what others have.

        An agent knows of its sub-agents' tools, or their calls would be of tools that do not exist.
        """
        found = self._known.get(agent)
        if found is None:
            # Trust before nearness: what a page declares for one agent does not shadow our own tool for all.
            strongest_last = sorted(
                self._declared.values(),
                key=lambda one: (one.agent in ("", agent), -_rank(one), one.agent == agent),
            )
            found = self._known[agent] = {one.tool.name: one for one in strongest_last}
        return found

    @property
    def declared(self) -> tuple[Declared, ...]:
        """Every declaration that counts."""
        return tuple(self._declared.values())

    @property
    def names(self) -> frozenset[str]:
        """The names of all tools that are declared, to whomever."""
        return frozenset(name for _, name in self._declared)

    def offered(self, agent: str) -> frozenset[str]:
        """The names of the tools that are offered to this agent."""
        return frozenset(name for owner, name in self._declared if owner in ("", agent))

    def under(self, ground: Mapping[str, Tool], agent: str) -> dict[str, Tool]:
        """The tools an agent's calls are decided with: what policy says of a tool can only raise it."""
        tools = dict(ground)
        for name, one in self.known(agent).items():
            tools[name] = one.tool if name not in ground else _raised(one, ground[name])
        return tools

    def pinned(self, agent: str | None = None) -> tuple[Pin, ...]:
        """The definitions to hold on to: of all tools that are not this program's own code."""
        every = self._declared.values() if agent is None else self.known(agent).values()
        return tuple(one.pin for one in every if one.trust is not Trust.SERVER)

    def changed(self, accepted: Mapping[tuple[str, str], str], agent: str) -> frozenset[str]:
        """The tools whose definition is another than the one that was accepted."""
        return frozenset(
            pin.tool
            for pin in self.pinned(agent)
            if accepted.get((pin.origin, pin.tool), pin.digest) != pin.digest
        )


def checked(agent: str, origin: str, declared: Iterable[Declared]) -> tuple[Declared, ...]:
    """Declarations as an origin may make them to all processes; it speaks for itself, and not as our code."""
    every = tuple(declared)
    for one in every:
        check_name("tool", one.tool.name)
        if (one.agent, one.tool.origin) != (agent, origin):
            raise InputError(f"`{one.tool.name}` is of another origin or agent than it is declared for")
        if one.trust is Trust.SERVER:
            raise InputError(f"`{one.tool.name}` is not a tool of this program: say `trusted` or `client`")
    return every


def _take(declared: dict[tuple[str, str], Declared], one: Declared) -> None:
    key = (one.agent, one.tool.name)
    known = declared.get(key)
    if known is None or _yields(known, one):
        declared[key] = one


def _yields(known: Declared, declared: Declared) -> bool:
    """Whether a declaration takes another's place: a more trusted one, or what the same origin says now."""
    if known.tool.origin == declared.tool.origin:
        return _rank(declared) <= _rank(known)
    return _rank(declared) < _rank(known)


def _rank(declared: Declared) -> int:
    return list(Trust).index(declared.trust)


def _raised(declared: Declared, policy: Tool) -> Tool:
    """A tool that policy knows, too: nobody from outside redefines it, and its effect is never lowered."""
    if declared.trust is not Trust.SERVER:
        return policy
    return replace(declared.tool, effect=max(declared.tool.effect, policy.effect, key=list(Effect).index))
