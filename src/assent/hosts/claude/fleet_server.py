"""The fleet's own server on loopback: MCP over streamable HTTP at `/mcp`, and the hook at `/hook`.

Every request needs the secret of one agent in its `Authorization` header; arguments never say who calls.
"""

import asyncio
import hmac
import os
import shlex
import socket
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Protocol, cast

import httpx2
import mcp_types as types
import uvicorn
from mcp import MCPError, StdioServerParameters
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from assent.config.fleet import Transport
from assent.errors import AssentError
from assent.hosts.claude import hook_program
from assent.hosts.claude.command_line import PROMPT_TOOL, SECRET_VARIABLE, stdio_words
from assent.hosts.claude.fleet_tools import Arguments, FleetTool, OnWaiting
from assent.version import __version__

HOST = "127.0.0.1"
MAX_EVENT_BYTES = 10_000_000
DISCOVERY_SECONDS = 15.0
"""How long the check before the first agent may take."""
_CALL_ID = "claudecode/toolUseId"
"""The field in which the client names the call that it makes."""
Context = ServerRequestContext[object, Request]


class AgentRequests(Protocol):
    """The requests of agents, which the fleet answers."""

    def agent_with_secret(self, secret: str) -> str | None:
        """The agent that has this secret."""
        ...

    def offered_to(self, agent: str) -> list[FleetTool]:
        """The tools of an agent."""
        ...

    async def answer_hook(self, agent: str, data: bytes) -> str:
        """What the hook prints for an event."""
        ...

    async def answer_prompt(
        self, agent: str, arguments: Arguments, on_waiting: OnWaiting, caller_id: str
    ) -> str:
        """The reply of the prompt tool."""
        ...

    async def run_tool(self, agent: str, name: str, arguments: Arguments, on_waiting: OnWaiting) -> str:
        """The result of any other tool."""
        ...


class FleetServer:
    """A server that agents reach at `address`; it listens from its creation."""

    def __init__(self, requests: AgentRequests, port: int = 0) -> None:
        self._requests = requests
        try:
            self._socket = socket.create_server((HOST, port))
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            raise AssentError(f"the MCP server cannot listen on port {port}: {reason}") from None

    @property
    def address(self) -> str:
        """Host and port."""
        return f"{HOST}:{self._socket.getsockname()[1]}"

    @property
    def url(self) -> str:
        """The address of the MCP server."""
        return f"http://{self.address}/mcp"

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Serve requests until the end of the block."""
        config = uvicorn.Config(
            self._build_app(),
            log_level="warning",
            access_log=False,
            lifespan="on",
            timeout_graceful_shutdown=1,
        )
        server = _QuietServer(config)
        serving = asyncio.create_task(server.serve(sockets=[self._socket]), name="assent fleet server")
        try:
            yield
        finally:
            server.should_exit = True
            with suppress(asyncio.CancelledError):
                await serving
            self._socket.close()

    async def check_discoverable(self, secret: str, transport: Transport = Transport.HTTP) -> None:
        """Find the prompt tool as an agent does; raises an error within seconds if it cannot be found."""
        try:
            async with asyncio.timeout(DISCOVERY_SECONDS):
                names = await _find_tool_names(self.url, secret, transport)
        except TimeoutError:
            raise AssentError(f"the MCP server at {self.url} gives no answer; no agent was started") from None
        except (OSError, httpx2.HTTPError, MCPError, ExceptionGroup) as error:
            raise AssentError(
                f"the MCP server at {self.url} does not work ({type(error).__name__}); no agent was started"
            ) from None
        if PROMPT_TOOL not in names:
            raise AssentError(f"the MCP server at {self.url} has no `{PROMPT_TOOL}`; no agent was started")

    def _build_app(self) -> ASGIApp:
        server: Server[object] = Server(
            "assent-fleet",
            version=__version__,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        app = server.streamable_http_app(host=HOST)
        app.router.routes.append(Route("/hook", self._answer_hook_request, methods=["POST"]))
        return _SecretCheck(app, self._requests.agent_with_secret)

    async def _list_tools(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        del params
        offered = self._requests.offered_to(self._calling_agent(context))
        return types.ListToolsResult(
            tools=[
                types.Tool(name=tool.name, description=tool.description, input_schema=tool.schema)
                for tool in offered
            ]
        )

    async def _call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        agent = self._calling_agent(context)
        arguments = cast("Mapping[str, object]", params.arguments or {})
        count = 0

        async def report_waiting() -> None:
            nonlocal count
            count += 1
            await context.session.report_progress(float(count), None, "waiting for a person")

        try:
            if params.name == PROMPT_TOOL:
                caller = str((context.meta or {}).get(_CALL_ID) or "")
                text = await self._requests.answer_prompt(agent, arguments, report_waiting, caller)
            else:
                text = await self._requests.run_tool(agent, params.name, arguments, report_waiting)
        except AssentError as error:
            return _text_result(str(error), is_error=True)
        # One block of text and nothing structured, or the client refuses the reply of its prompt tool.
        return _text_result(text)

    async def _answer_hook_request(self, request: Request) -> Response:
        data = b""
        async for chunk in request.stream():
            data += chunk
            if len(data) > MAX_EVENT_BYTES:
                return PlainTextResponse("the event is too large", status_code=413)
        try:
            text = await self._requests.answer_hook(request.state.agent, data)
        except AssentError as error:
            return PlainTextResponse(str(error), status_code=400)
        return PlainTextResponse(text) if text else Response(status_code=204)

    def _calling_agent(self, context: Context) -> str:
        request = context.request
        found = (
            None if request is None else self._requests.agent_with_secret(_secret_of_request(request.scope))
        )
        if found is None:
            raise AssentError("the secret of this agent is not valid")
        return found


class _SecretCheck:
    """Refuses every request without the secret of an agent."""

    def __init__(self, app: ASGIApp, find_agent: Callable[[str], str | None]) -> None:
        self._build_app = app
        self._find_agent = find_agent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            agent = self._find_agent(_secret_of_request(scope))
            if agent is None:
                refused = PlainTextResponse("the secret of this agent is not valid", status_code=401)
                await refused(scope, receive, send)
                return
            scope.setdefault("state", {})["agent"] = agent
        await self._build_app(scope, receive, send)


class _QuietServer(uvicorn.Server):
    """A server that installs no signal handlers, because the command has its own."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Install no signal handlers."""
        yield


def hook_words(address: str, seconds: float | None = None) -> str:
    """The shell words that start the hook of an agent; `seconds` limits the time for an answer."""
    more = () if seconds is None else (str(seconds),)
    return shlex.join([sys.executable, "-IS", os.path.abspath(hook_program.__file__), address, *more])


def is_same_secret(given: str, expected: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(given.encode(), expected.encode())


def _secret_of_request(scope: Scope) -> str:
    found = [value for name, value in scope["headers"] if name == b"authorization"]
    kind, _, secret = (found[0].decode("latin-1") if len(found) == 1 else "").partition(" ")
    return secret if kind == "Bearer" else ""


async def _find_tool_names(url: str, secret: str, transport: Transport) -> set[str]:
    if transport is Transport.STDIO:
        command, *args = stdio_words(url)
        parameters = StdioServerParameters(command=command, args=args, env={SECRET_VARIABLE: secret})
        async with Client(parameters) as client:
            return {tool.name for tool in (await client.list_tools()).tools}
    headers = {"Authorization": f"Bearer {secret}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=DISCOVERY_SECONDS, trust_env=False) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        return {tool.name for tool in (await client.list_tools()).tools}


def _text_result(text: str, *, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=is_error)
