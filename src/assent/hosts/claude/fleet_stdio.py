"""The fleet's MCP server over stdio: a process of one agent that passes its requests on to the fleet.

The client starts it as `python -I -m assent.hosts.claude.fleet_stdio URL`. The secret that proves which agent
calls comes from the environment alone, and the fleet checks it at each request.
"""

import asyncio
import os
import sys
from typing import cast

import httpx2
import mcp_types as types
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from assent.hosts.claude.command_line import SECRET_VARIABLE
from assent.version import __version__

_CALL_ID = "claudecode/toolUseId"
"""The field in which the client names the call that it makes."""
Context = ServerRequestContext[object]


async def serve(url: str, secret: str) -> None:
    """Answer requests on standard input until it ends; a fleet that is gone is an error of each request."""
    headers = {"Authorization": f"Bearer {secret}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=None, trust_env=False) as http,
        Client(streamable_http_client(url, http_client=http)) as fleet,
    ):
        server = build_server(fleet)
        async with stdio_server() as (requests, replies):
            await server.run(requests, replies, server.create_initialization_options())


def build_server(fleet: Client) -> Server[object]:
    """A server with the tools of the fleet, called through a client that has the secret of the agent."""

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return await fleet.list_tools()

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        async def report_progress(progress: float, total: float | None, message: str | None) -> None:
            await context.session.report_progress(progress, total, message)

        caller = (context.meta or {}).get(_CALL_ID)
        meta = {} if caller is None else {_CALL_ID: caller}
        return await fleet.call_tool(
            params.name,
            params.arguments,
            progress_callback=report_progress,
            meta=cast("types.RequestParamsMeta", meta),
        )

    return Server("assent-fleet", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)


def main(words: list[str]) -> int:
    """Serve one agent; return the exit status of the process."""
    secret = os.environ.get(SECRET_VARIABLE, "")
    if len(words) != 1 or not secret:
        sys.stderr.write(f"assent: this program needs the address of a fleet, and {SECRET_VARIABLE}\n")
        return 2
    asyncio.run(serve(words[0], secret))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
