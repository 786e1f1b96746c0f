"""Groups of tools: the model is shown a core, and loads the others by name when it needs them."""

import logging
from collections.abc import Iterable

from assent.config.tools import BELTS
from assent.engine.disclosure import Disclosure, group_of
from assent.engine.model import Effect, Tool
from assent.hosts.chat.belt import schema
from assent.hosts.chat.belt.arguments import Arguments
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.tool import BeltTool, Result

_log = logging.getLogger("assent.chat")
CORE = frozenset(BELTS["chat"])
"""The belt itself is always shown; what servers add comes in groups."""


class Groups:
    """The groups that a run has loaded; loading changes what is shown, and no verdict."""

    def __init__(self, every: Iterable[Tool] = ()) -> None:
        tools = [tool for tool in every if tool.name not in CORE and group_of(tool)]
        self.known: dict[str, list[str]] = {}
        for tool in tools:
            self.known.setdefault(group_of(tool), []).append(tool.name)
        self.loaded: list[str] = []
        self._dropped: tuple[str, ...] = ()

    def load(self, group: str) -> bool:
        """Show a group from the next round on; whether there is such a group."""
        if group not in self.known:
            return False
        if group in self.loaded:
            self.loaded.remove(group)
        self.loaded.insert(0, group)
        return True

    def use(self, tool: Tool) -> None:
        """Whoever calls a tool of a group has loaded the group."""
        if tool.name not in CORE and group_of(tool) not in self.loaded:
            self.load(group_of(tool))

    def told(self, shown: Disclosure) -> None:
        """Name what there was no room for, once."""
        if shown.dropped and shown.dropped != self._dropped:
            _log.warning("no room to show %s", ", ".join(shown.dropped))
        self._dropped = shown.dropped


def group_tools(groups: Groups) -> tuple[BeltTool, ...]:
    """The two tools that find and load groups; where there is no group there are none."""
    if not groups.known:
        return ()
    return (_list(groups), _load(groups))


def _list(groups: Groups) -> BeltTool:
    async def work(args: Arguments, context: Context) -> Result:  # noqa: ARG001 - a tool's own shape
        lines = [f"{name}: {', '.join(tools)}" for name, tools in sorted(groups.known.items())]
        return Result(text="\n".join(lines), data={"groups": dict(groups.known)})

    tool = Tool(
        name="list_tool_groups",
        effect=Effect.READ,
        description="List the groups of further tools that can be loaded.",
        parameters=schema.record({}),
    )
    return BeltTool(tool=tool, work=work)


def _load(groups: Groups) -> BeltTool:
    async def work(args: Arguments, context: Context) -> Result:  # noqa: ARG001 - a tool's own shape
        group = args.text("group")
        if not groups.load(group):
            return Result(text=f"there is no group `{group}`", failed=True)
        return Result(text=f"loaded: {', '.join(groups.known[group])}")

    tool = Tool(
        name="load_tools",
        effect=Effect.READ,
        description="Load a group of tools; they can be called from the next step on.",
        parameters=schema.record({"group": schema.text("The group's name.", minLength=1)}),
    )
    return BeltTool(tool=tool, work=work)
