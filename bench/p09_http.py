"""P9: the time of a decision over HTTP, compared with the time to start a Python process."""

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from bench.harness import MILLISECONDS, Effort, Result, WrongAnswerError, goal_at_most
from bench.served import HttpConnection, RunningServer, start_server
from bench.start import ProcessCompetitor
from bench.stores import Round, median_wait, percentile_wait

REQUESTS_PER_ROUND = 40
CALL = {"tool": "Bash", "args": {"command": "git status"}}


def measure(effort: Effort) -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as directory, start_server(Path(directory)) as server:
        python = ProcessCompetitor([sys.executable, "-c", "pass"], "", directory)
        kept, fresh, bare = asyncio.run(_time_in_rounds(server, python, effort.rounds))
    for what, ours in (("on a connection that is kept", kept), ("on a new connection", fresh)):
        yield Result(
            row="P9",
            what=f"decision over HTTP {what}, p50",
            ours=median_wait([ours]) * MILLISECONDS,
            unit="ms",
            peer=median_wait([bare]) * MILLISECONDS,
            against="python -c pass",
            ratio=median_wait([ours]) / median_wait([bare]),
            goal=goal_at_most(0.1),
        )
    yield Result(row="P9", what="the same, kept, p99", ours=percentile_wait([kept]) * MILLISECONDS, unit="ms")


async def _time_in_rounds(server: RunningServer, python: ProcessCompetitor, rounds: int) -> list[Round]:
    """Measure decisions and process starts alternately."""
    waits: list[list[float]] = [[], [], []]
    line = await server.connect()
    for turn in range(rounds + 1):
        found = (
            [await _time_decision(line) for _ in range(REQUESTS_PER_ROUND)],
            [await _time_connect_and_decision(server) for _ in range(REQUESTS_PER_ROUND)],
            [await asyncio.to_thread(python.measure_seconds) for _ in range(3)],
        )
        for index, seconds in enumerate(found):
            waits[index] += seconds if turn else []  # the first round is a warm-up
    line.close()
    return [Round(of_one, sum(of_one)) for of_one in waits]


async def _time_decision(line: HttpConnection) -> float:
    start = perf_counter()
    reply = await line.request("POST", "/v1/decide", CALL)
    took = perf_counter() - start
    if reply["verdict"] not in ("run", "ask"):
        raise WrongAnswerError(f"{CALL} gave {reply}")
    return took


async def _time_connect_and_decision(server: RunningServer) -> float:
    start = perf_counter()
    line = await server.connect()
    await _time_decision(line)
    line.close()
    return perf_counter() - start
