"""A pool of worker processes that can be killed and replaced, and figures from their histories."""

import multiprocessing
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from multiprocessing.process import BaseProcess
from typing import NamedTuple

from chaos import effects
from chaos.history import Act, Event, attempts, read_events
from chaos.invariants import ASKED, ERROR, OK, RUN
from chaos.site import Site
from chaos.worker import Role, run_worker

CONTEXT = multiprocessing.get_context("forkserver")
# A killed worker is replaced by a fork of a process that has already loaded all modules.
CONTEXT.set_forkserver_preload(
    ["chaos.worker", "assent.stores.sqlite.database", "assent.stores.postgres.database"]
)

Progress = Callable[[str], None]
SPARED_AFTER_SECONDS = 30.0
"""A slot that has not resumed all its calls for this many seconds is not killed."""


class WorkerError(Exception):
    """A worker that ended unexpectedly or did not end in time."""


def run_all(
    work: Callable[..., None], given: Sequence[tuple[object, ...]], *, timeout: float, ends: int = 0
) -> None:
    """Run a function in one process per set of arguments, concurrently, and wait for all."""
    processes = [CONTEXT.Process(target=work, args=words, daemon=True) for words in given]
    for process in processes:
        process.start()
    deadline = time.monotonic() + timeout
    for process in processes:
        process.join(max(0.0, deadline - time.monotonic()))
    late = [process for process in processes if process.exitcode is None]
    for process in late:
        process.kill()
        process.join()
    if late or any(process.exitcode != ends for process in processes):
        raise WorkerError(f"exit codes of workers: {[process.exitcode for process in processes]}; see above")


class Kill(NamedTuple):
    """A worker that was killed, and when."""

    role: Role
    at: float


class WorkerPool:
    """The workers of one site; a killed worker is replaced in its slot."""

    def __init__(self, site: Site, roles: Iterable[Role], seed: int) -> None:
        self.site = site.prepare()
        self.random = random.Random(seed)
        self.kills: list[Kill] = []
        self._seed = seed
        self._generations: Counter[str] = Counter()
        self._workers: dict[str, tuple[Role, BaseProcess]] = {}
        self._last_resumed_at: dict[str, float] = {}
        """When the worker of each slot had last resumed all its lines."""
        for role in roles:
            self._start_worker(role)

    def kill(self) -> None:
        """Kill a random worker and replace it, unless the worker must not be killed now."""
        self.check()
        role, process = self._workers[self.random.choice(sorted(self._workers))]
        if not self._must_stay_alive(role):
            self._kill_worker(role, process)
            self._start_worker(role)

    def restart_each(self) -> None:
        """Replace one worker after the other with SIGTERM, as in a deployment."""
        self.check()
        for role, process in list(self._workers.values()):
            process.terminate()
            process.join()
            self._start_worker(role)

    def kill_all(self) -> None:
        """Kill all workers."""
        self.check()
        for role, process in list(self._workers.values()):
            self._kill_worker(role, process)
            del self._workers[role.slot]

    def check(self) -> None:
        """Raise an error if a worker ended unexpectedly."""
        crashed = [role.slot for role, process in self._workers.values() if process.exitcode not in (None, 0)]
        if crashed:
            raise WorkerError(f"{', '.join(crashed)} ended by themselves; see above")

    def drain(self, roles: Iterable[Role], timeout: float) -> None:
        """Let new workers finish all started calls, then stop the approvers."""
        for role in roles:
            self._start_worker(replace(role, draining=True))
        self.finish(timeout)

    def finish(self, timeout: float = 60) -> None:
        """Wait for the askers to finish, and stop the approvers."""
        waiting = [process for role, process in self._workers.values() if role.agents]
        deadline = time.monotonic() + timeout
        for process in waiting:
            process.join(max(0.0, deadline - time.monotonic()))
            self.check()
        late = [process for process in waiting if process.exitcode is None]
        self.close()
        if late:
            raise WorkerError(f"{len(late)} workers did not come to their end in {timeout:.0f} s")

    def is_working(self) -> bool:
        """Whether an asker is still working."""
        return any(role.agents and process.exitcode is None for role, process in self._workers.values())

    def events(self) -> list[Event]:
        """All events so far."""
        return read_events(self.site.histories.glob("*.jsonl"))

    def effects(self) -> list[effects.Effect]:
        """Read all recorded executions."""
        return effects.read_effects(self.site.effects)

    def close(self) -> None:
        """Stop all remaining workers."""
        for role, process in self._workers.values():
            self._kill_worker(role, process)
        self._workers.clear()

    def _must_stay_alive(self, role: Role) -> bool:
        """Whether the worker of a slot must not be killed now.

        The questions of a caller that has been silent for a minute are withdrawn, as documented;
        on a busy machine, a slot could be killed repeatedly for that long before it reaches its last call.
        """
        now = time.monotonic()
        if self._has_resumed(role):
            self._last_resumed_at[role.slot] = now
        return now - self._last_resumed_at.setdefault(role.slot, now) > SPARED_AFTER_SECONDS

    def _has_resumed(self, role: Role) -> bool:
        """Whether this worker has resumed each of its lines."""
        heard = {
            event.call.rpartition(".")[0]
            for event in read_events([role.history(self.site)])
            if event.outcome not in ("", ERROR)
        }
        return len(heard) >= len(role.call_sequence_names())

    def _start_worker(self, role: Role) -> None:
        role = replace(role, generation=self._generations[role.slot], seed=self._seed)
        self._generations[role.slot] += 1
        process = CONTEXT.Process(target=run_worker, args=(self.site, role), daemon=True)
        process.start()
        self._workers[role.slot] = (role, process)

    def _kill_worker(self, role: Role, process: BaseProcess) -> None:
        if process.exitcode is None:
            self.kills.append(Kill(role, time.monotonic()))
            process.kill()
        process.join()


def create_roles(
    *, askers: int, agents: int, lines: int, approvers: int, most: int = 0, name: str = "agent"
) -> list[Role]:
    """Create the roles of a pool; each agent belongs to one asker."""
    asking = [
        Role(
            slot=f"asker{asker}",
            agents=tuple(f"{name}{asker}x{agent}" for agent in range(agents)),
            lines=lines,
            most=most,
        )
        for asker in range(askers)
    ]
    return [*asking, *(Role(slot=f"approver{number}") for number in range(approvers))]


def recovery_times(pool: WorkerPool, *, asking: bool) -> list[float]:
    """Seconds from each kill to the first acknowledged act of the next worker in its slot."""
    found = []
    for role, at in [kill for kill in pool.kills if bool(kill.role.agents) is asking]:
        after = replace(role, generation=role.generation + 1).history(pool.site)
        acknowledged = [
            event.at
            for event in (read_events([after]) if after.exists() else [])
            if event.outcome not in ("", ERROR)
        ]
        if acknowledged:
            found.append(acknowledged[0] - at)
    return found


def delivery_times(events: Sequence[Event], recovered_at: Sequence[float] = ()) -> list[float]:
    """Seconds from an acknowledged approval until its waiting caller could run the call.

    If the store was unavailable meanwhile, the time starts when it was available again.
    """
    said = {event.approval: event.at for event in events if event.act is Act.ANSWER and event.outcome == OK}
    found = []
    for one in attempts(events):
        at = said.get(one.approval)
        if one.start.act is Act.TAKE and one.outcome == RUN and one.end and at and one.start.at < at:
            back = max((moment for moment in recovered_at if moment < one.end.at), default=at)
            found.append(max(0.0, one.end.at - max(at, back)))
    return found


def count_ended_calls(events: Sequence[Event]) -> int:
    """Count the calls that ended."""
    acts = (Act.SUBMIT, Act.TAKE)
    return len(
        {event.call for event in events if event.act in acts and event.outcome not in ("", ASKED, ERROR)}
    )
