"""A piece of work on its way through a writer, and whoever waits for what comes of it."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from assent.stores.batch import Done, Piece


class Job(NamedTuple):
    """A piece of work and whoever waits for what comes of it."""

    piece: Piece
    outcome: asyncio.Future[object]


def hand_over(jobs: Sequence[Job], done: Done) -> None:
    """Hand each result or error to whoever waits for it, if somebody still does."""
    for (_, future), outcome in zip(jobs, done.outcomes, strict=True):
        if future.done():
            continue
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)


def finish(flushing: Sequence[asyncio.Future[None]]) -> None:
    """Tell those who wait for the audit that it is written, or spooled."""
    for future in flushing:
        if not future.done():
            future.set_result(None)
