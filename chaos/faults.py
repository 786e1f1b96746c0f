"""Scenario: the n-th call of the SQLite driver fails or kills the process, for every n."""

import asyncio
import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import count
from pathlib import Path
from shutil import copyfile, rmtree
from typing import Any

from chaos import effects
from chaos.history import read_events
from chaos.invariants import Breach, Tally, count_acts, find_breaches
from chaos.lifecycle import LIFECYCLE_TIMEOUT, run_lifecycle
from chaos.report import Report
from chaos.site import Site, open_site
from chaos.worker_pool import CONTEXT, Progress, WorkerError, run_all

_CONNECT = sqlite3.connect


class FaultKind(StrEnum):
    """What the fault does at a call of the SQLite driver."""

    REFUSED = "fails"
    UNHEARD = "works and says it failed"
    KILLED = "is killed before"
    CUT = "is killed after"


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultSize:
    """The size of a run: the step between tested calls, and the step for faults that kill a process."""

    stride: int
    kill_stride: int


SHORT_SIZE = FaultSize(stride=7, kill_stride=23)
LONG_SIZE = FaultSize(stride=1, kill_stride=1)


class FaultPlan:
    """Which driver call fails, and how; counts the driver calls of all connections of a process."""

    def __init__(self, number: int = 0, kind: FaultKind = FaultKind.REFUSED) -> None:
        self._number = number
        self._kind = kind
        self._calls = count(1)
        self.is_met = False

    @contextmanager
    def count_driver_call(self) -> Iterator[None]:
        """Count one driver call, and inject the fault if it is the selected call."""
        is_hit = next(self._calls) == self._number
        self.is_met |= is_hit
        if is_hit and self._kind in (FaultKind.REFUSED, FaultKind.KILLED):
            self._inject_fault()
        yield
        if is_hit:
            self._inject_fault()

    def _inject_fault(self) -> None:
        if self._kind in (FaultKind.KILLED, FaultKind.CUT):
            os.kill(os.getpid(), signal.SIGKILL)
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorname = "SQLITE_IOERR"
        raise error


class FaultyCursor(sqlite3.Cursor):
    """A cursor that counts its calls."""

    def execute(self, *words: Any) -> Any:
        """Execute a statement, or fail."""
        with self.connection.plan.count_driver_call():  # type: ignore[attr-defined]
            return super().execute(*words)

    def executemany(self, *words: Any) -> Any:
        """Execute a statement for many rows, or fail."""
        with self.connection.plan.count_driver_call():  # type: ignore[attr-defined]
            return super().executemany(*words)


class FaultyConnection(sqlite3.Connection):
    """A connection that counts its calls."""

    plan: FaultPlan = FaultPlan()

    def cursor(self, *_: Any) -> Any:
        """A cursor that counts its calls."""
        return super().cursor(FaultyCursor)

    def execute(self, *words: Any) -> Any:
        """Execute a statement with a counting cursor, or fail."""
        return self.cursor().execute(*words)

    def executemany(self, *words: Any) -> Any:
        """Execute a statement for many rows, or fail."""
        return self.cursor().executemany(*words)

    def commit(self) -> None:
        """Commit, or fail."""
        with self.plan.count_driver_call():
            super().commit()


def run_scenario(site: Site, size: FaultSize, seed: int, store: str, progress: Progress) -> Report:
    """Run a complete call for every n; the caller repeats failed acts."""
    site.prepare()
    asyncio.run(_create_template(site))
    answers = CONTEXT.SimpleQueue()
    run_all(fail_each_driver_call, [(site, size.stride, answers)], timeout=1800)
    steps: dict[FaultKind, int] = answers.get()
    progress(f"every call of the driver failed once: {steps}")
    last = max(steps.values())
    for kind in (FaultKind.KILLED, FaultKind.CUT):
        numbers = range(1, last + 1, size.kill_stride)
        steps[kind] = sum(_kill_at_driver_call(site, kind, number) for number in numbers)
        progress(f"a process {kind} at {steps[kind]} calls")
    return _make_report(site, size, seed, store, steps)


def fail_each_driver_call(site: Site, stride: int, answers: Any) -> None:
    """Let each driver call fail in turn, until a run has no more calls."""
    sqlite3.connect = partial(_CONNECT, factory=FaultyConnection)  # type: ignore[assignment]
    answers.put(
        {kind: _fail_each_driver_call(site, stride, kind) for kind in (FaultKind.REFUSED, FaultKind.UNHEARD)}
    )


def _fail_each_driver_call(site: Site, stride: int, kind: FaultKind) -> int:
    """Let each driver call fail in turn; returns the number of the last one."""
    last = 0
    for number in count(1, stride):
        here = _copy_template(site, kind, number)
        FaultyConnection.plan = plan = FaultPlan(number, kind)
        asyncio.run(run_lifecycle(here, "call", "0"))
        FaultyConnection.plan = FaultPlan()
        asyncio.run(run_lifecycle(here, "call", "1"))
        last = number if plan.is_met else last
        if number > last + 3 * stride:
            break
    return last


def _kill_at_driver_call(site: Site, kind: FaultKind, number: int) -> bool:
    """Kill a process at this driver call; returns False if it did not reach the call."""
    here = _copy_template(site, kind, number)
    process = CONTEXT.Process(target=run_in_process, args=(here, "0", number, kind), daemon=True)
    process.start()
    process.join(2 * LIFECYCLE_TIMEOUT)
    is_killed = process.exitcode == -signal.SIGKILL
    if not is_killed and process.exitcode != 0:
        raise WorkerError(f"exit code {process.exitcode} at call {number}; see above")
    run_all(run_in_process, [(here, "1", 0, kind)], timeout=2 * LIFECYCLE_TIMEOUT)
    return is_killed


def run_in_process(site: Site, name: str, number: int, kind: FaultKind) -> None:
    """Run one call in this process."""
    sqlite3.connect = partial(_CONNECT, factory=FaultyConnection)  # type: ignore[assignment]
    FaultyConnection.plan = FaultPlan(number, kind)
    asyncio.run(run_lifecycle(site, "call", name))


async def _create_template(site: Site) -> None:
    """Create a database file with our tables."""
    async with open_site(replace(site, address=str(_create_empty_site(site)))):
        pass


def _create_empty_site(site: Site) -> Path:
    return site.directory / "empty.db"


def _copy_template(site: Site, kind: FaultKind, number: int) -> Site:
    """A copy of the template for one run."""
    directory = site.directory / "cycles" / f"{kind.name.lower()}-{number}"
    rmtree(directory, ignore_errors=True)
    here = Site(address=str(directory / "assent.db"), directory=directory).prepare()
    copyfile(_create_empty_site(site), here.address)
    os.chmod(here.address, 0o600)
    return here


def _make_report(site: Site, size: FaultSize, seed: int, store: str, steps: dict[FaultKind, int]) -> Report:
    cycles = sorted((site.directory / "cycles").iterdir())
    found: list[Breach] = []
    counted: list[Tally] = []
    for directory in cycles:
        here = Site(address="", directory=directory)
        events, ran = read_events(here.histories.glob("*.jsonl")), effects.read_effects(here.effects)
        found += [breach._replace(call=directory.name) for breach in find_breaches(events, ran)]
        counted.append(count_acts(events, ran))
    every = "every" if size.stride == 1 else f"each {size.stride}th"
    return Report(
        scenario="every call of the driver fails",
        faults="R-12, R-25",
        store=store,
        size=f"{len(cycles)} lives of a call, {every} call hit",
        seed=seed,
        breaches=found,
        figures={
            **{kind.value: f"at {steps[kind]} calls" for kind in FaultKind},
            "ran": str(sum(one.ran for one in counted)),
            "unknown": str(sum(one.unknown for one in counted)),
            "errors told": str(sum(one.errors for one in counted)),
        },
    )
