"""What the rows on stores share: a directory on a real disk, rounds of approvals in wall time, and a gate.

Wall time, because an approval mostly waits: for a disk, a server, another thread, another process.
"""

import asyncio
import itertools
import os
import random
import sqlite3
import statistics
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

from assent.compose import open_gate
from assent.engine.base.tool import Call, Effect, Tool
from assent.gate.access import Principal
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval
from assent.gate.calls import Run, Wait
from assent.gate.catalog import DeclaredTool
from assent.gate.gate import Gate
from assent.gate.turn import Turn
from bench.harness import WrongAnswerError, freeze_heap

CACHE = Path(__file__).resolve().parents[1] / ".cache" / "bench"
LOG = 8 * 1024 * 1024
"""Bytes; by itself a log is written back at 4 MB, and begun anew."""
IN_MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs"})

ANA = Principal(id="ana", administrator=True)
TOOL = Tool(
    name="mail.send",
    effect=Effect.EXTERNAL,
    description="Sends a mail.",
    parameters={"type": "object", "properties": {"to": {"type": "string"}, "text": {"type": "string"}}},
)
ARGS = {"to": "ben@example.org", "text": "The report is ready; shall I send it to the others, too?"}
YES = Answer(say=Say.ONCE)

_numbers = itertools.count()


# ---- a real disk --------------------------------------------------------------------------------


@contextmanager
def temporary_directory() -> Iterator[Path]:
    """A temporary directory on a disk; commits to memory would not be comparable."""
    CACHE.mkdir(parents=True, exist_ok=True)
    if (found := file_system(CACHE)) in IN_MEMORY:
        raise WrongAnswerError(f"{CACHE} is on {found}: a store has to be measured on a disk")
    with tempfile.TemporaryDirectory(dir=CACHE, ignore_cleanup_errors=True) as directory:
        yield Path(directory)


def grow_log(path: Path) -> None:
    """Let the write-ahead log of an open SQLite file grow to its final size.

    Until then every commit makes the log longer, which a file system writes down at a price of its own, and
    how soon that ends depends on how much a contender writes: whoever writes least would look slowest.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE ballast (bytes BLOB)")
        connection.execute("INSERT INTO ballast VALUES (zeroblob(?))", (LOG,))
        connection.execute("DROP TABLE ballast")
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def file_system(path: Path) -> str:
    """The type of the file system of a path; `disk` if it is unknown."""
    mounts = Path("/proc/self/mounts")
    if not mounts.exists():
        return "disk"
    mounted = [line.split()[1:3] for line in mounts.read_text("utf-8").splitlines()]
    holding = [(point, kind) for point, kind in mounted if path.is_relative_to(point)]
    return max(holding, key=lambda found: len(found[0]))[1] if holding else "disk"


# ---- rounds -------------------------------------------------------------------------------------

Approve = Callable[[], Awaitable[None]]
"""One approval from its question to its end; raises `WrongAnswerError` if it fails."""


class Round(NamedTuple):
    """The figures of one contender in one round."""

    waits: list[float]
    """The seconds of each approval."""
    seconds: float
    work: float = 0.0
    """CPU seconds of this process per approval, over all threads."""

    @property
    def per_second(self) -> float:
        return len(self.waits) / self.seconds


@dataclass(frozen=True, slots=True)
class Waiters:
    """A number of concurrent waiters, each with one approval after the other."""

    approve: Approve
    many: int = 1
    each: int = 1
    finish: Approve | None = None
    """Finishes delayed writes; counts for the round, not for an approval."""

    async def round(self) -> Round:
        start, work = perf_counter(), process_time()
        waited = await asyncio.gather(*(self._wait() for _ in range(self.many)))
        if self.finish is not None:
            await self.finish()
        seconds, work = perf_counter() - start, process_time() - work
        return Round(list(itertools.chain(*waited)), seconds, work / (self.many * self.each))

    async def _wait(self) -> list[float]:
        waits: list[float] = []
        for _ in range(self.each):
            start = perf_counter()
            await self.approve()
            waits.append(perf_counter() - start)
        return waits


async def race(*contenders: Waiters, rounds: int) -> list[list[Round]]:
    """Each contender's rounds, interleaved in random order; the first round is a warm-up."""
    freeze_heap()
    raced: list[list[Round]] = [[] for _ in contenders]
    shuffled = random.Random(0)
    for _ in range(rounds + 1):
        for position in shuffled.sample(range(len(contenders)), len(contenders)):
            raced[position].append(await contenders[position].round())
    return [of_one[1:] for of_one in raced]


def median_wait(rounds: Sequence[Round]) -> float:
    """The p50 of all approvals, in seconds."""
    return statistics.median(wait for one in rounds for wait in one.waits)


def percentile_wait(rounds: Sequence[Round], share: float = 0.99) -> float:
    """The percentile of the waits of all approvals, in seconds."""
    waits = sorted(wait for one in rounds for wait in one.waits)
    return waits[min(int(len(waits) * share), len(waits) - 1)]


def approvals_per_second(rounds: Sequence[Round]) -> float:
    """Approvals per second, in the median round."""
    return statistics.median(one.per_second for one in rounds)


def cpu_per_approval(rounds: Sequence[Round]) -> float:
    """CPU seconds per approval, in the best round."""
    return min(one.work for one in rounds)


def ratio_of(ours: Sequence[Round], theirs: Sequence[Round], figure: Callable[[Round], float]) -> float:
    """The ratio of our figure to theirs: the median over rounds, each compared with the round next to it."""
    return statistics.median(figure(one) / figure(other) for one, other in zip(ours, theirs, strict=True))


def median_of_round(one: Round) -> float:
    """The p50 of one round."""
    return statistics.median(one.waits)


# ---- ours ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BenchGate:
    """A gate, and an agent whose every call needs approval."""

    gate: Gate
    turn: Turn

    async def ask(self, call: Call | None = None) -> Approval:
        """Submit a call that needs approval: this one, or a new mail."""
        mail = Call(tool=TOOL.name, args=ARGS, id=f"call-{next(_numbers)}")
        outcome = await self.turn.submit(call or mail)
        if not isinstance(outcome, Wait):
            raise WrongAnswerError(f"a call that asks gave {type(outcome).__name__}")
        return outcome.approval

    async def answer(self, asked: Approval) -> None:
        """Say yes."""
        await self.gate.answer(ANA, asked.id, asked.digest, YES)

    async def approve_and_claim(self, call: Call | None = None) -> None:
        """Ask, answer, wake, decide again and claim: everything between a call and its tool."""
        asked = await self.ask(call)
        outcome, _ = await asyncio.gather(self.turn.wait(asked), self.answer(asked))
        if not isinstance(outcome, Run) or outcome.approval != asked.id:
            raise WrongAnswerError(f"a yes gave {type(outcome).__name__}")

    async def approve_and_wake(self) -> None:
        """Ask, answer and wake; the call is not claimed."""
        asked = await self.ask()
        answered, _ = await asyncio.gather(self.gate.store.wait_for_answer(asked.id), self.answer(asked))
        if answered.answer is None or answered.answer.say is not YES.say:
            raise WrongAnswerError(f"whoever waited for {asked.id} heard {answered.state}")


@asynccontextmanager
async def open_bench_gate(address: str, directory: Path, agent: str = "clerk") -> AsyncGenerator[BenchGate]:
    """Open a gate as a program does, with the default policy."""
    environment = {"HOME": str(directory), "PATH": os.environ.get("PATH", "")}
    async with open_gate(address, cwd=str(directory), environ=environment) as gate:
        gate.offer(DeclaredTool(tool=TOOL))
        yield BenchGate(gate, await gate.begin(ANA, conversation="talk", agent=agent))
