"""The catalog of declared tools: their origins, their definitions, and unknown tool names."""

import difflib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from assent.engine.base.tool import (
    SHARED_NAME,
    UNDECLARED_ORIGIN,
    UNREVIEWED_PAGE,
    Effect,
    Tool,
    as_object,
)
from assent.engine.policy.rule import parse_rule
from assent.errors import InputError, RuleSyntaxError
from assent.gate.ids import check_name, definition_digest, definition_text

MIN_NAME_SIMILARITY = 0.6
"""The minimum similarity of a suggested tool name, from 0 to 1."""


class TrustLevel(StrEnum):
    """How much the gate trusts the origin of a declaration, highest first."""

    SERVER = "server"
    TRUSTED = "trusted"
    CLIENT = "client"


class Pin(NamedTuple):
    """The accepted definition of a tool, by origin and name."""

    origin: str
    tool: str
    digest: str
    definition: str = ""
    """The definition as JSON; empty where only the digest was kept."""
    accepted_by: str = ""
    """The person who accepted the definition; empty where it was only the first one of its tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredTool:
    """A tool as its host declared it."""

    tool: Tool
    trust: TrustLevel = TrustLevel.SERVER
    provider: str = "operations"
    """The provider: `operations`, `mcp`, `rag` or a custom name."""
    agent: str = ""
    """The agent that may use the tool; empty is all agents."""

    @property
    def is_undeclared(self) -> bool:
        """Whether the gate knows the tool from calls only, because nobody declared it."""
        return self.tool.origin.startswith(UNDECLARED_ORIGIN)

    @property
    def pin(self) -> Pin:
        """The pin with the digest of the definition only."""
        return Pin(self.tool.origin, self.tool.name, definition_digest(self.tool))

    @property
    def full_pin(self) -> Pin:
        """The pin with the whole definition, so that a later change can be shown."""
        return self.pin._replace(definition=definition_text(self.tool))


Digests = Mapping[tuple[str, str], str]
"""The digests of definitions, by origin and tool."""


class KnownDefinitions(NamedTuple):
    """The definitions that the store has."""

    pinned: Digests
    """The known definition of each tool that another program or a page declared."""
    reviewed: Digests
    """Those that people accepted."""


NO_DEFINITIONS = KnownDefinitions({}, {})


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTool:
    """A tool that a web page declares for one conversation; its effect is the page's claim."""

    declared: DeclaredTool
    page: str
    """The id of the page, to which every call of the tool is bound."""
    pin: Pin
    """The pin of the declaration, computed once: a page can have a thousand tools."""

    def to_engine(self, policy: Tool | None, reviewed: Digests, *, has_shared_name: bool = False) -> Tool:
        """The tool for decisions: without a review, its claim counts for nothing.

        INVARIANT: the page is part of the origin, so that an approval is never used for another page.
        INVARIANT: what policy says of a name makes an unreviewed tool stricter and never looser, because a
        page of any origin can choose this name.
        """
        declared = self.declared.tool
        tool, origin = declared, f"{declared.origin} {self.page}"
        if policy is not None:
            tool = _with_policy_effect(self.declared, policy)
            tool = replace(tool, description=declared.description, parameters=declared.parameters)
        is_reviewed = reviewed.get((declared.origin, declared.name)) == self.pin.digest
        if is_reviewed or self.declared.trust is TrustLevel.SERVER:
            return replace(tool, origin=origin)
        effect = Effect.EXTERNAL if policy is None else _stricter_effect(Effect.EXTERNAL, policy.effect)
        origin = UNREVIEWED_PAGE + origin.removeprefix("page ") + (SHARED_NAME if has_shared_name else "")
        return replace(tool, effect=effect, origin=origin)


class PageTools:
    """The tools that web pages offer in one conversation; a name belongs to one page."""

    def __init__(self, tools: Iterable[PageTool]) -> None:
        self._by_name = {one.declared.tool.name: one for one in tools}
        self.names = frozenset(self._by_name)
        self.to_pin = tuple(
            one for one in self._by_name.values() if one.declared.trust is not TrustLevel.SERVER
        )
        self.pins = tuple(one.pin for one in self.to_pin)
        self._last: tuple[object, object, Mapping[str, Tool]] = (None, None, {})

    def find(self, name: str) -> PageTool | None:
        """The tool with this name."""
        return self._by_name.get(name)

    def to_engine(self, file_tools: Mapping[str, Tool], known: KnownDefinitions) -> Mapping[str, Tool]:
        """The tools for decisions; computed once for the same policy and definitions."""
        pinned, reviewed = known
        known_files, known_reviews, tools = self._last
        # A store reads both kinds of definitions together.
        if known_files is not file_tools or known_reviews is not reviewed:
            shared = self._find_shared_names(pinned)
            tools = {
                name: one.to_engine(file_tools.get(name), reviewed, has_shared_name=name in shared)
                for name, one in self._by_name.items()
            }
            self._last = (file_tools, reviewed, tools)
        return tools

    def _find_shared_names(self, pinned: Digests) -> frozenset[str]:
        """The names of tools that another origin declared too, now or at any time before."""
        own = {name: one.declared.tool.origin for name, one in self._by_name.items()}
        return frozenset(name for origin, name in pinned if own.get(name, origin) != origin)


class Catalog:
    """All declared tools; if two origins declare the same tool, the more trusted origin counts."""

    def __init__(self) -> None:
        self._own: dict[tuple[str, str], DeclaredTool] = {}
        self._shared: tuple[DeclaredTool, ...] = ()
        self._declared: dict[tuple[str, str], DeclaredTool] = {}
        self._known: dict[str, Mapping[str, DeclaredTool]] = {}
        self._page_tools: dict[str, PageTools] = {}

    def add(self, declared: DeclaredTool) -> None:
        """Add a declaration, unless a more trusted one or one of another origin exists."""
        check_name("tool", declared.tool.name)
        _add_if_more_trusted(self._own, declared)
        self._rebuild()

    def set_shared_tools(self, shared: Iterable[DeclaredTool]) -> None:
        """Replace the tools that are declared to all processes; this program's own tools have priority."""
        self._shared = tuple(shared)
        self._rebuild()

    def set_page_tools(self, conversation: str, tools: "PageTools | None") -> None:
        """Replace the tools that web pages offer in a conversation; None removes them."""
        self._page_tools.pop(conversation, None)
        if tools is not None:
            self._page_tools[conversation] = tools

    def _rebuild(self) -> None:
        declared = dict(self._own)
        for one in self._shared:
            _add_if_more_trusted(declared, one)
        self._declared = declared
        self._known.clear()

    def tools_by_name(self, agent: str) -> Mapping[str, DeclaredTool]:
        """All tools by name for one agent: its own tools have priority over those of other agents.

        Tools of sub-agents are included; otherwise their calls would name unknown tools.
        """
        found = self._known.get(agent)
        if found is None:
            # Trust counts before the agent: a page's tool for one agent must not replace our tool for all.
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
    def tools_to_pin(self) -> Iterator[DeclaredTool]:
        """The tools that other programs declared; a person accepts their definitions."""
        yield from (one for one in self.declared if one.trust is not TrustLevel.SERVER)
        # Several pages can declare the same definition.
        of_pages = {one.pin: one.declared for tools in self._page_tools.values() for one in tools.to_pin}
        yield from of_pages.values()

    @property
    def names(self) -> frozenset[str]:
        """The names of all declared tools."""
        return frozenset(name for _, name in self._declared)

    def is_offered(self, tool: str) -> bool:
        """Whether a program or an open page declares a tool of this name."""
        return tool in self.names or any(tool in one.names for one in self._page_tools.values())

    def offered_names(self, agent: str, conversation: str = "") -> frozenset[str]:
        """The names of the tools that are offered to this agent, also by pages of its conversation."""
        own = frozenset(name for owner, name in self._declared if owner in ("", agent))
        pages = self._page_tools.get(conversation)
        return own if pages is None else own | pages.names

    def offered_tool(self, agent: str, name: str) -> DeclaredTool | None:
        """The tool with this name that is offered to an agent, or None."""
        return self.tools_by_name(agent)[name] if name in self.offered_names(agent) else None

    def offered_tools(self, agent: str) -> dict[str, DeclaredTool]:
        """The tools that are offered to an agent, by name."""
        known = self.tools_by_name(agent)
        return {name: known[name] for name in self.offered_names(agent)}

    def tools_for(
        self,
        file_tools: Mapping[str, Tool],
        agent: str,
        conversation: str = "",
        definitions: KnownDefinitions = NO_DEFINITIONS,
    ) -> dict[str, Tool]:
        """The tools for decisions about an agent's calls; policy can only raise a tool's effect."""
        tools = dict(file_tools)
        pages = self._page_tools.get(conversation)
        known = self.tools_by_name(agent)
        if pages is not None:
            tools.update(pages.to_engine(file_tools, definitions))
        paged = frozenset[str]() if pages is None else pages.names
        for name, one in known.items():
            # A tool that this agent has takes precedence over a page's; that of another agent must not.
            if name in paged and one.agent not in ("", agent):
                continue
            tools[name] = one.tool if name not in file_tools else _with_policy_effect(one, file_tools[name])
        return tools

    def pins(self, agent: str | None = None) -> tuple[Pin, ...]:
        """The pins of the tools that other programs declared."""
        every = self._declared.values() if agent is None else self.tools_by_name(agent).values()
        return tuple(one.pin for one in every if one.trust is not TrustLevel.SERVER)

    def changed_tools(
        self, accepted: Mapping[tuple[str, str], str], agent: str, conversation: str = ""
    ) -> frozenset[str]:
        """The tools whose definition differs from the accepted one."""
        pages = self._page_tools.get(conversation)
        pins = self.pins(agent) if pages is None else (*self.pins(agent), *pages.pins)
        return frozenset(
            pin.tool for pin in pins if accepted.get((pin.origin, pin.tool), pin.digest) != pin.digest
        )


def check_declarations(agent: str, origin: str, declared: Iterable[DeclaredTool]) -> tuple[DeclaredTool, ...]:
    """Raise `InputError` for declarations of another origin or agent, or as tools of this program."""
    every = tuple(declared)
    if origin.startswith(UNDECLARED_ORIGIN):
        raise InputError(f"the origin `{origin}` is reserved for tools that nobody declared")
    for one in every:
        check_name("tool", one.tool.name)
        if (one.agent, one.tool.origin) != (agent, origin):
            raise InputError(f"`{one.tool.name}` has another origin or agent than the request")
        if one.trust is TrustLevel.SERVER:
            raise InputError(f"`{one.tool.name}` is not a tool of this program: use `trusted` or `client`")
    return every


class FieldChange(NamedTuple):
    """A changed field of a definition; both values are JSON, None where the field is absent."""

    field: str
    before: str | None
    after: str | None


def definition_differences(known: Pin | None, now: str) -> Iterator[FieldChange]:
    """The changed fields between a known and the current definition; without a known one, all fields."""
    if not now or (known is not None and not known.definition):
        return
    before = {} if known is None else dict(_flat_fields(json.loads(known.definition)))
    after = dict(_flat_fields(json.loads(now)))
    for field in sorted(before.keys() | after.keys()):
        if before.get(field) != after.get(field):
            yield FieldChange(field, before.get(field), after.get(field))


def is_declared(tool: str, known: Collection[str]) -> bool:
    """Whether a tool is known; tools of MCP servers become known when a server connects."""
    return tool in known or "*" in tool or tool.startswith("mcp__")


def unknown_tool_message(tool: str, known: Iterable[str]) -> str:
    """The warning for an unknown tool."""
    # Names of MCP tools are long and generated, so they are no useful suggestion.
    meant = difflib.get_close_matches(
        tool, [name for name in known if not name.startswith("mcp__")], n=1, cutoff=MIN_NAME_SIMILARITY
    )
    return f"no tool is called `{tool}`" + (f"; did you mean `{meant[0]}`?" if meant else "")


def unknown_tool_warnings(texts: Iterable[str], known: Collection[str]) -> list[str]:
    """The warnings for rules about unknown tools, without duplicates; invalid rules are skipped."""
    found: dict[str, None] = {}
    for text in texts:
        try:
            tool = parse_rule(text).tool
        except RuleSyntaxError:
            continue
        if not is_declared(tool, known):
            found[f"rule `{text}`: {unknown_tool_message(tool, known)}"] = None
    return list(found)


def _add_if_more_trusted(declared: dict[tuple[str, str], DeclaredTool], one: DeclaredTool) -> None:
    key = (one.agent, one.tool.name)
    known = declared.get(key)
    if known is None or _can_replace(known, one):
        declared[key] = one


def _can_replace(known: DeclaredTool, declared: DeclaredTool) -> bool:
    """Whether a declaration replaces the known one: it is more trusted, or newer from the same origin."""
    if known.tool.origin == declared.tool.origin:
        return _trust_rank(declared) <= _trust_rank(known)
    return _trust_rank(declared) < _trust_rank(known)


def _trust_rank(declared: DeclaredTool) -> int:
    # Any declaration replaces what the gate knows from calls only.
    return len(TrustLevel) if declared.is_undeclared else list(TrustLevel).index(declared.trust)


def _with_policy_effect(declared: DeclaredTool, policy: Tool) -> Tool:
    """The tool as policy and its declaration define it: other programs cannot lower its effect."""
    if declared.trust is not TrustLevel.SERVER:
        return policy
    return replace(declared.tool, effect=_stricter_effect(declared.tool.effect, policy.effect))


def _stricter_effect(first: Effect, second: Effect) -> Effect:
    return max(first, second, key=list(Effect).index)


def _flat_fields(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """The path and the JSON value of every field whose value is not an object."""
    table: Mapping[str, object] | None = as_object(value)
    if not table:
        yield path, json.dumps(value, ensure_ascii=False)
        return
    for name, inner in table.items():
        yield from _flat_fields(inner, f"{path}.{name}" if path else name)
