"""R27: a thousand questions of a megabyte wait: what the server's process holds, and what its list costs."""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from bench.harness import MILLI, Effort, Result, WrongAnswerError, at_most
from bench.progress import say
from bench.served import Served, served
from bench.stores import room

SIZE = 1_000_000
CONFIG = "[server]\npending_mb = 9000\npending_mb_per_user = 6000\npending_mb_per_agent = 2000\n"
_MEGA = 1000


class Seen(NamedTuple):
    """What was measured."""

    resident: float
    most: float
    list_bytes: int
    list_seconds: float


def measure(effort: Effort) -> Iterator[Result]:
    count = 50 if effort.quick else 1000
    with room() as directory, served(directory, config=CONFIG) as server:
        seen = asyncio.run(_seen(server, count))
    what = f"{count:,} pending of 1 MB"
    for name, value, unit, goal in (
        ("resident memory of the server", seen.resident, "MB", at_most(500, "MB")),
        ("its most until then", seen.most, "MB", at_most(700, "MB")),
        ("a page of 200", seen.list_bytes / 1000, "kB", at_most(2000, "kB")),
        ("that page, read", seen.list_seconds * MILLI, "ms", at_most(1000, "ms")),
    ):
        yield Result(row="R27", what=f"{what}: {name}", ours=value, unit=unit, goal=goal)


async def _seen(server: Served, count: int) -> Seen:
    line = await server.connected()
    for number in range(count):
        say(f"R27: {number} of {count} asked")
        call = {"tool": "Bash", "args": {"command": f"make {number} {'x' * SIZE}"}, "id": f"q{number}"}
        said = await line.request("POST", "/v1/calls", {"call": call, "agent": "clerk"})
        if said["outcome"] != "wait":
            raise WrongAnswerError(f"question {number} came to {said['outcome']}")
    start = perf_counter()
    page = await line.request("GET", "/v1/approvals?limit=200")
    took = perf_counter() - start
    if len(page["items"]) != min(count, 200):
        raise WrongAnswerError(f"the page holds {len(page['items'])}")
    line.close()
    return Seen(_held(server.pid, "VmRSS"), _held(server.pid, "VmHWM"), len(json.dumps(page)), took)


def _held(pid: int, name: str) -> float:
    """Megabytes that a process holds, or held at most."""
    found = re.search(rf"{name}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text("ascii"))
    return 0.0 if found is None else int(found[1]) / _MEGA
