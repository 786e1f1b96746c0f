"""P9: a decision over HTTP, as a hook of a running server makes it, compared with starting Python."""

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from bench.harness import MILLI, Effort, Result, WrongAnswerError, at_most
from bench.served import HttpConnection, RunningServer, start_server
from bench.start import Process
from bench.stores import Round, median_wait, percentile_wait

EACH = 40
CALL = {"tool": "Bash", "args": {"command": "git status"}}


def measure(effort: Effort) -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as directory, start_server(Path(directory)) as server:
        python = Process([sys.executable, "-c", "pass"], "", directory)
        kept, fresh, bare = asyncio.run(_race(server, python, effort.rounds))
    for what, ours in (("on a connection that is kept", kept), ("on a new connection", fresh)):
        yield Result(
            row="P9",
            what=f"decision over HTTP {what}, p50",
            ours=median_wait([ours]) * MILLI,
            unit="ms",
            peer=median_wait([bare]) * MILLI,
            against="python -c pass",
            ratio=median_wait([ours]) / median_wait([bare]),
            goal=at_most(0.1),
        )
    yield Result(row="P9", what="the same, kept, p99", ours=percentile_wait([kept]) * MILLI, unit="ms")


async def _race(server: RunningServer, python: Process, rounds: int) -> list[Round]:
    """Time decisions and process starts in turns."""
    waits: list[list[float]] = [[], [], []]
    line = await server.connect()
    for turn in range(rounds + 1):
        found = (
            [await _decide(line) for _ in range(EACH)],
            [await _connect_and_decide(server) for _ in range(EACH)],
            [await asyncio.to_thread(python.seconds) for _ in range(3)],
        )
        for place, seconds in enumerate(found):
            waits[place] += seconds if turn else []  # the first round is a warm-up
    line.close()
    return [Round(of_one, sum(of_one)) for of_one in waits]


async def _decide(line: HttpConnection) -> float:
    start = perf_counter()
    reply = await line.request("POST", "/v1/decide", CALL)
    took = perf_counter() - start
    if reply["verdict"] not in ("run", "ask"):
        raise WrongAnswerError(f"{CALL} gave {reply}")
    return took


async def _connect_and_decide(server: RunningServer) -> float:
    start = perf_counter()
    line = await server.connect()
    await _decide(line)
    line.close()
    return perf_counter() - start
