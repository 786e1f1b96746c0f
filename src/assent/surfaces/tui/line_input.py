"""Runs line mode: handles typed lines and messages of the server, one at a time."""

import sys
import termios
import threading
from contextlib import suppress
from datetime import UTC, datetime
from queue import Empty, SimpleQueue

from assent.client.client import Client
from assent.surfaces.tui.line_mode import LineMode
from assent.surfaces.tui.server_connection import REQUEST_TIMEOUT, EventListener, News


def run_line_mode(url: str, token: str) -> None:
    """Print questions and read answers until the person quits or the input ends."""
    inbox: SimpleQueue[News | str | None] = SimpleQueue()
    mode = LineMode(
        Client(url, token, timeout=REQUEST_TIMEOUT, tries=2),
        _print_text,
        lambda: datetime.now(UTC),
        lambda: _drop_typed_lines(inbox),
    )
    listener = EventListener(Client(url, token), inbox.put)
    listener.start()
    threading.Thread(target=_read_lines, args=(inbox,), daemon=True).start()
    while not mode.is_done and (item := inbox.get()) is not None:
        if isinstance(item, str):
            mode.read_line(item)
        else:
            mode.apply_news(item)
    listener.stop()


def _read_lines(inbox: "SimpleQueue[News | str | None]") -> None:
    for line in sys.stdin:
        inbox.put(line)
    # The end of the input answers nothing: the question stays open.
    inbox.put(None)


def _drop_typed_lines(inbox: "SimpleQueue[News | str | None]") -> None:
    """Discard lines that were typed before the prompt; lines from a pipe are not discarded."""
    if not sys.stdin.isatty():
        return
    termios.tcflush(sys.stdin, termios.TCIFLUSH)
    kept: list[News | None] = []
    with suppress(Empty):
        while True:
            item = inbox.get_nowait()
            if not isinstance(item, str):
                kept.append(item)
    for item in kept:
        inbox.put(item)


def _print_text(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
