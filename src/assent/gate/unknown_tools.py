"""Tools that nobody declared: a call is refused, or asks if an administrator set this for the agent."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from assent.engine.base.tool import UNDECLARED_ORIGIN, Call, Effect, Tool, as_object
from assent.gate.access import Principal, check_administrator
from assent.gate.catalog import DeclaredTool, Pin, TrustLevel
from assent.gate.changes import AuditRecorder, ChangeKind, authorize, change_entry
from assent.gate.ids import check_id

_SETTING_PREFIX = "agent.unknown_tools:"
"""The start of the name of the setting of one agent."""
MAX_UNDECLARED_TOOLS = 100
"""The maximum number of undeclared tools of an agent; calls of further ones are refused as unknown."""
MAX_ARGUMENTS = 64
"""The maximum number of argument names of an undeclared tool."""
MAX_NAME_LENGTH = 100
"""The maximum length of the name of an undeclared tool, of its agent and of an argument."""
_NOT_ACCEPTED = ""
"""The digest of a pin that no person has accepted; no definition has it."""


class UnknownAnswer(StrEnum):
    """What happens to a call of a tool that nobody declared."""

    REFUSE = "refuse"
    ASK = "ask"


class UnknownToolStore(AuditRecorder, Protocol):
    """The part of a store that keeps undeclared tools, and which agents may ask about them."""

    async def setting(self, name: str) -> str | None:
        """The value of a setting."""
        ...

    async def save_setting(self, name: str, value: str | None, *, by: str) -> None:
        """Save a setting; None removes it."""
        ...

    async def pin_definitions(self, pins: Iterable[Pin], *, by: str = "", accept: bool = False) -> None:
        """Store definitions of tools without a pin; with `accept`, also replace existing pins."""
        ...

    async def set_declarations(
        self, agent: str, origin: str, declared: Sequence[DeclaredTool], *, by: str
    ) -> None:
        """Replace all tools that an origin declares to an agent."""
        ...

    async def declarations(self) -> Sequence[DeclaredTool]:
        """The tools that are declared to all processes."""
        ...


class UnknownTools:
    """Opens agents for undeclared tools, and declares such a tool when it is first called."""

    def __init__(self, store: UnknownToolStore) -> None:
        self._store = store

    async def set_answer(self, principal: Principal, agent: str, answer: UnknownAnswer) -> None:
        """Set whether an agent's calls of undeclared tools ask; if not, delete its undeclared tools."""
        change = authorize(self._store, principal, check_administrator)
        check_id("agent", agent)
        is_open = answer is UnknownAnswer.ASK
        entry = change_entry(
            principal.id, ChangeKind.SETTING_CHANGED, f"unknown tools: {answer.value}", agent=agent
        )
        value = answer.value if is_open else None
        await change.write(self._store.save_setting(_setting_name(agent), value, by=principal.id), entry)
        if not is_open:
            for one in await self._store.declarations():
                if one.agent == agent and one.is_undeclared:
                    await self._store.set_declarations(agent, one.tool.origin, (), by=principal.id)

    async def answer(self, agent: str) -> UnknownAnswer:
        """What happens to a call of a tool that nobody declared to this agent."""
        value = await self._store.setting(_setting_name(agent)) if agent else None
        return UnknownAnswer.ASK if value == UnknownAnswer.ASK else UnknownAnswer.REFUSE

    async def declare(self, call: Call, by: str, known: Mapping[str, DeclaredTool]) -> bool:
        """Declare the undeclared tool of a call with all arguments seen so far; false where it stays unknown.

        `known` are the tools that the agent has. A new tool, and a new argument, ask until a person accepts.
        """
        held = known.get(call.tool)
        if held is not None and (not held.is_undeclared or call.args.keys() <= argument_names(held.tool)):
            return False
        if not _is_within_limits(call, known) or await self.answer(call.agent) is UnknownAnswer.REFUSE:
            return False
        names = {*call.args, *(() if held is None else argument_names(held.tool))}
        if len(names) > MAX_ARGUMENTS:
            return False
        new = undeclared_tool(call.agent, call.tool, names)
        # Pinned first: a tool without a pin would count as accepted.
        await self._store.pin_definitions((Pin(new.tool.origin, call.tool, _NOT_ACCEPTED),))
        entry = change_entry(by, ChangeKind.TOOLS_DECLARED, new.tool.origin, agent=call.agent)
        await self._store.set_declarations(call.agent, new.tool.origin, (new,), by=by)
        self._store.record(entry)
        return True


def undeclared_tool(agent: str, name: str, arguments: Iterable[str]) -> DeclaredTool:
    """The declaration that the gate makes of a tool that nobody declared."""
    properties: dict[str, dict[str, object]] = {one: {} for one in sorted(arguments)}
    tool = Tool(
        name=name,
        effect=Effect.EXTERNAL,
        description="nobody declared this tool; only calls show its arguments",
        parameters={"type": "object", "properties": properties},
        origin=f"{UNDECLARED_ORIGIN}{agent}/{name}",
    )
    return DeclaredTool(tool=tool, trust=TrustLevel.CLIENT, provider="unknown", agent=agent)


def argument_names(tool: Tool) -> frozenset[str]:
    """The names of the arguments in a definition."""
    return frozenset(as_object(tool.parameters.get("properties")) or {})


def _setting_name(agent: str) -> str:
    return f"{_SETTING_PREFIX}{agent}"


def _is_within_limits(call: Call, known: Mapping[str, DeclaredTool]) -> bool:
    """Whether an undeclared tool with this name and these arguments can be kept."""
    texts = (call.tool, call.agent, *call.args)
    is_short = all(len(one) <= MAX_NAME_LENGTH and one.isprintable() for one in texts)
    count = sum(one.is_undeclared for name, one in known.items() if name != call.tool)
    return is_short and count < MAX_UNDECLARED_TOOLS
