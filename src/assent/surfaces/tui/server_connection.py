"""The connection of the dashboard to its server: a thread for events, and threads for requests."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import TypeVar

from assent.client.client import Client, RequestFailed
from assent.errors import AssentError

REOPEN_PAUSE = 0.1
"""Seconds before a connection that ended is opened again."""
FIRST_PAUSE = 0.5
"""Seconds after the first failed attempt to reach the server; each further pause is twice as long."""
LONGEST_PAUSE = 10.0
"""The longest time between two attempts, in seconds."""
REQUEST_TIMEOUT = 10.0
"""Seconds until a reply; a person waits for it."""
_CLOSED = "the server closed the connection"

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class MessageReceived:
    """A message of the live channel."""

    message: dict[str, object]


@dataclass(frozen=True, slots=True)
class ServerReached:
    """The server can be reached; its messages follow."""

    is_fresh: bool
    """All open questions follow, not only what happened since the last connection."""


@dataclass(frozen=True, slots=True)
class ServerLost:
    """The server cannot be reached."""

    why: str
    retry_in: float
    """Seconds until the next attempt."""


News = MessageReceived | ServerReached | ServerLost


class EventListener:
    """A thread that reads the live channel and reconnects when the connection breaks."""

    def __init__(self, client: Client, report: Callable[[News], object]) -> None:
        self._client = client
        self._report = report
        self._stopped = threading.Event()
        self._wake = threading.Event()
        self._cursor: str | None = None
        self._thread = threading.Thread(target=self._run_thread, name="assent-events", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop reporting; the thread ends when its connection ends."""
        self._stopped.set()
        self._wake.set()

    def reconnect_now(self) -> None:
        """Reconnect immediately instead of waiting for the next attempt."""
        self._wake.set()

    def _run_thread(self) -> None:
        pause = 0.0
        while not self._stopped.is_set():
            why, has_connected = self._read_connection()
            if self._stopped.is_set():
                return
            # A connection that merely ended is opened again soon; only a failed attempt is a loss.
            if has_connected:
                pause = 0.0
                self._stopped.wait(REOPEN_PAUSE)
                continue
            pause = min(LONGEST_PAUSE, max(FIRST_PAUSE, pause * 2))
            self._report_news(ServerLost(why, pause))
            self._wake.wait(pause)
            self._wake.clear()

    def _read_connection(self) -> tuple[str, bool]:
        """Read one connection to its end; return why it ended, and whether it was established."""
        has_connected = False
        try:
            for message in self._client.stream_events(self._cursor):
                if self._stopped.is_set():
                    break
                if not has_connected:
                    has_connected = True
                    self._report_news(ServerReached(is_fresh=self._cursor is None))
                self._cursor = str(message.get("cursor") or self._cursor or "") or None
                self._report_news(MessageReceived(message))
        except RequestFailed as failure:
            # The server may be another one, which does not know the position.
            self._cursor = None
            return str(failure), False
        except AssentError as error:
            return str(error), has_connected
        return _CLOSED, has_connected

    def _report_news(self, news: News) -> None:
        if not self._stopped.is_set():
            self._report(news)


class RequestThread:
    """A thread that sends requests in sequence, so that the screen never waits for the server."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run_thread, name="assent-requests", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread after the current request."""
        self._work.put(None)

    async def send_request(self, request: Callable[[Client], Result]) -> Result:
        """Send a request and wait for its result."""
        loop = asyncio.get_running_loop()
        result: asyncio.Future[Result] = loop.create_future()

        def send_and_settle() -> None:
            try:
                value = request(self._client)
            except AssentError as error:
                _settle_future(loop, result, partial(result.set_exception, error))
            except ValueError:
                failed = AssentError(f"{self._client.url} sent a reply that is not JSON")
                _settle_future(loop, result, partial(result.set_exception, failed))
            else:
                _settle_future(loop, result, partial(result.set_result, value))

        self._work.put(send_and_settle)
        return await result

    def _run_thread(self) -> None:
        while (work := self._work.get()) is not None:
            work()
        self._client.close()


def _settle_future(
    loop: asyncio.AbstractEventLoop, result: "asyncio.Future[Result]", settle: Callable[[], None]
) -> None:
    """Pass a result to the event loop, unless the dashboard has ended."""

    def settle_if_pending() -> None:
        if not result.done():
            settle()

    if not loop.is_closed():
        loop.call_soon_threadsafe(settle_if_pending)
