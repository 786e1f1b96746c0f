"""Load benchmark: 200 agents submit calls over HTTP and 20 people answer them, on one and on two pods."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from bench.harness import MILLISECONDS, Effort, Result, WrongAnswerError
from bench.served import HttpConnection, RunningServer, start_server
from bench.server import open_database, server_version
from bench.stores import Round, median_wait, percentile_wait, temporary_directory

AGENTS = 200
PEOPLE = 20
CALLS_PER_AGENT = 10
"""Number of calls that each agent submits."""


@dataclass
class LoadFigures:
    """The measured times of one load test, in seconds."""

    submits: list[float] = field(default_factory=list[float])
    wakes: list[float] = field(default_factory=list[float])
    answered_at: dict[str, float] = field(default_factory=dict[str, float])
    seconds: float = 0.0


def measure(effort: Effort) -> Iterator[Result]:
    calls = 3 if effort.quick else CALLS_PER_AGENT
    with temporary_directory() as directory, start_server(directory) as one:
        yield from _to_results("one pod, SQLite", asyncio.run(_run_load(one, one, calls)))
    with (
        temporary_directory() as directory,
        open_database(directory) as url,
        _start_two_pods(directory, url) as (one, two),
    ):
        said = f"two pods, {server_version(url)}"
        yield from _to_results(said, asyncio.run(_run_load(one, two, calls)))


def _to_results(where: str, seen: LoadFigures) -> Iterator[Result]:
    done = len(seen.wakes)
    yield Result(
        row="load",
        what=f"{AGENTS} agents, {PEOPLE} people: calls ({where})",
        ours=done / seen.seconds,
        unit="/s",
    )
    for what, waits in (("submit", seen.submits), ("answer to wake", seen.wakes)):
        of_all = [Round(waits, sum(waits))]
        yield Result(
            row="load", what=f"{what}, p50 ({where})", ours=median_wait(of_all) * MILLISECONDS, unit="ms"
        )
        yield Result(
            row="load", what=f"{what}, p99 ({where})", ours=percentile_wait(of_all) * MILLISECONDS, unit="ms"
        )


@contextmanager
def _start_two_pods(directory: Path, url: str) -> Iterator[tuple[RunningServer, RunningServer]]:
    """Start two pods that share one database."""
    words = ("--database", url)
    with start_server(directory, *words, name="a") as one, start_server(directory, *words, name="b") as two:
        yield one, two


async def _run_load(asked: RunningServer, answered: RunningServer, calls: int) -> LoadFigures:
    """Run all agents and people concurrently until every call has run."""
    seen, open_ones = LoadFigures(), asyncio.Queue[str]()
    people = [asyncio.create_task(_run_person(answered, open_ones, seen)) for _ in range(PEOPLE)]
    start = perf_counter()
    agents = [
        asyncio.create_task(_run_agent(asked, number, calls, open_ones, seen)) for number in range(AGENTS)
    ]
    await asyncio.gather(*agents)
    seen.seconds = perf_counter() - start
    for person in people:
        person.cancel()
    await asyncio.gather(*people, return_exceptions=True)
    if len(seen.wakes) != AGENTS * calls:
        raise WrongAnswerError(f"{len(seen.wakes)} calls ran, not {AGENTS * calls}")
    return seen


async def _run_agent(
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
        await _wait_and_claim(line, outcome["approval"], seen)
    line.close()


async def _wait_and_claim(line: HttpConnection, approval: str, seen: LoadFigures) -> None:
    """Wait for the answer, claim the call, and report it as done."""
    outcome = {"outcome": "wait"}
    while outcome["outcome"] == "wait":
        outcome = await line.request("POST", f"/v1/calls/{approval}/wait", {"seconds": 60})
    if outcome["outcome"] != "run":
        raise WrongAnswerError(f"{approval} gave {outcome}")
    seen.wakes.append(perf_counter() - seen.answered_at[approval])
    await line.request("POST", f"/v1/calls/{approval}/report", {"claim": outcome["claim"]})


async def _run_person(served: RunningServer, asked: "asyncio.Queue[str]", seen: LoadFigures) -> None:
    line = await served.connect()
    while True:
        id_ = await asked.get()
        shown = await line.request("GET", f"/v1/approvals/{id_}")
        seen.answered_at[id_] = perf_counter()
        answer = {"digest": shown["digest"], "answer": {"say": "once"}}
        await line.request("POST", f"/v1/approvals/{id_}/answer", answer)
