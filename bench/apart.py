"""A piece of work in a process of its own, which may fail there without taking anything with it."""

import multiprocessing
import resource
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection

SECONDS = 1.0
"""Processor time after which a process is ended."""
MEMORY = 4 * 1024**3

_FORK = multiprocessing.get_context("fork")


def apart(work: Callable[[], float]) -> float | None:
    """What the work returned, or None when it took too long, ate too much or crashed."""
    ours, theirs = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_bounded, args=(work, theirs))
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


def _bounded(work: Callable[[], float], answer: Connection) -> None:
    for limit, most in ((resource.RLIMIT_CPU, int(SECONDS)), (resource.RLIMIT_AS, MEMORY)):
        with suppress(OSError, ValueError):  # not every system can
            resource.setrlimit(limit, (most, most))
    answer.send(work())
