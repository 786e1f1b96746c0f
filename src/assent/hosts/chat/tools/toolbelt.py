"""The toolbelt of a chat: every tool whose resources are there, composed anew for each run."""

import asyncio
import os
import shutil
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, cast

from assent.hosts.chat.tools.collections import collection_tools
from assent.hosts.chat.tools.command import command_tool
from assent.hosts.chat.tools.context import ToolContext
from assent.hosts.chat.tools.document_index import DocumentIndex, open_index
from assent.hosts.chat.tools.fetch import AddressGuard, Fetcher
from assent.hosts.chat.tools.file_changes import apply_change_tool, write_file_tool
from assent.hosts.chat.tools.file_reading import list_files_tool, read_file_tool, search_files_tool
from assent.hosts.chat.tools.kernel_port import kernel_tools, open_kernel
from assent.hosts.chat.tools.media import generate_image_tool, text_to_speech_tool
from assent.hosts.chat.tools.settings import ToolSettings
from assent.hosts.chat.tools.todo import TodoLists, todo_tool
from assent.hosts.chat.tools.tool import ChatTool
from assent.hosts.chat.tools.web import web_fetch_tool, web_search_tool

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class McpServerTools(Protocol):
    """A connection to an MCP server; its module is imported only if the library is installed."""

    async def tools(self) -> tuple[ChatTool, ...]:
        """The tools that the server offers now."""
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
    """What tools share over all runs of a process; a tool whose resource is missing is absent."""

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
    """The resources of a process; the browser and the MCP servers start at their first use."""
    guard = AddressGuard(settings.allow_private)
    browser = _open_browser(settings, guard, environ)
    servers = _mcp_servers(settings)
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
    """The tools of one run; what a client sends has no influence on them."""
    offered = await asyncio.gather(*(server.tools() for server in resources.mcp_servers))
    by_name: dict[str, ChatTool] = {}
    for tool in (*_own_tools(resources, context), *(tool for tools in offered for tool in tools)):
        # The first tool keeps its name: a second one would run on decisions about the first.
        by_name.setdefault(tool.name, tool)
    return tuple(tool for tool in by_name.values() if tool.name not in resources.settings.without)


def _own_tools(resources: ToolResources, context: ToolContext) -> Iterator[ChatTool]:
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
    kernel = open_kernel(context.place.roots[0], resources.fetcher)
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
    """A browser if Playwright and a Chromium are installed."""
    path = environ.get("PATH")
    found = (shutil.which(name, path=path) for name in CHROMIUM_NAMES)
    executable = settings.chromium or environ.get("ASSENT_CHROMIUM") or next(filter(None, found), None)
    if executable is None or not os.access(executable, os.X_OK) or find_spec("playwright") is None:
        return None
    return cast("BrowserPages", import_module("assent.hosts.chat.tools.browser").Browser(executable, guard))


def _mcp_servers(settings: ToolSettings) -> tuple[McpServerTools, ...]:
    if not settings.mcp or find_spec("mcp") is None:
        return ()
    connection = import_module("assent.hosts.chat.tools.mcp").McpConnection
    return tuple(cast("McpServerTools", connection(one)) for one in settings.mcp)
