"""Tools of MCP servers: named after their server, trusted only if configured, called at most once."""

import asyncio
import socket
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from mcp.server.mcpserver import MCPServer

from assent.engine.base.tool import Effect
from assent.gate.catalog import TrustLevel
from assent.hosts.chat.tools.mcp import McpConnection
from assent.hosts.chat.tools.settings import McpServer
from tests.hosts.chat.tools.support import find_tool, make_context, succeeded_and_text, workspace

HOSTILE = str(Path(__file__).with_name("hostile_server.py"))
PROGRAM = str(Path(__file__).with_name("mcp_server.py"))


@asynccontextmanager
async def open_mcp_server(
    log: Path, *, trusted: bool = False, **environment: str
) -> AsyncGenerator[McpConnection]:
    settings = McpServer(
        name="notes", command=(sys.executable, PROGRAM, str(log)), environment=environment, trusted=trusted
    )
    server = McpConnection(settings)
    try:
        yield server
    finally:
        await server.close()


async def test_a_tool_of_an_mcp_server_runs_and_reports_progress(tmp_path: Path) -> None:
    heard: list[str] = []

    async def record_progress(text: str) -> None:
        heard.append(text)

    context = make_context(workspace(tmp_path), progress=record_progress)
    async with open_mcp_server(tmp_path / "log", SOME_TOKEN="x") as server:
        tools = await server.list_tools()
        result = await find_tool(tools, "mcp__notes__note").run_call({"text": "a heron"}, context)
        seen = await find_tool(tools, "mcp__notes__variables").run_call({}, context)

    assert succeeded_and_text(result) == (True, "noted")
    assert heard == ["half of it"]
    assert (tmp_path / "log").read_text("utf-8") == "a heron\n"
    assert "SOME_TOKEN" in seen.text.split()
    assert "PYTEST_CURRENT_TEST" not in seen.text


@pytest.mark.proves("R000-8", "T-6")
async def test_hints_make_the_effect_stricter_and_looser_only_for_a_trusted_server(tmp_path: Path) -> None:
    effects: list[dict[str, Effect]] = []
    for trusted in (False, True):
        async with open_mcp_server(tmp_path / "log", trusted=trusted) as server:
            tools = await server.list_tools()
            effects.append({tool.name: tool.tool.effect for tool in tools})
            assert {tool.declared_tool.trust for tool in tools} == {
                TrustLevel.TRUSTED if trusted else TrustLevel.CLIENT
            }
            assert {tool.declared_tool.tool.origin for tool in tools} == {"mcp:notes"}

    doubted, believed = effects
    assert doubted["mcp__notes__look_up"] is Effect.EXTERNAL
    assert believed["mcp__notes__look_up"] is Effect.READ
    assert doubted["mcp__notes__drop"] is believed["mcp__notes__drop"] is Effect.DESTRUCTIVE
    assert doubted["mcp__notes__note"] is believed["mcp__notes__note"] is Effect.EXTERNAL


async def test_a_tool_that_fails_is_a_failed_result(tmp_path: Path) -> None:
    context = make_context(workspace(tmp_path))
    async with open_mcp_server(tmp_path / "log") as server:
        tools = await server.list_tools()
        failed = await find_tool(tools, "mcp__notes__boom").run_call({}, context)
        wrong = await find_tool(tools, "mcp__notes__look_up").run_call({"word": 7}, context)
        after = await find_tool(tools, "mcp__notes__look_up").run_call({"word": "reed"}, context)

    assert failed.failed
    assert wrong.failed
    assert succeeded_and_text(after) == (True, "REED")


async def test_a_call_during_which_the_server_dies_is_not_repeated_and_the_next_call_works(
    tmp_path: Path,
) -> None:
    context = make_context(workspace(tmp_path))
    async with open_mcp_server(tmp_path / "log") as server:
        tools = await server.list_tools()
        died = await find_tool(tools, "mcp__notes__die").run_call({}, context)
        after = await find_tool(tools, "mcp__notes__look_up").run_call({"word": "reed"}, context)

    assert succeeded_and_text(died) == (
        False,
        "MCP server `notes` went away; it is not known whether it made the call",
    )
    assert (tmp_path / "log").read_text("utf-8") == "dying\n"
    assert succeeded_and_text(after) == (True, "REED")


async def test_a_tool_that_takes_too_long_is_cancelled_and_the_server_stays_connected(tmp_path: Path) -> None:
    context = make_context(workspace(tmp_path))
    async with open_mcp_server(tmp_path / "log") as server:
        tools = await server.list_tools()
        slow = replace(find_tool(tools, "mcp__notes__wait"), seconds=0.3)
        result = await slow.run_call({}, context)
        after = await find_tool(tools, "mcp__notes__look_up").run_call({"word": "reed"}, context)

    assert succeeded_and_text(result) == (
        False,
        "`mcp__notes__wait` took longer than 0.3 seconds and was ended",
    )
    assert succeeded_and_text(after) == (True, "REED")


@pytest.mark.parametrize(
    "settings",
    [
        McpServer(name="gone", command=("/nonexistent/server",)),
        McpServer(name="mute", command=(sys.executable, "-c", "pass")),
        McpServer(name="far", url="http://127.0.0.1:1/mcp"),
        McpServer(name="bad", command=(sys.executable, HOSTILE, "malformed")),
        McpServer(name="endless", command=(sys.executable, HOSTILE, "endless")),
    ],
)
async def test_a_missing_server_has_no_tools_and_does_not_stop_the_run(settings: McpServer) -> None:
    server = McpConnection(settings)

    assert await asyncio.wait_for(server.list_tools(), 60) == ()
    assert await asyncio.wait_for(server.list_tools(), 60) == ()
    await server.close()


@pytest.mark.proves("T-36")
async def test_a_tool_with_a_name_invalid_in_rules_is_absent() -> None:
    server = McpConnection(McpServer(name="odd", command=(sys.executable, HOSTILE, "names")))
    try:
        assert {tool.name for tool in await server.list_tools()} == {"mcp__odd__good"}
    finally:
        await server.close()


async def test_a_server_that_sends_garbage_times_out() -> None:
    server = McpConnection(
        McpServer(name="babble", command=(sys.executable, HOSTILE, "babble")), connect_seconds=1
    )
    try:
        assert await asyncio.wait_for(server.list_tools(), 60) == ()
    finally:
        await server.close()


async def test_a_server_at_a_url_gets_its_key(tmp_path: Path) -> None:
    keys: list[str] = []
    notes = MCPServer("notes")

    @notes.tool()
    def look_up(word: str) -> str:
        """Look a word up."""
        return word.upper()

    async with serve_mcp(notes, keys) as url:
        server = McpConnection(McpServer(name="far", url=url, key="canary-key"))
        tools = await server.list_tools()
        result = await find_tool(tools, "mcp__far__look_up").run_call(
            {"word": "reed"}, make_context(workspace(tmp_path))
        )
        await server.close()

    assert succeeded_and_text(result) == (True, "REED")
    assert set(keys) == {"Bearer canary-key"}


@asynccontextmanager
async def serve_mcp(notes: MCPServer, keys: list[str]) -> AsyncGenerator[str]:
    """Serve an MCP server on loopback, and record the keys of its clients."""
    inner = notes.streamable_http_app()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            keys.append(dict(scope["headers"]).get(b"authorization", b"").decode())
        await inner(scope, receive, send)

    with socket.create_server(("127.0.0.1", 0)) as door:
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1))
        serving = asyncio.create_task(server.serve(sockets=[door]))
        try:
            yield f"http://127.0.0.1:{door.getsockname()[1]}/mcp"
        finally:
            server.should_exit = True
            await serving
