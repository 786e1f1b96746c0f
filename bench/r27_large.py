"""R27: the server's memory, and the time to list questions, with 1,000 open questions of 1 MB each."""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from bench.harness import MILLISECONDS, Effort, Result, WrongAnswerError, goal_at_most
from bench.progress import show_progress
from bench.served import RunningServer, start_server
from bench.stores import temporary_directory

QUESTION_BYTES = 1_000_000
SERVER_CONFIG = "[server]\npending_mb = 9000\npending_mb_per_user = 6000\npending_mb_per_agent = 2000\n"
_KB_PER_MB = 1000


class LargeFigures(NamedTuple):
    """The measured memory in megabytes, and the size and time of the list."""

    resident: float
    peak_resident: float
    list_bytes: int
    list_seconds: float


def measure(effort: Effort) -> Iterator[Result]:
    count = 50 if effort.quick else 1000
    with temporary_directory() as directory, start_server(directory, config=SERVER_CONFIG) as server:
        seen = asyncio.run(_measure_server(server, count))
    what = f"{count:,} pending of 1 MB"
    for name, value, unit, goal in (
        ("resident memory of the server", seen.resident, "MB", goal_at_most(500, "MB")),
        ("its most until then", seen.peak_resident, "MB", goal_at_most(700, "MB")),
        ("a page of 200", seen.list_bytes / 1000, "kB", goal_at_most(2000, "kB")),
        ("that page, read", seen.list_seconds * MILLISECONDS, "ms", goal_at_most(1000, "ms")),
    ):
        yield Result(row="R27", what=f"{what}: {name}", ours=value, unit=unit, goal=goal)


async def _measure_server(server: RunningServer, count: int) -> LargeFigures:
    line = await server.connect()
    for number in range(count):
        show_progress(f"R27: {number} of {count} asked")
        call = {
            "tool": "Bash",
            "args": {"command": f"make {number} {'x' * QUESTION_BYTES}"},
            "id": f"q{number}",
        }
        said = await line.request("POST", "/v1/calls", {"call": call, "agent": "clerk"})
        if said["outcome"] != "wait":
            raise WrongAnswerError(f"question {number} came to {said['outcome']}")
    start = perf_counter()
    page = await line.request("GET", "/v1/approvals?limit=200")
    took = perf_counter() - start
    if len(page["items"]) != min(count, 200):
        raise WrongAnswerError(f"the page holds {len(page['items'])}")
    line.close()
    return LargeFigures(
        _memory_megabytes(server.pid, "VmRSS"),
        _memory_megabytes(server.pid, "VmHWM"),
        len(json.dumps(page)),
        took,
    )


def _memory_megabytes(pid: int, name: str) -> float:
    """Read a memory value of a process in megabytes: `VmRSS` is the current, `VmHWM` the maximum."""
    found = re.search(rf"{name}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text("ascii"))
    return 0.0 if found is None else int(found[1]) / _KB_PER_MB
