"""The points where a pod can be killed: before and after each store operation of one call."""

import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

from assent.stores.store import SqlStore


class Boundary(NamedTuple):
    """The n-th call of a method of the store, before or after it is carried out."""

    method: str
    time: int
    side: str

    def __str__(self) -> str:
        return f"{self.side} {self.method} {self.time}"


BOUNDARIES = (
    Boundary("stored_policy", 1, "before"),  # a turn begins
    Boundary("stored_policy", 1, "after"),
    Boundary("moment", 1, "after"),  # the call is decided
    Boundary("add_approval", 1, "before"),  # a person is asked
    Boundary("add_approval", 1, "after"),
    Boundary("approval", 1, "before"),  # a person answers it
    Boundary("change_approval", 1, "before"),
    Boundary("change_approval", 1, "after"),
    Boundary("change_approval", 2, "before"),  # the caller claims the call
    Boundary("change_approval", 2, "after"),
    Boundary("change_approval", 3, "before"),  # the caller reports the result
    Boundary("change_approval", 3, "after"),
)
"""The boundaries in the order in which one call reaches them."""
BOUNDARY_VARIABLE, ARMED_VARIABLE = "ASSENT_TEST_DIE_AT", "ASSENT_TEST_ARMED"


def kill_at_boundary() -> None:
    """Kill this process at the boundary that the environment names, as soon as the armed file exists."""
    method, time, side = os.environ[BOUNDARY_VARIABLE].split()
    armed, seen = Path(os.environ[ARMED_VARIABLE]), Counter[str]()
    does: Callable[..., Awaitable[object]] = getattr(SqlStore, method)

    async def count_and_call(*given: Any, **named: Any) -> object:
        seen[method] += armed.exists()
        is_now = seen[method] == int(time)
        if is_now and side == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        done = await does(*given, **named)
        if is_now:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    setattr(SqlStore, method, count_and_call)
