"""Runs a function in its own process with limits on time and memory."""

import multiprocessing
import resource
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection

SECONDS = 1.0
"""Processor time after which a process is ended."""
MEMORY = 4 * 1024**3

_FORK = multiprocessing.get_context("fork")


def run_isolated(work: Callable[[], float]) -> float | None:
    """The result of the function, or None if it took too long, used too much memory or crashed."""
    ours, theirs = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_run_bounded, args=(work, theirs))
    process.start()
    theirs.close()
    try:
        answer: float = ours.recv()
    except EOFError:
        return None
    else:
        return answer
    finally:
        process.join()


def _run_bounded(work: Callable[[], float], answer: Connection) -> None:
    for limit, most in ((resource.RLIMIT_CPU, int(SECONDS)), (resource.RLIMIT_AS, MEMORY)):
        with suppress(OSError, ValueError):  # not supported on every system
            resource.setrlimit(limit, (most, most))
    answer.send(work())
