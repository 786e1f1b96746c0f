"""Load: two hundred agents submit over HTTP while twenty people answer, on one pod and on two."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from bench.harness import MILLI, Effort, Result, WrongAnswerError
from bench.served import HttpConnection, RunningServer, start_server
from bench.server import database, version
from bench.stores import Round, median_wait, percentile_wait, temporary_directory

AGENTS = 200
PEOPLE = 20
CALLS = 10
"""Of each agent."""


@dataclass
class LoadFigures:
    """The measured times."""

    submits: list[float] = field(default_factory=list[float])
    wakes: list[float] = field(default_factory=list[float])
    answered_at: dict[str, float] = field(default_factory=dict[str, float])
    seconds: float = 0.0


def measure(effort: Effort) -> Iterator[Result]:
    calls = 3 if effort.quick else CALLS
    with temporary_directory() as directory, start_server(directory) as one:
        yield from _results("one pod, SQLite", asyncio.run(_run_load(one, one, calls)))
    with (
        temporary_directory() as directory,
        database(directory) as url,
        _measure_two_pods(directory, url) as (one, two),
    ):
        said = f"two pods, {version(url)}"
        yield from _results(said, asyncio.run(_run_load(one, two, calls)))


def _results(where: str, seen: LoadFigures) -> Iterator[Result]:
    done = len(seen.wakes)
    yield Result(
        row="load",
        what=f"{AGENTS} agents, {PEOPLE} people: calls ({where})",
        ours=done / seen.seconds,
        unit="/s",
    )
    for what, waits in (("submit", seen.submits), ("answer to wake", seen.wakes)):
        of_all = [Round(waits, sum(waits))]
        yield Result(row="load", what=f"{what}, p50 ({where})", ours=median_wait(of_all) * MILLI, unit="ms")
        yield Result(
            row="load", what=f"{what}, p99 ({where})", ours=percentile_wait(of_all) * MILLI, unit="ms"
        )


@contextmanager
def _measure_two_pods(directory: Path, url: str) -> Iterator[tuple[RunningServer, RunningServer]]:
    """Two pods on one database."""
    words = ("--database", url)
    with start_server(directory, *words, name="a") as one, start_server(directory, *words, name="b") as two:
        yield one, two


async def _run_load(asked: RunningServer, answered: RunningServer, calls: int) -> LoadFigures:
    """Run all agents and people at once, until every call has run."""
    seen, open_ones = LoadFigures(), asyncio.Queue[str]()
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


async def _agent(
    served: RunningServer, number: int, calls: int, asked: "asyncio.Queue[str]", seen: LoadFigures
) -> None:
    line = await served.connect()
    for call in range(calls):
        said = {
            "call": {"tool": "Bash", "args": {"command": "make"}, "id": str(call)},
            "agent": f"agent-{number}",
        }
        start = perf_counter()
        outcome = await line.request("POST", "/v1/calls", said)
        seen.submits.append(perf_counter() - start)
        asked.put_nowait(outcome["approval"])
        await _claim(line, outcome["approval"], seen)
    line.close()


async def _claim(line: HttpConnection, approval: str, seen: LoadFigures) -> None:
    """Wait for the answer, claim the call, and report the run."""
    outcome = {"outcome": "wait"}
    while outcome["outcome"] == "wait":
        outcome = await line.request("POST", f"/v1/calls/{approval}/wait", {"seconds": 60})
    if outcome["outcome"] != "run":
        raise WrongAnswerError(f"{approval} gave {outcome}")
    seen.wakes.append(perf_counter() - seen.answered_at[approval])
    await line.request("POST", f"/v1/calls/{approval}/report", {"claim": outcome["claim"]})


async def _person(served: RunningServer, asked: "asyncio.Queue[str]", seen: LoadFigures) -> None:
    line = await served.connect()
    while True:
        id_ = await asked.get()
        shown = await line.request("GET", f"/v1/approvals/{id_}")
        seen.answered_at[id_] = perf_counter()
        answer = {"digest": shown["digest"], "answer": {"say": "once"}}
        await line.request("POST", f"/v1/approvals/{id_}/answer", answer)
