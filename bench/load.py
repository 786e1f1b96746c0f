"""Load: two hundred agents submit over HTTP while twenty people answer, on one pod and across two."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from bench.harness import MILLI, Effort, Result, WrongAnswerError
from bench.served import Line, Served, served
from bench.server import database, version
from bench.stores import Round, middle, nearly_all, room

AGENTS = 200
PEOPLE = 20
CALLS = 10
"""Of each agent."""


@dataclass
class Seen:
    """What the clock saw."""

    submits: list[float] = field(default_factory=list[float])
    wakes: list[float] = field(default_factory=list[float])
    answered_at: dict[str, float] = field(default_factory=dict[str, float])
    seconds: float = 0.0


def measure(effort: Effort) -> Iterator[Result]:
    calls = 3 if effort.quick else CALLS
    with room() as directory, served(directory) as one:
        yield from _results("one pod, SQLite", asyncio.run(_crowd(one, one, calls)))
    with room() as directory, database(directory) as url, _two(directory, url) as (one, two):
        said = f"two pods, {version(url)}"
        yield from _results(said, asyncio.run(_crowd(one, two, calls)))


def _results(where: str, seen: Seen) -> Iterator[Result]:
    done = len(seen.wakes)
    yield Result(
        row="load",
        what=f"{AGENTS} agents, {PEOPLE} people: calls ({where})",
        ours=done / seen.seconds,
        unit="/s",
    )
    for what, waits in (("submit", seen.submits), ("answer to wake", seen.wakes)):
        of_all = [Round(waits, sum(waits))]
        yield Result(row="load", what=f"{what}, p50 ({where})", ours=middle(of_all) * MILLI, unit="ms")
        yield Result(row="load", what=f"{what}, p99 ({where})", ours=nearly_all(of_all) * MILLI, unit="ms")


@contextmanager
def _two(directory: Path, url: str) -> Iterator[tuple[Served, Served]]:
    """Two pods on one database."""
    words = ("--database", url)
    with served(directory, *words, name="a") as one, served(directory, *words, name="b") as two:
        yield one, two


async def _crowd(asked: Served, answered: Served, calls: int) -> Seen:
    """Everybody at once, until every call has run."""
    seen, open_ones = Seen(), asyncio.Queue[str]()
    people = [asyncio.create_task(_person(answered, open_ones, seen)) for _ in range(PEOPLE)]
    start = perf_counter()
    agents = [asyncio.create_task(_agent(asked, number, calls, open_ones, seen)) for number in range(AGENTS)]
    await asyncio.gather(*agents)
    seen.seconds = perf_counter() - start
    for person in people:
        person.cancel()
    await asyncio.gather(*people, return_exceptions=True)
    if len(seen.wakes) != AGENTS * calls:
        raise WrongAnswerError(f"{len(seen.wakes)} calls ran, not {AGENTS * calls}")
    return seen


async def _agent(served: Served, number: int, calls: int, asked: "asyncio.Queue[str]", seen: Seen) -> None:
    line = await served.connected()
    for call in range(calls):
        said = {
            "call": {"tool": "Bash", "args": {"command": "make"}, "id": str(call)},
            "agent": f"agent-{number}",
        }
        start = perf_counter()
        outcome = await line.request("POST", "/v1/calls", said)
        seen.submits.append(perf_counter() - start)
        asked.put_nowait(outcome["approval"])
        await _taken(line, outcome["approval"], seen)
    line.close()


async def _taken(line: Line, approval: str, seen: Seen) -> None:
    """Wait for the answer, and say that it ran."""
    outcome = {"outcome": "wait"}
    while outcome["outcome"] == "wait":
        outcome = await line.request("POST", f"/v1/calls/{approval}/wait", {"seconds": 60})
    if outcome["outcome"] != "run":
        raise WrongAnswerError(f"{approval} gave {outcome}")
    seen.wakes.append(perf_counter() - seen.answered_at[approval])
    await line.request("POST", f"/v1/calls/{approval}/report", {"claim": outcome["claim"]})


async def _person(served: Served, asked: "asyncio.Queue[str]", seen: Seen) -> None:
    line = await served.connected()
    while True:
        id_ = await asked.get()
        shown = await line.request("GET", f"/v1/approvals/{id_}")
        seen.answered_at[id_] = perf_counter()
        answer = {"digest": shown["digest"], "answer": {"say": "once"}}
        await line.request("POST", f"/v1/approvals/{id_}/answer", answer)
