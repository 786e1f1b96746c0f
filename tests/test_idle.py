"""A thread that a test leaves behind and that keeps a processor busy is noticed."""

import threading

import pytest

from tests import idle
from tests.waiting import wait_until


def test_a_busy_thread_is_noticed_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()

    def read_without_waiting() -> None:
        while not over.is_set():
            pass

    thread = threading.Thread(target=read_without_waiting, name="busy reader")
    thread.start()
    try:
        wait_until(lambda: not idle.is_process_idle())
        monkeypatch.setattr(idle, "LIMIT_SECONDS", 0.0)
        monkeypatch.setattr(idle, "is_process_idle", lambda: False)
        with pytest.raises(AssertionError, match="busy reader"):
            idle.wait_until_process_is_idle()
    finally:
        over.set()
        thread.join()
    monkeypatch.undo()

    idle.wait_until_process_is_idle()
