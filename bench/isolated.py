"""Runs a function in its own process with limits on time and memory."""

import multiprocessing
import resource
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection

MAX_CPU_SECONDS = 1.0
"""CPU time in seconds after which the process is killed."""
MAX_MEMORY_BYTES = 4 * 1024**3

_FORK_CONTEXT = multiprocessing.get_context("fork")


def run_isolated(work: Callable[[], float]) -> float | None:
    """Run a function in a new process; None if it took too long, used too much memory or crashed."""
    ours, theirs = _FORK_CONTEXT.Pipe(duplex=False)
    process = _FORK_CONTEXT.Process(target=_run_with_limits, args=(work, theirs))
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


def _run_with_limits(work: Callable[[], float], answer: Connection) -> None:
    for limit, most in ((resource.RLIMIT_CPU, int(MAX_CPU_SECONDS)), (resource.RLIMIT_AS, MAX_MEMORY_BYTES)):
        with suppress(OSError, ValueError):  # Some systems do not support these limits.
            resource.setrlimit(limit, (most, most))
    answer.send(work())
