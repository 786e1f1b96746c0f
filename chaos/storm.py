"""A storm: workers in processes of their own, what is done to them, and what their histories tell after."""

import multiprocessing
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from multiprocessing.process import BaseProcess
from typing import NamedTuple

from chaos import effects
from chaos.history import Act, Event, attempts, read
from chaos.invariants import ASKED, ERROR, OK, RUN
from chaos.site import Site
from chaos.worker import Role, main

CONTEXT = multiprocessing.get_context("forkserver")
# A worker that is killed is replaced by a fork of a process that has loaded everything already.
CONTEXT.set_forkserver_preload(
    ["chaos.worker", "assent.stores.sqlite.database", "assent.stores.postgres.database"]
)

Progress = Callable[[str], None]
SPARED_AFTER = 30.0
"""Seconds for which a slot may be killed again before it came back to all its calls."""


class WorkerError(Exception):
    """A worker that ended by itself where it should not have, or never came to its end."""


def run_all(
    work: Callable[..., None], given: Sequence[tuple[object, ...]], *, patience: float, ends: int = 0
) -> None:
    """Run the same work in one process for each of these arguments, all at a time, to the end."""
    processes = [CONTEXT.Process(target=work, args=words, daemon=True) for words in given]
    for process in processes:
        process.start()
    deadline = time.monotonic() + patience
    for process in processes:
        process.join(max(0.0, deadline - time.monotonic()))
    late = [process for process in processes if process.exitcode is None]
    for process in late:
        process.kill()
        process.join()
    if late or any(process.exitcode != ends for process in processes):
        raise WorkerError(f"exit codes of workers: {[process.exitcode for process in processes]}; see above")


class Kill(NamedTuple):
    """A worker that was ended by SIGKILL, and when."""

    role: Role
    at: float


class Storm:
    """The workers of one site; slots stay, lives come and go."""

    def __init__(self, site: Site, roles: Iterable[Role], seed: int) -> None:
        self.site = site.prepared()
        self.random = random.Random(seed)
        self.kills: list[Kill] = []
        self._seed = seed
        self._generations: Counter[str] = Counter()
        self._lives: dict[str, tuple[Role, BaseProcess]] = {}
        self._whole: dict[str, float] = {}
        """When a life of each slot was last seen to have come back to all that it had to do."""
        for role in roles:
            self._start(role)

    def kill(self) -> None:
        """End some worker without a warning, and put another into its slot; one that is spared lives on."""
        self.check()
        role, process = self._lives[self.random.choice(sorted(self._lives))]
        if not self._is_spared(role):
            self._end(role, process)
            self._start(role)

    def roll(self) -> None:
        """Deploy anew: one worker after the other is asked to end, and replaced."""
        self.check()
        for role, process in list(self._lives.values()):
            process.terminate()
            process.join()
            self._start(role)

    def kill_all(self) -> None:
        """Pull the plug."""
        self.check()
        for role, process in list(self._lives.values()):
            self._end(role, process)
            del self._lives[role.slot]

    def check(self) -> None:
        """Nobody but us ends a worker."""
        crashed = [role.slot for role, process in self._lives.values() if process.exitcode not in (None, 0)]
        if crashed:
            raise WorkerError(f"{', '.join(crashed)} ended by themselves; see above")

    def drain(self, roles: Iterable[Role], patience: float) -> None:
        """Let new workers finish all that was begun, then end those that answer."""
        for role in roles:
            self._start(replace(role, draining=True))
        self.finish(patience)

    def finish(self, patience: float = 60) -> None:
        """Wait for those that ask to come to their end, and end those that answer."""
        waiting = [process for role, process in self._lives.values() if role.agents]
        deadline = time.monotonic() + patience
        for process in waiting:
            process.join(max(0.0, deadline - time.monotonic()))
            self.check()
        late = [process for process in waiting if process.exitcode is None]
        self.close()
        if late:
            raise WorkerError(f"{len(late)} workers did not come to their end in {patience:.0f} s")

    def is_working(self) -> bool:
        """Whether somebody who asks is still at it."""
        return any(role.agents and process.exitcode is None for role, process in self._lives.values())

    def events(self) -> list[Event]:
        """Everything that was written down so far."""
        return read(self.site.histories.glob("*.jsonl"))

    def effects(self) -> list[effects.Effect]:
        """Everything that ran."""
        return effects.found(self.site.effects)

    def close(self) -> None:
        """End whoever is left."""
        for role, process in self._lives.values():
            self._end(role, process)
        self._lives.clear()

    def _is_spared(self, role: Role) -> bool:
        """Whether a slot needs a life that lasts.

        A caller that is not heard of for a minute is gone, and its questions are taken back, as is promised;
        on a busy machine a slot could be killed for that long before it comes to its last call.
        """
        now = time.monotonic()
        if self._is_whole(role):
            self._whole[role.slot] = now
        return now - self._whole.setdefault(role.slot, now) > SPARED_AFTER

    def _is_whole(self, role: Role) -> bool:
        """Whether this life of a slot came back to each of its lines."""
        heard = {
            event.call.rpartition(".")[0]
            for event in read([role.history(self.site)])
            if event.outcome not in ("", ERROR)
        }
        return len(heard) >= len(role.names())

    def _start(self, role: Role) -> None:
        role = replace(role, generation=self._generations[role.slot], seed=self._seed)
        self._generations[role.slot] += 1
        process = CONTEXT.Process(target=main, args=(self.site, role), daemon=True)
        process.start()
        self._lives[role.slot] = (role, process)

    def _end(self, role: Role, process: BaseProcess) -> None:
        if process.exitcode is None:
            self.kills.append(Kill(role, time.monotonic()))
            process.kill()
        process.join()


def crew(
    *, askers: int, agents: int, lines: int, approvers: int, most: int = 0, name: str = "agent"
) -> list[Role]:
    """Roles for a storm; each agent belongs to one asker."""
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


def recoveries(storm: Storm, *, asking: bool) -> list[float]:
    """Seconds from each kill until the next life of its slot had something acknowledged."""
    found = []
    for role, at in [kill for kill in storm.kills if bool(kill.role.agents) is asking]:
        after = replace(role, generation=role.generation + 1).history(storm.site)
        acknowledged = [
            event.at
            for event in (read([after]) if after.exists() else [])
            if event.outcome not in ("", ERROR)
        ]
        if acknowledged:
            found.append(acknowledged[0] - at)
    return found


def deliveries(events: Sequence[Event], came_back: Sequence[float] = ()) -> list[float]:
    """Seconds from the moment a yes was safe to that when its caller, who waited, could run.

    Where the store was away meanwhile, they count from when it was back.
    """
    said = {event.approval: event.at for event in events if event.act is Act.ANSWER and event.outcome == OK}
    found = []
    for one in attempts(events):
        at = said.get(one.approval)
        if one.start.act is Act.TAKE and one.outcome == RUN and one.end and at and one.start.at < at:
            back = max((moment for moment in came_back if moment < one.end.at), default=at)
            found.append(max(0.0, one.end.at - max(at, back)))
    return found


def round_trips(events: Sequence[Event]) -> int:
    """Calls that came to an end."""
    acts = (Act.SUBMIT, Act.TAKE)
    return len(
        {event.call for event in events if event.act in acts and event.outcome not in ("", ASKED, ERROR)}
    )
