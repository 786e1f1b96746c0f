"""The tools of one run: its own, and those that web pages offer at the moment."""

from collections.abc import Iterable, Iterator, Mapping

from assent.engine.base.tool import Tool
from assent.engine.disclosure import disclose_tools, tool_group
from assent.hosts.browser.pages import Pages
from assent.hosts.chat.tools.pages import page_tools
from assent.hosts.chat.tools.tool import ChatTool
from assent.hosts.chat.tools.toolbelt import CORE_TOOLS, ToolGroups, group_tools


class RunTools(Mapping[str, ChatTool]):
    """The tools of a run by name; `refresh` reads the tools of the pages again."""

    def __init__(
        self, own: Iterable[ChatTool], groups: ToolGroups, pages: Pages | None = None, conversation: str = ""
    ) -> None:
        self._own = {tool.name: tool for tool in own}
        self._groups = groups
        self._pages = pages
        self._conversation = conversation
        self._version = -1
        self._tools: Mapping[str, ChatTool] = {}
        self._shown: tuple[tuple[str, ...], tuple[ChatTool, ...]] = ((), ())
        self.refresh()

    def __getitem__(self, name: str) -> ChatTool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def without(self, name: str) -> "RunTools":
        """The same tools without one of the run's own."""
        own = [tool for tool in self._own.values() if tool.name != name]
        return RunTools(own, self._groups, self._pages, self._conversation)

    @property
    def own_tools(self) -> tuple[ChatTool, ...]:
        """The tools that this program provides, with those that load groups."""
        return (*self._own.values(), *group_tools(self._groups))

    def refresh(self) -> bool:
        """Read the tools of the pages again; returns whether the tools changed."""
        version = 0 if self._pages is None else self._pages.version(self._conversation)
        if version == self._version:
            return False
        self._version = version
        # INVARIANT: a page's tool never replaces a tool of this program.
        tools = {tool.name: tool for tool in page_tools(self._pages, self._conversation)} | self._own
        self._groups.set_tools(tool.tool for tool in tools.values())
        self._tools = tools | {tool.name: tool for tool in group_tools(self._groups)}
        self._shown = ((), ())
        return True

    def shown_tools(self) -> tuple[ChatTool, ...]:
        """The tools for a model request: all of this program, and those of pages for which there is room.

        Computed once for the same loaded groups: a page can offer a thousand tools.
        """
        loaded = tuple(self._groups.loaded)
        if self._shown[0] != loaded or not self._shown[1]:
            tools = [one.tool for one in self._tools.values()]
            disclosure = disclose_tools(tools, core=CORE_TOOLS, loaded=loaded)
            self._groups.log_hidden_tools(disclosure)
            names = {one.name for one in disclosure.shown}
            shown = tuple(one for one in self._tools.values() if not one.page or one.name in names)
            self._shown = (loaded, shown)
        return self._shown[1]


def list_groups(tools: RunTools, visible: Iterable[Tool]) -> list[dict[str, object]]:
    """All visible tools by group: those of pages with the id of their page."""
    groups: dict[str, list[dict[str, object]]] = {}
    for tool in visible:
        known = tools.get(tool.name)
        if known is None:
            continue
        source = "page" if known.page else "mcp" if known.provider == "mcp" else "server"
        is_core = tool.name in CORE_TOOLS or not tool_group(known.tool)
        shown: dict[str, object] = {
            "name": tool.name,
            "description": known.tool.description,
            "effect": tool.effect.value,
            "source": source,
            "loaded": is_core,
            **({"page": known.page} if known.page else {}),
        }
        groups.setdefault(tool_group(known.tool) or "chat", []).append(shown)
    return [{"group": name, "tools": groups[name]} for name in sorted(groups)]
