"""The tools of the operator's MCP servers, each named `mcp__server__tool`."""

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

from assent.engine.base.tool import Effect, Tool
from assent.errors import AssentError
from assent.gate.catalog import TrustLevel
from assent.gate.ids import check_name
from assent.hosts.chat.tools.settings import McpServer
from assent.hosts.chat.tools.text import replace_invalid_characters, to_json_object
from assent.hosts.chat.tools.tool import Arguments, ChatTool, ToolContext, ToolError, ToolResult

_CALL_SECONDS = 300
_CONNECT_SECONDS = 20
_CLOSE_SECONDS = 5
_RETRY_SECONDS = 30
"""Seconds to wait before the next attempt after a failed connection."""
_MAX_TOOLS = 500
_MAX_PAGES = 50

_log = logging.getLogger("assent.chat.mcp")


class McpConnection:
    """A connection to one MCP server, in its own task; reconnects after the connection is lost."""

    def __init__(self, settings: McpServer, *, connect_seconds: float = _CONNECT_SECONDS) -> None:
        self.settings = settings
        self._connect_seconds = connect_seconds
        self._client: Client | None = None
        self._holder: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()
        self._connect_lock = asyncio.Lock()
        self._retry_at = 0.0

    async def list_tools(self) -> tuple[ChatTool, ...]:
        """The current tools of the server; empty if the server cannot be reached."""
        try:
            async with asyncio.timeout(2 * self._connect_seconds):
                client = await self._connect()
                found = await _list_tools(client)
        except Exception as error:  # noqa: BLE001 - the run continues, whatever a server does
            _log.warning(
                "the tools of MCP server `%s` are absent: %s", self.settings.name, type(error).__name__
            )
            self._retry_at = monotonic() + _RETRY_SECONDS
            await self.close()
            return ()
        return tuple(tool for one in found if (tool := self._to_chat_tool(one)) is not None)

    async def call_tool(self, name: str, args: Mapping[str, object], context: ToolContext) -> ToolResult:
        """Call a tool of the server; a call whose response was lost is not repeated."""
        client = await self._connect()

        async def show_progress(progress: float, total: float | None, message: str | None) -> None:
            counted = f"{progress:g}" if total is None else f"{progress:g}/{total:g}"
            await context.progress(message or counted)

        try:
            answer = await client.call_tool(name, dict(args), _CALL_SECONDS, show_progress)
        except MCPError as error:
            if error.code != mcp_types.CONNECTION_CLOSED:
                raise ToolError(f"MCP server `{self.settings.name}` answered: {error.message}") from None
            raise await self._close_lost_connection() from None
        except (OSError, RuntimeError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise await self._close_lost_connection() from None
        return _to_tool_result(answer)

    async def close(self) -> None:
        """Close the connection; the next call opens a new one."""
        holder, self._holder, self._client = self._holder, None, None
        if holder is not None:
            self._stop.set()
            await asyncio.wait([holder], timeout=_CLOSE_SECONDS)
            holder.cancel()

    async def _close_lost_connection(self) -> ToolError:
        """Close the connection, and return the error for the call that was interrupted."""
        await self.close()
        return ToolError(
            f"MCP server `{self.settings.name}` went away; it is not known whether it made the call"
        )

    async def _connect(self) -> Client:
        async with self._connect_lock:
            if self._client is not None and self._holder is not None and not self._holder.done():
                return self._client
            self._client = None
            if monotonic() < self._retry_at:
                raise ToolError(f"MCP server `{self.settings.name}` cannot be reached")
            ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
            self._stop = asyncio.Event()
            # The task that opened a transport must close it, and calls come from many tasks.
            self._holder = holder = asyncio.create_task(self._keep_connection_open(ready, self._stop))
            try:
                self._client = client = await asyncio.wait_for(ready, self._connect_seconds)
            except (TimeoutError, ToolError):
                self._retry_at = monotonic() + _RETRY_SECONDS
                raise ToolError(f"MCP server `{self.settings.name}` cannot be reached") from None
            finally:
                if self._client is None:
                    holder.cancel()
            return client

    async def _keep_connection_open(self, ready: asyncio.Future[Client], stop: asyncio.Event) -> None:
        """Open the connection, publish it in `ready`, and keep it open until `stop` is set."""
        try:
            async with _open_client(self.settings) as client:
                ready.set_result(client)
                await stop.wait()
        except Exception as error:  # noqa: BLE001 - whatever a server does, it only becomes unavailable
            _log.warning("MCP server `%s` is gone: %s", self.settings.name, type(error).__name__)
            if not ready.done():
                ready.set_exception(ToolError("it cannot be reached"))

    def _to_chat_tool(self, found: mcp_types.Tool) -> ChatTool | None:
        name = f"mcp__{self.settings.name}__{found.name}"
        try:
            check_name("tool", name)
        except AssentError:
            _log.warning("a tool of MCP server `%s` is absent: its name cannot be used", self.settings.name)
            return None
        tool = Tool(
            name=name,
            effect=self._tool_effect(found.annotations),
            description=replace_invalid_characters(found.description or ""),
            parameters=to_json_object(found.input_schema),
            origin=f"mcp:{self.settings.name}",
            group=f"mcp__{self.settings.name}",
        )
        trust = TrustLevel.TRUSTED if self.settings.trusted else TrustLevel.CLIENT

        async def call_server_tool(args: Arguments, context: ToolContext) -> ToolResult:
            return await self.call_tool(found.name, args.values, context)

        return ChatTool(
            tool=tool, work=call_server_tool, seconds=_CALL_SECONDS + 10, trust=trust, provider="mcp"
        )

    def _tool_effect(self, hints: mcp_types.ToolAnnotations | None) -> Effect:
        """The effect of a tool; hints can make it stricter, and looser only if the server is trusted."""
        if hints is not None and hints.destructive_hint is True:
            return Effect.DESTRUCTIVE
        reads = hints is not None and hints.read_only_hint is True
        return Effect.READ if reads and self.settings.trusted else Effect.EXTERNAL


@asynccontextmanager
async def _open_client(settings: McpServer) -> AsyncGenerator[Client]:
    async with AsyncExitStack() as stack:
        if settings.url:
            headers = {"Authorization": f"Bearer {settings.key}"} if settings.key else {}
            timeout = httpx2.Timeout(30, read=_CALL_SECONDS)
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=timeout))
            transport = streamable_http_client(settings.url, http_client=http)
        else:
            program, *words = settings.command
            # The error output of a server may contain secrets, so it is not logged.
            discarded = stack.enter_context(Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - the stack closes it
            parameters = StdioServerParameters(command=program, args=words, env=dict(settings.environment))
            transport = stdio_client(parameters, errlog=discarded)
        yield await stack.enter_async_context(Client(transport))


async def _list_tools(client: Client) -> list[mcp_types.Tool]:
    found: list[mcp_types.Tool] = []
    cursor: str | None = None
    for _ in range(_MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if not cursor:
            break
    return found[:_MAX_TOOLS]


def _to_tool_result(answer: mcp_types.CallToolResult) -> ToolResult:
    text = "\n".join(filter(None, map(_content_block_text, answer.content)))
    if not text and answer.structured_content is not None:
        text = json.dumps(answer.structured_content, indent=2, ensure_ascii=False)
    return ToolResult(
        text=text or "(nothing)", data={"structured": answer.structured_content}, failed=answer.is_error
    )


def _content_block_text(block: mcp_types.ContentBlock) -> str:
    match block:
        case mcp_types.TextContent():
            return block.text
        case mcp_types.ImageContent() | mcp_types.AudioContent():
            return f"({block.mime_type}, {len(block.data):,} characters of base64)"
        case mcp_types.ResourceLink():
            return str(block.uri)
        case mcp_types.EmbeddedResource():
            return str(getattr(block.resource, "text", block.resource.uri))
