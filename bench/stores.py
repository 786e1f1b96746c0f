"""Shared parts of the store benchmarks: a directory on disk, rounds of approvals, and a gate.

They measure wall time, because an approval mostly waits: for a disk, a server, a thread or a process.
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

CACHE_DIRECTORY = Path(__file__).resolve().parents[1] / ".cache" / "bench"
LOG_BYTES = 8 * 1024 * 1024
"""Bytes to which the write-ahead log grows before the measurement; SQLite writes it back at 4 MB."""
MEMORY_FILE_SYSTEMS = frozenset({"tmpfs", "ramfs", "devtmpfs"})

SAMPLE_PERSON = Principal(id="ana", administrator=True)
MAIL_TOOL = Tool(
    name="mail.send",
    effect=Effect.EXTERNAL,
    description="Sends a mail.",
    parameters={"type": "object", "properties": {"to": {"type": "string"}, "text": {"type": "string"}}},
)
MAIL_ARGS = {"to": "ben@example.org", "text": "The report is ready; shall I send it to the others, too?"}
ALLOW_ONCE = Answer(say=Say.ONCE)

_call_counter = itertools.count()


# ---- a directory on disk ------------------------------------------------------------------------


@contextmanager
def temporary_directory() -> Iterator[Path]:
    """Create a temporary directory on a disk; a file system in memory is an error."""
    CACHE_DIRECTORY.mkdir(parents=True, exist_ok=True)
    if (found := file_system_type(CACHE_DIRECTORY)) in MEMORY_FILE_SYSTEMS:
        raise WrongAnswerError(f"{CACHE_DIRECTORY} is on {found}: a store has to be measured on a disk")
    with tempfile.TemporaryDirectory(dir=CACHE_DIRECTORY, ignore_cleanup_errors=True) as directory:
        yield Path(directory)


def grow_write_ahead_log(path: Path) -> None:
    """Let the write-ahead log of an open SQLite file grow to its final size before the measurement.

    A commit that enlarges the log file is slower. A competitor that writes less needs more commits until the
    log has its final size, so it would look slower than it is.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE ballast (bytes BLOB)")
        connection.execute("INSERT INTO ballast VALUES (zeroblob(?))", (LOG_BYTES,))
        connection.execute("DROP TABLE ballast")
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def file_system_type(path: Path) -> str:
    """The type of the file system that contains a path; `disk` if it is unknown."""
    mounts = Path("/proc/self/mounts")
    if not mounts.exists():
        return "disk"
    mounted = [line.split()[1:3] for line in mounts.read_text("utf-8").splitlines()]
    holding = [(point, kind) for point, kind in mounted if path.is_relative_to(point)]
    return max(holding, key=lambda found: len(found[0]))[1] if holding else "disk"


# ---- rounds -------------------------------------------------------------------------------------

ApproveOnce = Callable[[], Awaitable[None]]
"""A function that creates and answers one approval; raises `WrongAnswerError` if a step fails."""


class Round(NamedTuple):
    """The measured times of one competitor in one round."""

    waits: list[float]
    """The seconds of each approval."""
    seconds: float
    cpu_seconds: float = 0.0
    """CPU seconds of this process per approval, over all threads."""

    @property
    def approval_rate(self) -> float:
        return len(self.waits) / self.seconds


@dataclass(frozen=True, slots=True)
class WaiterGroup:
    """A competitor with `many` concurrent waiters; each processes `each` approvals one after another."""

    approve: ApproveOnce
    many: int = 1
    each: int = 1
    finish: ApproveOnce | None = None
    """Waits for delayed writes; its time counts for the round, but not for an approval."""

    async def run_round(self) -> Round:
        start, work = perf_counter(), process_time()
        waited = await asyncio.gather(*(self._approve_repeatedly() for _ in range(self.many)))
        if self.finish is not None:
            await self.finish()
        seconds, work = perf_counter() - start, process_time() - work
        return Round(list(itertools.chain(*waited)), seconds, work / (self.many * self.each))

    async def _approve_repeatedly(self) -> list[float]:
        waits: list[float] = []
        for _ in range(self.each):
            start = perf_counter()
            await self.approve()
            waits.append(perf_counter() - start)
        return waits


async def time_in_rounds(*contenders: WaiterGroup, rounds: int) -> list[list[Round]]:
    """Run the competitors' rounds in random order and return their times, without the first round."""
    freeze_heap()
    raced: list[list[Round]] = [[] for _ in contenders]
    shuffled = random.Random(0)
    for _ in range(rounds + 1):
        for position in shuffled.sample(range(len(contenders)), len(contenders)):
            raced[position].append(await contenders[position].run_round())
    return [of_one[1:] for of_one in raced]


def median_wait(rounds: Sequence[Round]) -> float:
    """The median time of all approvals, in seconds."""
    return statistics.median(wait for one in rounds for wait in one.waits)


def percentile_wait(rounds: Sequence[Round], share: float = 0.99) -> float:
    """A percentile of the times of all approvals, in seconds."""
    waits = sorted(wait for one in rounds for wait in one.waits)
    return waits[min(int(len(waits) * share), len(waits) - 1)]


def approvals_per_second(rounds: Sequence[Round]) -> float:
    """The number of approvals per second in the median round."""
    return statistics.median(one.approval_rate for one in rounds)


def cpu_per_approval(rounds: Sequence[Round]) -> float:
    """The CPU seconds per approval in the best round."""
    return min(one.cpu_seconds for one in rounds)


def median_ratio(ours: Sequence[Round], theirs: Sequence[Round], figure: Callable[[Round], float]) -> float:
    """The median ratio of our value to the competitor's, over pairs of neighbouring rounds."""
    return statistics.median(figure(one) / figure(other) for one, other in zip(ours, theirs, strict=True))


def median_wait_of_round(one: Round) -> float:
    """The median time of the approvals of one round, in seconds."""
    return statistics.median(one.waits)


# ---- a gate of Assent ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BenchGate:
    """A gate, and the turn of an agent whose calls all need approval."""

    gate: Gate
    turn: Turn

    async def ask(self, call: Call | None = None) -> Approval:
        """Submit a call that needs approval (by default a new mail), and return the approval."""
        mail = Call(tool=MAIL_TOOL.name, args=MAIL_ARGS, id=f"call-{next(_call_counter)}")
        outcome = await self.turn.submit(call or mail)
        if not isinstance(outcome, Wait):
            raise WrongAnswerError(f"a call that asks gave {type(outcome).__name__}")
        return outcome.approval

    async def answer(self, asked: Approval) -> None:
        """Allow the call once."""
        await self.gate.answer(SAMPLE_PERSON, asked.id, asked.digest, ALLOW_ONCE)

    async def approve_and_claim(self, call: Call | None = None) -> None:
        """Do everything between a call and its tool: ask, answer, wake, decide again and claim."""
        asked = await self.ask(call)
        outcome, _ = await asyncio.gather(self.turn.wait(asked), self.answer(asked))
        if not isinstance(outcome, Run) or outcome.approval != asked.id:
            raise WrongAnswerError(f"a yes gave {type(outcome).__name__}")

    async def approve_and_wake(self) -> None:
        """Ask, answer and wake the waiter, without claiming the call."""
        asked = await self.ask()
        answered, _ = await asyncio.gather(self.gate.store.wait_for_answer(asked.id), self.answer(asked))
        if answered.answer is None or answered.answer.say is not ALLOW_ONCE.say:
            raise WrongAnswerError(f"the waiter for {asked.id} got {answered.state}")


@asynccontextmanager
async def open_bench_gate(address: str, directory: Path, agent: str = "clerk") -> AsyncGenerator[BenchGate]:
    """Open a gate with the default policy, and begin a turn of an agent."""
    environment = {"HOME": str(directory), "PATH": os.environ.get("PATH", "")}
    async with open_gate(address, cwd=str(directory), environ=environment) as gate:
        gate.offer(DeclaredTool(tool=MAIL_TOOL))
        yield BenchGate(gate, await gate.begin(SAMPLE_PERSON, conversation="talk", agent=agent))
