"""A web page in this process: it declares tools, and answers the frames that it is sent."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from assent.gate.access import Principal
from assent.hosts.browser.connection import DEFAULT_LIMITS, PageConnection, RelayLimits
from assent.hosts.browser.manifest import SerializedTool, ToolKind
from assent.hosts.browser.pages import PageIdentity, Pages, ToolReview
from assent.wire.fields import Fields

ANA = Principal(id="ana")
PAGE = "page-of-ana-0001"
OTHER_ORIGIN = "https://crm.example"
Handler = Callable[[Mapping[str, Any]], object]


class Hangs:
    """The result of a handler that never answers."""


class Fails(Exception):
    """Raised by a handler whose call fails."""


def page_tool(
    name: str,
    *names: str,
    side_effect: bool = True,
    template: str | None = None,
    kind: ToolKind = ToolKind.AGENT_TOOL,
    description: str = "Does it.",
) -> SerializedTool:
    """A declared tool whose arguments are texts."""
    params = {"type": "object", "properties": {one: {"type": "string"} for one in names}}
    return SerializedTool(name, description, params, side_effect, template, kind)


class FakePage:
    """One page, with the handlers of its tools; every received call is kept."""

    def __init__(
        self,
        pages: Pages,
        conversation: str,
        handlers: Mapping[str, Handler] | None = None,
        *,
        page: str = PAGE,
        user: str = "ana",
        origin: str = "",
        limits: RelayLimits = DEFAULT_LIMITS,
    ) -> None:
        self.pages = pages
        self.handlers = dict(handlers or {})
        self.frames: list[dict[str, Any]] = []
        self.panes: list[dict[str, object]] = []
        self.contexts: dict[str, object] = {}
        self.files: dict[str, str] = {}
        """The files that panes show, by pane."""
        self.arrived = asyncio.Event()
        self.identity = PageIdentity(
            page=page,
            conversation=conversation,
            agent="chat",
            user=user,
            origin=origin or "http://own.test",
            is_own=not origin,
        )
        self._limits = limits
        self.connection = PageConnection(self._on_frame, limits)

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls that were relayed to the page."""
        return [one for one in self.frames if one["type"] == "tool_call"]

    async def open(self, *tools: SerializedTool) -> list[ToolReview]:
        """Connect, and declare these tools."""
        self.connection = PageConnection(self._on_frame, self._limits)
        self.pages.open(self.identity, self.connection)
        return await self.declare(*tools)

    async def declare(self, *tools: SerializedTool) -> list[ToolReview]:
        return await self.pages.declare(self.identity, self.connection, tools)

    def leave(self) -> None:
        self.pages.leave(self.identity, self.connection)

    def reply(self, **frame: object) -> None:
        """Send a frame to the server."""
        self.connection.receive(Fields(frame, "message"))

    async def _on_frame(self, frame: Mapping[str, object]) -> None:
        self.frames.append(dict(frame))
        self.arrived.set()
        match frame["type"]:
            case "tool_call":
                self._run(str(frame["id"]), str(frame["tool"]), frame["args"])
            case "panes_request":
                self.reply(type="panes", id=frame["id"], panes=self.panes)
            case "context_request" if frame["instance"] in self.contexts:
                value = self.contexts[str(frame["instance"])]
                file = self.files.get(str(frame["instance"]))
                source = {} if file is None else {"file": file}
                self.reply(type="context", id=frame["id"], ok=True, value=value, **source)
            case "context_request":
                self.reply(type="context", id=frame["id"], ok=False, error="this pane is closed")

    def _run(self, id: str, tool: str, args: Any) -> None:
        try:
            value = self.handlers[tool](args)
        except Fails as error:
            self.reply(type="tool_result", id=id, ok=False, error=str(error))
            return
        if not isinstance(value, Hangs):
            self.reply(type="tool_result", id=id, ok=True, value=value)
