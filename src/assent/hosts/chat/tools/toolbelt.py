"""The toolbelt of a run: every tool whose resources are available, and the groups that the model loaded."""

import asyncio
import logging
import os
import shutil
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, cast

from assent.config.tools import TOOLS_BY_BELT
from assent.engine.base.tool import Effect, Tool
from assent.engine.disclosure import Disclosure, tool_group
from assent.hosts.browser.layout import LAYOUT_TOOLS, PANE_TOOLS
from assent.hosts.chat.tools import schema
from assent.hosts.chat.tools.collections import DocumentIndex, collection_tools, open_index
from assent.hosts.chat.tools.command import command_tool
from assent.hosts.chat.tools.file_changes import apply_change_tool, write_file_tool
from assent.hosts.chat.tools.file_reading import list_files_tool, read_file_tool, search_files_tool
from assent.hosts.chat.tools.kernel_port import kernel_tools, open_kernel
from assent.hosts.chat.tools.media import generate_image_tool, text_to_speech_tool
from assent.hosts.chat.tools.settings import ToolSettings
from assent.hosts.chat.tools.todo import TodoLists, todo_tool
from assent.hosts.chat.tools.tool import Arguments, ChatTool, ToolContext, ToolResult
from assent.hosts.chat.tools.web import AddressGuard, Fetcher, web_fetch_tool, web_search_tool

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CORE_TOOLS = frozenset(TOOLS_BY_BELT["chat"]) | LAYOUT_TOOLS.keys() | PANE_TOOLS.keys()
"""Tools that the model always sees; the tools of MCP servers and pages are in groups, which it can load."""
MAX_LOGGED_NAMES = 5
_log = logging.getLogger("assent.chat")


class McpServerTools(Protocol):
    """A connection to an MCP server; its module is imported only if the library is installed."""

    async def list_tools(self) -> tuple[ChatTool, ...]:
        """The current tools of the server."""
        ...

    async def close(self) -> None:
        """Close the connection."""
        ...


class BrowserPages(Protocol):
    """A browser; its module is imported only if Playwright is installed."""

    async def close_pages(self, conversation: str) -> None:
        """Close the pages of a conversation."""
        ...

    async def close(self) -> None:
        """Stop the browser."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResources:
    """Resources that all runs of a process share; a tool whose resource is missing is absent."""

    settings: ToolSettings
    fetcher: Fetcher
    todos: TodoLists
    documents: DocumentIndex | None = None
    browser: BrowserPages | None = None
    mcp_servers: tuple[McpServerTools, ...] = ()


@asynccontextmanager
async def open_tool_resources(
    settings: ToolSettings, *, environ: Mapping[str, str] = os.environ
) -> AsyncGenerator[ToolResources]:
    """Open the shared resources; the browser and the MCP servers start at their first use."""
    guard = AddressGuard(settings.allow_private)
    browser = _open_browser(settings, guard, environ)
    servers = _open_mcp_servers(settings)
    async with AsyncExitStack() as stack:
        for server in servers:
            stack.push_async_callback(server.close)
        if browser is not None:
            stack.push_async_callback(browser.close)
        yield ToolResources(
            settings=settings,
            fetcher=Fetcher(guard, max_bytes=settings.limits.fetch_bytes),
            todos=TodoLists(),
            documents=open_index(settings.collections) if settings.collections else None,
            browser=browser,
            mcp_servers=servers,
        )


async def compose_tools(resources: ToolResources, context: ToolContext) -> tuple[ChatTool, ...]:
    """The tools of one run; clients cannot change this list."""
    offered = await asyncio.gather(*(server.list_tools() for server in resources.mcp_servers))
    by_name: dict[str, ChatTool] = {}
    for tool in (*_builtin_tools(resources, context), *(tool for tools in offered for tool in tools)):
        # The first tool of a name wins: a second one would run by decisions about the first.
        by_name.setdefault(tool.name, tool)
    return tuple(tool for tool in by_name.values() if tool.name not in resources.settings.disabled_tools)


class ToolGroups:
    """The tool groups that a run has loaded; loading changes what the model sees, not what is allowed."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self.known: dict[str, list[str]] = {}
        self.set_tools(tools)
        self.loaded: list[str] = []
        self._left_out: tuple[str, ...] = ()

    def set_tools(self, tools: Iterable[Tool]) -> None:
        """Replace the tools of all groups; the loaded groups stay loaded."""
        self.known = {}
        for tool in tools:
            if tool.name not in CORE_TOOLS and tool_group(tool):
                self.known.setdefault(tool_group(tool), []).append(tool.name)

    def load_group(self, group: str) -> bool:
        """Show a group in the next model request; returns False if the group does not exist."""
        if group not in self.known:
            return False
        if group in self.loaded:
            self.loaded.remove(group)
        self.loaded.insert(0, group)
        return True

    def load_group_of(self, tool: Tool) -> None:
        """Load the group that contains a tool."""
        if tool.name not in CORE_TOOLS and tool_group(tool) not in self.loaded:
            self.load_group(tool_group(tool))

    def log_hidden_tools(self, disclosure: Disclosure) -> None:
        """Log the tools that are hidden because there are too many, once per list."""
        if disclosure.dropped and disclosure.dropped != self._left_out:
            first = ", ".join(disclosure.dropped[:MAX_LOGGED_NAMES])
            more = len(disclosure.dropped) - MAX_LOGGED_NAMES
            _log.warning("no room to show %s%s", first, f" and {more} more" if more > 0 else "")
        self._left_out = disclosure.dropped


def group_tools(groups: ToolGroups) -> tuple[ChatTool, ...]:
    """The tools that list and load groups; empty if there are no groups."""
    if not groups.known:
        return ()
    return (_list_groups_tool(groups), _load_group_tool(groups))


def _builtin_tools(resources: ToolResources, context: ToolContext) -> Iterator[ChatTool]:
    settings = resources.settings
    yield from (read_file_tool(), list_files_tool(), search_files_tool())
    yield from (write_file_tool(), apply_change_tool())
    command = command_tool(variables=settings.environment)
    if command is not None:
        yield command
    yield web_fetch_tool(resources.fetcher)
    if settings.search:
        yield web_search_tool(resources.fetcher, settings.search)
    if resources.browser is not None:
        module = import_module("assent.hosts.chat.tools.browser")
        yield cast("ChatTool", module.browser_tool(resources.browser))
    if resources.documents is not None:
        yield from collection_tools(resources.documents)
    kernel = open_kernel(context.directories.roots[0], resources.fetcher)
    if kernel is not None:
        yield from kernel_tools(kernel)
    if settings.image is not None:
        yield generate_image_tool(settings.image)
    if settings.speech is not None:
        yield text_to_speech_tool(settings.speech)
    yield todo_tool(resources.todos)


def _open_browser(
    settings: ToolSettings, guard: AddressGuard, environ: Mapping[str, str]
) -> BrowserPages | None:
    """A browser, or None if Playwright or Chromium is not installed."""
    path = environ.get("PATH")
    found = (shutil.which(name, path=path) for name in CHROMIUM_NAMES)
    executable = settings.chromium or environ.get("ASSENT_CHROMIUM") or next(filter(None, found), None)
    if executable is None or not os.access(executable, os.X_OK) or find_spec("playwright") is None:
        return None
    return cast("BrowserPages", import_module("assent.hosts.chat.tools.browser").Browser(executable, guard))


def _open_mcp_servers(settings: ToolSettings) -> tuple[McpServerTools, ...]:
    if not settings.mcp or find_spec("mcp") is None:
        return ()
    connection = import_module("assent.hosts.chat.tools.mcp").McpConnection
    return tuple(cast("McpServerTools", connection(one)) for one in settings.mcp)


def _list_groups_tool(groups: ToolGroups) -> ChatTool:
    async def list_groups(args: Arguments, context: ToolContext) -> ToolResult:  # noqa: ARG001 - the signature of a tool's work
        lines = [f"{name}: {', '.join(tools)}" for name, tools in sorted(groups.known.items())]
        return ToolResult(text="\n".join(lines), data={"groups": dict(groups.known)})

    tool = Tool(
        name="list_tool_groups",
        effect=Effect.READ,
        description="List the groups of further tools that can be loaded.",
        parameters=schema.object_schema({}),
    )
    return ChatTool(tool=tool, work=list_groups)


def _load_group_tool(groups: ToolGroups) -> ChatTool:
    async def load_group(args: Arguments, context: ToolContext) -> ToolResult:  # noqa: ARG001 - the signature of a tool's work
        group = args.get_text("group")
        if not groups.load_group(group):
            return ToolResult(text=f"there is no group `{group}`", failed=True)
        return ToolResult(text=f"loaded: {', '.join(groups.known[group])}")

    tool = Tool(
        name="load_tools",
        effect=Effect.READ,
        description="Load a group of tools; they can be called from the next step on.",
        parameters=schema.object_schema({"group": schema.string_schema("The group's name.", minLength=1)}),
    )
    return ChatTool(tool=tool, work=load_group)
