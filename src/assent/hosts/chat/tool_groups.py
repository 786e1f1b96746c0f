"""Tool groups: the model always sees the core tools, and loads other groups by name."""

import logging
from collections.abc import Iterable

from assent.config.tools import BELTS
from assent.engine.disclosure import Disclosure, group_of
from assent.engine.model import Effect, Tool
from assent.hosts.chat.tools import schema
from assent.hosts.chat.tools.context import Arguments, ToolContext
from assent.hosts.chat.tools.tool import ChatTool, ToolResult

_log = logging.getLogger("assent.chat")
CORE_TOOLS = frozenset(BELTS["chat"])
"""The chat's own tools are always shown; the tools of MCP servers come in groups."""


class ToolGroups:
    """The groups that a run has loaded; loading changes what the model sees, and no decision."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self.known: dict[str, list[str]] = {}
        for tool in tools:
            if tool.name not in CORE_TOOLS and group_of(tool):
                self.known.setdefault(group_of(tool), []).append(tool.name)
        self.loaded: list[str] = []
        self._left_out: tuple[str, ...] = ()

    def load(self, group: str) -> bool:
        """Show a group from the next model request on; False if there is no such group."""
        if group not in self.known:
            return False
        if group in self.loaded:
            self.loaded.remove(group)
        self.loaded.insert(0, group)
        return True

    def load_group_of(self, tool: Tool) -> None:
        """Load the group of a tool that was called."""
        if tool.name not in CORE_TOOLS and group_of(tool) not in self.loaded:
            self.load(group_of(tool))

    def log_left_out(self, disclosure: Disclosure) -> None:
        """Log the tools that exceed the cap, once per list."""
        if disclosure.dropped and disclosure.dropped != self._left_out:
            _log.warning("no room to show %s", ", ".join(disclosure.dropped))
        self._left_out = disclosure.dropped


def group_tools(groups: ToolGroups) -> tuple[ChatTool, ...]:
    """The two tools that list and load groups; none if there are no groups."""
    if not groups.known:
        return ()
    return (_list_groups_tool(groups), _load_group_tool(groups))


def _list_groups_tool(groups: ToolGroups) -> ChatTool:
    async def work(args: Arguments, context: ToolContext) -> ToolResult:  # noqa: ARG001 - the signature of a tool's work
        lines = [f"{name}: {', '.join(tools)}" for name, tools in sorted(groups.known.items())]
        return ToolResult(text="\n".join(lines), data={"groups": dict(groups.known)})

    tool = Tool(
        name="list_tool_groups",
        effect=Effect.READ,
        description="List the groups of further tools that can be loaded.",
        parameters=schema.object_of({}),
    )
    return ChatTool(tool=tool, work=work)


def _load_group_tool(groups: ToolGroups) -> ChatTool:
    async def work(args: Arguments, context: ToolContext) -> ToolResult:  # noqa: ARG001 - the signature of a tool's work
        group = args.text("group")
        if not groups.load(group):
            return ToolResult(text=f"there is no group `{group}`", failed=True)
        return ToolResult(text=f"loaded: {', '.join(groups.known[group])}")

    tool = Tool(
        name="load_tools",
        effect=Effect.READ,
        description="Load a group of tools; they can be called from the next step on.",
        parameters=schema.object_of({"group": schema.string("The group's name.", minLength=1)}),
    )
    return ChatTool(tool=tool, work=work)
