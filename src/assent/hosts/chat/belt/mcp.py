"""The tools of MCP servers that an operator configured, each as `mcp__server__tool`."""

import asyncio
import json
import logging
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from time import monotonic

import anyio
import httpx2
import mcp_types
from mcp import MCPError, StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from assent.engine.model import Effect, Tool
from assent.errors import AssentError
from assent.gate.catalog import Trust
from assent.gate.ids import check_name
from assent.hosts.chat.belt.arguments import Arguments
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.fault import FaultError
from assent.hosts.chat.belt.plain import plain_object, plain_text
from assent.hosts.chat.belt.settings import McpServer
from assent.hosts.chat.belt.tool import BeltTool, Result

_SECONDS = 300
_CONNECT = 20
_LEAVE = 5
_PAUSE = 30
"""Seconds before a server that could not be reached is tried again."""
_MOST_TOOLS = 500
_MOST_PAGES = 50

_log = logging.getLogger("assent.chat.mcp")


class Server:
    """A connection to one server, kept by a task of its own and made anew when it was lost."""

    def __init__(self, settings: McpServer, *, patience: float = _CONNECT) -> None:
        self.settings = settings
        self._patience = patience
        self._client: Client | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()
        self._connecting = asyncio.Lock()
        self._not_before = 0.0

    async def tools(self) -> tuple[BeltTool, ...]:
        """What the server offers now; none when it cannot be reached."""
        try:
            async with asyncio.timeout(2 * self._patience):
                client = await self._connected()
                found = await _listed(client)
        except Exception as error:  # noqa: BLE001 - whatever somebody else's program answers, the run goes on
            _log.warning(
                "the tools of MCP server `%s` are absent: %s", self.settings.name, type(error).__name__
            )
            self._not_before = monotonic() + _PAUSE
            await self.close()
            return ()
        return tuple(tool for one in found if (tool := self._tool(one)) is not None)

    async def call(self, name: str, args: Mapping[str, object], context: Context) -> Result:
        """Call a tool, once: a call whose answer was lost is not made again."""
        client = await self._connected()

        async def heard(progress: float, total: float | None, message: str | None) -> None:
            counted = f"{progress:g}" if total is None else f"{progress:g}/{total:g}"
            await context.progress(message or counted)

        try:
            answer = await client.call_tool(name, dict(args), _SECONDS, heard)
        except MCPError as error:
            if error.code != mcp_types.CONNECTION_CLOSED:
                raise FaultError(f"MCP server `{self.settings.name}` answered: {error.message}") from None
            raise await self._lost() from None
        except (OSError, RuntimeError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise await self._lost() from None
        return _result(answer)

    async def close(self) -> None:
        """Let the connection go; the next call makes another."""
        keeper, self._keeper, self._client = self._keeper, None, None
        if keeper is not None:
            self._stop.set()
            await asyncio.wait([keeper], timeout=_LEAVE)
            keeper.cancel()

    async def _lost(self) -> FaultError:
        await self.close()
        return FaultError(f"MCP server `{self.settings.name}` went away; whether it did it is not known")

    async def _connected(self) -> Client:
        async with self._connecting:
            if self._client is not None and self._keeper is not None and not self._keeper.done():
                return self._client
            self._client = None
            if monotonic() < self._not_before:
                raise FaultError(f"MCP server `{self.settings.name}` cannot be reached")
            ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
            self._stop = asyncio.Event()
            # Its transports must be left by the task that entered them, and calls come from many tasks.
            self._keeper = keeper = asyncio.create_task(self._keep(ready, self._stop))
            try:
                self._client = client = await asyncio.wait_for(ready, self._patience)
            except (TimeoutError, FaultError):
                self._not_before = monotonic() + _PAUSE
                raise FaultError(f"MCP server `{self.settings.name}` cannot be reached") from None
            finally:
                if self._client is None:
                    keeper.cancel()
            return client

    async def _keep(self, ready: asyncio.Future[Client], stop: asyncio.Event) -> None:
        try:
            async with _client(self.settings) as client:
                ready.set_result(client)
                await stop.wait()
        except Exception as error:  # noqa: BLE001 - somebody else's program: whatever it does, it is absent
            _log.warning("MCP server `%s` is gone: %s", self.settings.name, type(error).__name__)
            if not ready.done():
                ready.set_exception(FaultError("it cannot be reached"))

    def _tool(self, found: mcp_types.Tool) -> BeltTool | None:
        name = f"mcp__{self.settings.name}__{found.name}"
        try:
            check_name("tool", name)
        except AssentError:
            _log.warning("a tool of MCP server `%s` is absent: its name cannot be used", self.settings.name)
            return None
        tool = Tool(
            name=name,
            effect=self._effect(found.annotations),
            description=plain_text(found.description or ""),
            parameters=plain_object(found.input_schema),
            origin=f"mcp:{self.settings.name}",
            group=f"mcp__{self.settings.name}",
        )
        trust = Trust.TRUSTED if self.settings.trusted else Trust.CLIENT

        async def work(args: Arguments, context: Context) -> Result:
            return await self.call(found.name, args.values, context)

        return BeltTool(tool=tool, work=work, seconds=_SECONDS + 10, trust=trust, provider="mcp")

    def _effect(self, hints: mcp_types.ToolAnnotations | None) -> Effect:
        """What a tool can do: a hint always raises it, and lowers it only where the server is trusted."""
        if hints is not None and hints.destructive_hint is True:
            return Effect.DESTRUCTIVE
        reads = hints is not None and hints.read_only_hint is True
        return Effect.READ if reads and self.settings.trusted else Effect.EXTERNAL


@asynccontextmanager
async def _client(settings: McpServer) -> AsyncGenerator[Client]:
    async with AsyncExitStack() as stack:
        if settings.url:
            headers = {"Authorization": f"Bearer {settings.key}"} if settings.key else {}
            timeout = httpx2.Timeout(30, read=_SECONDS)
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=timeout))
            transport = streamable_http_client(settings.url, http_client=http)
        else:
            program, *words = settings.command
            # What it says on the side may hold anything; it is not for our log.
            unheard = stack.enter_context(Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - the stack closes it
            parameters = StdioServerParameters(command=program, args=words, env=dict(settings.environment))
            transport = stdio_client(parameters, errlog=unheard)
        yield await stack.enter_async_context(Client(transport))


async def _listed(client: Client) -> list[mcp_types.Tool]:
    found: list[mcp_types.Tool] = []
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if not cursor:
            break
    return found[:_MOST_TOOLS]


def _result(answer: mcp_types.CallToolResult) -> Result:
    text = "\n".join(filter(None, map(_said, answer.content)))
    if not text and answer.structured_content is not None:
        text = json.dumps(answer.structured_content, indent=2, ensure_ascii=False)
    return Result(
        text=text or "(nothing)", data={"structured": answer.structured_content}, failed=answer.is_error
    )


def _said(block: mcp_types.ContentBlock) -> str:
    match block:
        case mcp_types.TextContent():
            return block.text
        case mcp_types.ImageContent() | mcp_types.AudioContent():
            return f"({block.mime_type}, {len(block.data):,} characters of base64)"
        case mcp_types.ResourceLink():
            return str(block.uri)
        case mcp_types.EmbeddedResource():
            return str(getattr(block.resource, "text", block.resource.uri))
