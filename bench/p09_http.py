"""P9: a decision over HTTP, as a hook of a resident server makes it, beside a Python that only starts."""

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from bench.harness import MILLI, Effort, Result, WrongAnswerError, at_most
from bench.served import Line, Served, served
from bench.start import Process
from bench.stores import Round, middle, nearly_all

EACH = 40
CALL = {"tool": "Bash", "args": {"command": "git status"}}


def measure(effort: Effort) -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as directory, served(Path(directory)) as server:
        python = Process([sys.executable, "-c", "pass"], "", directory)
        kept, fresh, bare = asyncio.run(_raced(server, python, effort.rounds))
    for what, ours in (("on a connection that is kept", kept), ("on a new connection", fresh)):
        yield Result(
            row="P9",
            what=f"decision over HTTP {what}, p50",
            ours=middle([ours]) * MILLI,
            unit="ms",
            peer=middle([bare]) * MILLI,
            against="python -c pass",
            ratio=middle([ours]) / middle([bare]),
            goal=at_most(0.1),
        )
    yield Result(row="P9", what="the same, kept, p99", ours=nearly_all([kept]) * MILLI, unit="ms")


async def _raced(server: Served, python: Process, rounds: int) -> list[Round]:
    """Decisions and starts in turns."""
    waits: list[list[float]] = [[], [], []]
    line = await server.connected()
    for turn in range(rounds + 1):
        found = (
            [await _decided(line) for _ in range(EACH)],
            [await _decided_anew(server) for _ in range(EACH)],
            [await asyncio.to_thread(python.seconds) for _ in range(3)],
        )
        for place, seconds in enumerate(found):
            waits[place] += seconds if turn else []  # the first round warmed up
    line.close()
    return [Round(of_one, sum(of_one)) for of_one in waits]


async def _decided(line: Line) -> float:
    start = perf_counter()
    reply = await line.request("POST", "/v1/decide", CALL)
    took = perf_counter() - start
    if reply["verdict"] not in ("run", "ask"):
        raise WrongAnswerError(f"{CALL} gave {reply}")
    return took


async def _decided_anew(server: Served) -> float:
    start = perf_counter()
    line = await server.connected()
    await _decided(line)
    line.close()
    return perf_counter() - start
