"""One connected page: the requests that it was sent, and its replies."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from assent.config.strictjson import read_json
from assent.errors import AssentError, InputError
from assent.gate.ids import new_id
from assent.hosts.browser.manifest import TextParts
from assent.wire.fields import Fields

MAX_ERROR_CHARACTERS = 4_000
MAX_PROGRESS_CHARACTERS = 20_000
MAX_PANES = 100
MAX_OPEN_REQUESTS = 200
"""The maximum number of requests of one page that wait for a reply."""

MAX_QUEUED_FRAMES = 1_000
"""The maximum number of unread frames of one request; a page that sends more is disconnected."""

Frame = Mapping[str, object]
SendFrame = Callable[[Frame], Awaitable[None]]
ShowProgress = Callable[[str], Awaitable[None]]


class PageError(AssentError):
    """A page did not carry out a request; the message is for the model."""


class PageLeftError(PageError):
    """The page left while it carried out a call."""


class PageTimeoutError(PageError):
    """The page did not finish a call in time."""


class RelayLimits(NamedTuple):
    """How large replies may be, and how long the server waits for them."""

    seconds: float = 30
    """The longest silence during a call."""
    total_seconds: float = 600
    """The longest duration of a call, without the time in which the page waits for a person."""
    waiting_seconds: float = 3600
    """The longest time, in total, in which the page may wait for a person."""
    pane_seconds: float = 10
    value_characters: int = 1_000_000
    progress_characters: int = 500_000
    """How much output of a running call is shown in total."""


DEFAULT_LIMITS = RelayLimits()


class CallClock:
    """When the next reply of a call is due; the time in which the page waits for a person does not count."""

    def __init__(self, limits: RelayLimits, now: float) -> None:
        self._limits = limits
        self._left = limits.total_seconds
        self._waiting_left = limits.waiting_seconds
        self._since = now
        self._is_waiting = False

    def due(self) -> float:
        """The time at which the call has failed if nothing arrives before."""
        if self._is_waiting:
            return self._since + self._waiting_left
        return self._since + min(self._limits.seconds, self._left)

    def record(self, now: float, *, is_waiting: bool) -> None:
        """Record that a frame arrived, and whether the page now waits for a person."""
        if self._is_waiting:
            self._waiting_left -= now - self._since
        else:
            self._left -= now - self._since
        self._since = now
        self._is_waiting = is_waiting


class PageCall(NamedTuple):
    """A call that the gate let run, for one page."""

    tool: str
    args: Mapping[str, object]
    approved: bool = False
    more: Mapping[str, object] = {}
    """Further fields of the frame."""


class FileSource(NamedTuple):
    """The file whose text a pane shows: policy for reading this file applies to its context."""

    root: str
    """The name of the root; empty for the server's own."""
    path: str


class PaneContext(NamedTuple):
    """What a pane shows, and the file that it comes from, if it comes from one."""

    value: object
    source: FileSource | None = None


class _Request:
    """A request that the page was sent: the frames that answer it, and the parts of its value."""

    def __init__(self, reply: str, limit: int) -> None:
        self.reply = reply
        self.frames: asyncio.Queue[Fields | None] = asyncio.Queue(MAX_QUEUED_FRAMES)
        self.is_over = asyncio.Event()
        self.source: FileSource | None = None
        self._parts = TextParts("the value", limit)

    def read_value(self, fields: Fields) -> tuple[bool, object]:
        """Whether the value is complete, and the value; raises `PageError` for a failure of the page."""
        if not fields.flag("ok"):
            fields.check_known("type", "id", "ok", "error")
            raise PageError(fields.text("error")[:MAX_ERROR_CHARACTERS])
        allowed = ("file", "root") if self.reply == "context" else ()
        if fields.has("file"):
            self.source = FileSource(fields.text("root", ""), fields.text("file"))
        if not fields.has("parts"):
            fields.check_known("type", "id", "ok", "value", *allowed)
            return True, fields.raw("value")
        fields.check_known("type", "id", "ok", "part", "parts", "text", *allowed)
        whole = self._parts.add(fields.integer("part"), fields.integer("parts"), fields.text("text"))
        return (False, None) if whole is None else (True, read_json(whole.encode(), "the value"))


class PageConnection:
    """The open requests of one connected page; every request ends in bounded time."""

    def __init__(
        self,
        send: SendFrame,
        limits: RelayLimits = DEFAULT_LIMITS,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._send = send
        self._limits = limits
        self._clock = clock
        self._requests: dict[str, _Request] = {}
        self.closed = asyncio.Event()
        """Set when the page left, or when another connection replaced this one."""
        self.reviews_changed = asyncio.Event()
        """Set when another page took one of its names, or left one to it."""

    def close(self) -> None:
        """End all open requests, because the page left."""
        self.closed.set()
        for request in self._requests.values():
            with suppress(asyncio.QueueFull):
                request.frames.put_nowait(None)
            request.is_over.set()

    def receive(self, fields: Fields) -> None:
        """Pass on a reply of the page; a reply that nothing waits for is ignored."""
        kind, id_ = fields.text("type"), fields.text("id")
        request = self._requests.get(id_)
        if request is None:
            return
        if kind not in (request.reply, "tool_progress") or (
            kind == "tool_progress" and request.reply != "tool_result"
        ):
            raise InputError(f"the reply to `{id_}` must be of type `{request.reply}`")
        try:
            request.frames.put_nowait(fields)
        except asyncio.QueueFull:
            raise InputError(f"the page sent too many frames about `{id_}`") from None

    async def call(self, call: PageCall, show_progress: ShowProgress) -> object:
        """Let the page carry out a call; raises `PageError` if it fails, hangs or leaves."""
        id_, request = self._add_request("tool_result")
        frame = {
            "type": "tool_call",
            "id": id_,
            "tool": call.tool,
            "args": dict(call.args),
            "approved": call.approved,
            **call.more,
        }
        try:
            await self._send_request(frame)
            return await self._read_result(request, show_progress)
        except (PageTimeoutError, asyncio.CancelledError):
            await self._cancel(id_)
            raise
        finally:
            self._requests.pop(id_, None)

    async def list_panes(self) -> list[Mapping[str, object]]:
        """The open panes of the page."""
        fields = await self._ask("panes", {"type": "panes_request"})
        try:
            fields.check_known("type", "id", "panes")
            return _read_panes(fields.items("panes"))
        except InputError as error:
            raise PageError(f"the page sent an invalid list of panes: {error}") from None

    async def read_context(self, instance: str) -> PaneContext:
        """What a pane shows; raises `PageError` for a pane that is not open."""
        id_, request = self._add_request("context")
        frame = {"type": "context_request", "id": id_, "instance": instance}
        try:
            async with asyncio.timeout(self._limits.pane_seconds):
                await self._send_request(frame)
                return PaneContext(await self._read_value(request), request.source)
        except TimeoutError:
            raise PageError(f"the page did not answer within {self._limits.pane_seconds:g} seconds") from None
        finally:
            self._requests.pop(id_, None)

    async def _ask(self, reply: str, frame: Frame) -> Fields:
        id_, request = self._add_request(reply)
        try:
            async with asyncio.timeout(self._limits.pane_seconds):
                await self._send_request({**frame, "id": id_})
                return await _next_frame(request)
        except TimeoutError:
            raise PageError(f"the page did not answer within {self._limits.pane_seconds:g} seconds") from None
        finally:
            self._requests.pop(id_, None)

    def _add_request(self, reply: str) -> tuple[str, _Request]:
        if self.closed.is_set():
            raise PageError("the page is not connected; the call was not carried out")
        if len(self._requests) >= MAX_OPEN_REQUESTS:
            raise PageError("the page has too many open requests; the call was not carried out")
        id_ = new_id()
        request = self._requests[id_] = _Request(reply, self._limits.value_characters)
        return id_, request

    async def _send_request(self, frame: Frame) -> None:
        try:
            await self._send(frame)
        except (OSError, RuntimeError):
            raise PageLeftError(_LEFT_MESSAGE) from None

    async def _read_result(self, request: _Request, show_progress: ShowProgress) -> object:
        clock = CallClock(self._limits, self._clock())
        room = self._limits.progress_characters
        while True:
            try:
                async with asyncio.timeout(max(clock.due() - self._clock(), 0)):
                    fields = await _next_frame(request)
            except TimeoutError:
                raise PageTimeoutError(_TIMEOUT_MESSAGE) from None
            is_progress = fields.text("type") == "tool_progress"
            with _refuse_invalid_reply():
                is_waiting = is_progress and fields.flag("waiting", default=False)
                clock.record(self._clock(), is_waiting=is_waiting)
                if is_progress:
                    fields.check_known("type", "id", "text", "waiting")
                    text = (fields.maybe_text("text") or "")[:MAX_PROGRESS_CHARACTERS]
                    if text and room > 0:
                        room -= len(text)
                        await show_progress(text if room > 0 else f"{text}{_NO_MORE_PROGRESS}")
                    continue
                is_complete, value = request.read_value(fields)
            if is_complete:
                return value

    async def _read_value(self, request: _Request) -> object:
        while True:
            fields = await _next_frame(request)
            with _refuse_invalid_reply():
                is_complete, value = request.read_value(fields)
            if is_complete:
                return value

    async def _cancel(self, id_: str) -> None:
        """Tell the page to stop, where it can be reached; the call itself has ended."""
        if not self.closed.is_set():
            with suppress(OSError, RuntimeError):
                await self._send({"type": "tool_cancel", "id": id_})


@contextmanager
def _refuse_invalid_reply() -> Generator[None]:
    """Turn an invalid reply into an error for the model."""
    try:
        yield
    except InputError as error:
        raise PageError(f"the page sent an invalid reply: {error}") from None


_NO_MORE_PROGRESS = "\n[further output of this call is not shown]\n"
_TIMEOUT_MESSAGE = "the page did not finish the call in time; it may have carried out a part of it"
_LEFT_MESSAGE = (
    "the page left during the call, so it is not known whether the call was carried out. "
    "Check what it did before you make it again"
)


async def _next_frame(request: _Request) -> Fields:
    is_over = request.is_over.is_set() and request.frames.empty()
    fields = None if is_over else await request.frames.get()
    if fields is None:
        raise PageLeftError(_LEFT_MESSAGE)
    return fields


def _read_panes(items: Sequence[object]) -> list[Mapping[str, object]]:
    if len(items) > MAX_PANES:
        raise InputError(f"there are more than {MAX_PANES} panes")
    return [_read_pane(item) for item in items]


def _read_pane(item: object) -> Mapping[str, object]:
    fields = Fields(item, "pane")
    fields.check_known("instanceId", "title", "kind", "hasContext", "focused")
    instance = fields.text("instanceId")
    if not 0 < len(instance) <= 200:
        raise InputError("`instanceId` must have 1 to 200 characters")
    return {
        "instanceId": instance,
        "title": fields.text("title", "")[:500],
        "kind": fields.text("kind", "")[:100],
        "hasContext": fields.flag("hasContext", default=False),
        "focused": fields.flag("focused", default=False),
    }
