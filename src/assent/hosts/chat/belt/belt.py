"""The belt: every tool whose backing is there, composed anew for each run."""

import asyncio
import os
import shutil
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, cast

from assent.hosts.chat.belt.addresses import Guard
from assent.hosts.chat.belt.change import apply_change
from assent.hosts.chat.belt.collections import collection_tools
from assent.hosts.chat.belt.command import run_command
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.fetch import Fetcher
from assent.hosts.chat.belt.listing import list_files
from assent.hosts.chat.belt.media import generate_image, text_to_speech
from assent.hosts.chat.belt.nodes import kernel_tools
from assent.hosts.chat.belt.read import read_file
from assent.hosts.chat.belt.search import search_files
from assent.hosts.chat.belt.settings import Settings
from assent.hosts.chat.belt.shelf.opening import open_shelf
from assent.hosts.chat.belt.shelf.port import Shelf
from assent.hosts.chat.belt.todo import Todos, todo_write
from assent.hosts.chat.belt.tool import BeltTool
from assent.hosts.chat.belt.web import web_fetch, web_search
from assent.hosts.chat.belt.write import write_file
from assent.hosts.chat.kernel.local import LocalKernel
from assent.hosts.chat.kernel.port import Kernel

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class McpTools(Protocol):
    """An MCP server, as far as composing goes."""

    async def tools(self) -> tuple[BeltTool, ...]:
        """What it offers now."""
        ...

    async def close(self) -> None:
        """Let it go."""
        ...


class Pages(Protocol):
    """A browser, as far as its owner goes."""

    async def leave(self, conversation: str) -> None:
        """Close what a conversation had open."""
        ...

    async def close(self) -> None:
        """End it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Backing:
    """What outlives a run: connections, the browser, the lists. A tool without it is absent."""

    settings: Settings
    fetcher: Fetcher
    todos: Todos
    shelf: Shelf | None = None
    kernel: Kernel | None = None
    """None: one in this process, on the workspace of each run."""
    browser: Pages | None = None
    servers: tuple[McpTools, ...] = ()


@asynccontextmanager
async def open_backing(
    settings: Settings, *, kernel: Kernel | None = None, environ: Mapping[str, str] = os.environ
) -> AsyncGenerator[Backing]:
    """Everything the belt stands on, for as long as a process lives; nothing is started before it is used."""
    guard = Guard(settings.allow_private)
    browser = _browser(settings, guard, environ)
    servers = _servers(settings)
    async with AsyncExitStack() as stack:
        for server in servers:
            stack.push_async_callback(server.close)
        if browser is not None:
            stack.push_async_callback(browser.close)
        yield Backing(
            settings=settings,
            fetcher=Fetcher(guard, most=settings.limits.fetch_bytes),
            todos=Todos(),
            shelf=open_shelf(settings.collections) if settings.collections else None,
            kernel=kernel,
            browser=browser,
            servers=servers,
        )


async def compose(backing: Backing, context: Context) -> tuple[BeltTool, ...]:
    """The tools of one run, the server's word alone: what is not backed, or not wanted, is absent."""
    offered = await asyncio.gather(*(server.tools() for server in backing.servers))
    found: dict[str, BeltTool] = {}
    for tool in (*_own(backing, context), *(tool for tools in offered for tool in tools)):
        # One name, one tool: a second one would run on what was decided of the first.
        found.setdefault(tool.name, tool)
    return tuple(tool for tool in found.values() if tool.name not in backing.settings.without)


def _own(backing: Backing, context: Context) -> Iterator[BeltTool]:
    settings = backing.settings
    yield from (read_file(), list_files(), search_files(), write_file(), apply_change())
    command = run_command(more=settings.environment)
    if command is not None:
        yield command
    yield web_fetch(backing.fetcher)
    if settings.search:
        yield web_search(backing.fetcher, settings.search)
    if backing.browser is not None:
        yield cast("BeltTool", import_module("assent.hosts.chat.belt.browser").browser(backing.browser))
    if backing.shelf is not None:
        yield from collection_tools(backing.shelf)
    yield from kernel_tools(backing.kernel or LocalKernel(context.place.roots[0], backing.fetcher))
    if settings.image is not None:
        yield generate_image(settings.image)
    if settings.speech is not None:
        yield text_to_speech(settings.speech)
    yield todo_write(backing.todos)


def _browser(settings: Settings, guard: Guard, environ: Mapping[str, str]) -> Pages | None:
    """A browser, if Playwright and a Chromium are installed; the import is as optional as they are."""
    path = environ.get("PATH")
    found = (shutil.which(name, path=path) for name in CHROMIUMS)
    executable = settings.chromium or environ.get("ASSENT_CHROMIUM") or next(filter(None, found), None)
    if executable is None or not os.access(executable, os.X_OK) or find_spec("playwright") is None:
        return None
    return cast("Pages", import_module("assent.hosts.chat.belt.browser").Browser(executable, guard))


def _servers(settings: Settings) -> tuple[McpTools, ...]:
    if not settings.mcp or find_spec("mcp") is None:
        return ()
    server = import_module("assent.hosts.chat.belt.mcp").Server
    return tuple(cast("McpTools", server(one)) for one in settings.mcp)
