"""Whether this test process is idle: no thread that an earlier test left behind keeps a processor busy.

INVARIANT: this module imports nothing of Assent, because coverage measures the engine only from its import on.
"""

import threading
import time

LIMIT_SECONDS = 180.0
"""Seconds after which a process that is still busy fails."""
WINDOW_SECONDS = 0.3
MAX_BUSY_SECONDS = 0.01
"""The longest processor time of an idle process in one window; low, because a busy machine gives a thread little time."""


def is_process_idle() -> bool:
    """Whether all threads of this process wait, while this thread sleeps."""
    begun = time.process_time()
    time.sleep(WINDOW_SECONDS)
    return time.process_time() - begun < MAX_BUSY_SECONDS


def wait_until_process_is_idle() -> None:
    """Wait until no thread is busy; the error names the threads that are left."""
    deadline = time.monotonic() + LIMIT_SECONDS
    while not is_process_idle():
        names = [thread.name for thread in threading.enumerate()]
        assert time.monotonic() < deadline, f"a thread of a test is still busy, one of {names}"
