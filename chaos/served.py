"""Served: a real server over HTTP, to which everything happens in turn; only what clients saw is checked."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from chaos.invariants import DENY, TAKEN, Story, breaches, stories, tally
from chaos.mishaps import World, mishaps
from chaos.proxy import Proxy
from chaos.report import Report, spread
from chaos.server import Server
from chaos.serving import Serving
from chaos.site import Site
from chaos.storm import Progress
from chaos.visitors import Approver, Asker, Diary, Wire

LARGE = 300_000
"""Bytes of the arguments of every tenth call."""
_PATIENCE = 900.0
_PAUSE = 0.4
"""Seconds between two mishaps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much happens."""

    rounds: int
    """How often each mishap happens."""
    agents: int
    calls: int
    """Of each agent, at least."""


SHORT = Size(rounds=1, agents=4, calls=12)
LONG = Size(rounds=20, agents=8, calls=150)


def tried(site: Site, server: Server | None, size: Size, seed: int, progress: Progress) -> Report:
    """Let agents ask and people answer while everything happens to the server; read what they saw."""
    site.prepared()
    with ExitStack() as opened:
        world = _opened(site, server, opened)
        return _tried(world, size, seed, progress)


def _opened(site: Site, server: Server | None, opened: ExitStack) -> World:
    """A server that runs, on PostgreSQL behind a proxy."""
    proxy = None
    if server is not None:
        proxy = opened.enter_context(Proxy(server.socket, drops_notices=False))
    address = site.address if proxy is None else proxy.before(site.address)
    world = World(site, Serving(site, address), server, proxy)
    opened.callback(lambda: [cluster.stop() for cluster in world.clusters])
    opened.callback(world.serving.end)
    return world


def _tried(world: World, size: Size, seed: int, progress: Progress) -> Report:
    serving = world.serving
    diary, back = Diary(), list[float]()
    askers = [
        Asker(Wire(serving), diary, f"agent{number}", size.calls, arguments) for number in range(size.agents)
    ]
    approvers = [Approver(Wire(serving), diary, f"approver{number} {seed}") for number in range(2)]
    for visitor in (*askers, *approvers):
        visitor.start()
    _happen(world, diary, size, back, progress)
    progress("everything happened; finishing what is open")
    late = _finished(askers)
    for approver in approvers:
        approver.stopping.set()
        approver.join()
    rows = Wire(serving).every("/v1/audit?limit=200")
    diary.save(world.site.histories / "visitors.jsonl")
    lost = unrecorded(diary, rows)
    missed = [f"{late} agents did not come to their end"] if late else []
    report = _report(world, diary, size, seed, back, lost)
    return replace(report, missed=[*report.missed, *missed])


def arguments(call: str) -> dict[str, object]:
    """What a call does; every tenth is large."""
    room = {"note": "x" * LARGE} if call.endswith("9") else {}
    return {"command": f"make {call}", **room}


def ended_by_a_move(story: Story, moves: Sequence[tuple[float, float]]) -> bool:
    """Whether a call was approved when its database was moved, and so was not to run afterwards.

    Nothing that was approved before a backup runs in what is restored of it: it is `unknown` there, also
    for a caller that noticed nothing of the move.
    """
    taken = [one for one in story.taking if one.outcome == TAKEN and one.end is not None]
    return not story.effects and any(
        yes.start.at < ended and one.end is not None and one.end.at > began
        for began, ended in moves
        for yes in story.yes
        for one in taken
    )


def unrecorded(diary: Diary, rows: Sequence[Any]) -> list[str]:
    """Approvals whose answer a person was told was taken, and that the audit lacks."""
    found = Counter((row["entry"]["approval"], row["entry"]["decision"]) for row in rows)
    answers = [one for story in stories(diary.events, diary.effects) for one in story.heard]
    said = {one.approval: "denied" if one.start.say == DENY else "approved" for one in answers}
    return [approval for approval, decision in said.items() if not found[approval, decision]]


def _happen(world: World, diary: Diary, size: Size, back: list[float], progress: Progress) -> None:
    """Let each mishap happen in turn, and measure how long the server is away after it."""
    for round_ in range(size.rounds):
        for name, mishap in mishaps(world).items():
            progress(f"round {round_ + 1} of {size.rounds}: {name}")
            _eventually(partial(_is_used, diary, len(diary.events)))
            mishap(world)
            over = time.monotonic()
            _eventually(partial(_is_ready, world.serving))
            back.append(time.monotonic() - over)
            world.serving.check()
            time.sleep(_PAUSE)


def _is_used(diary: Diary, since: int) -> bool:
    """Whether visitors have seen something since."""
    return len(diary.events) > since + 4


def _is_ready(serving: Serving) -> bool:
    return Wire(serving).send("GET", "/readyz").status == 200


def _eventually(is_true: Callable[[], bool], patience: float = 60.0) -> None:
    """Wait for something; where it does not come, what follows says so."""
    deadline = time.monotonic() + patience
    while not is_true() and time.monotonic() < deadline:
        time.sleep(0.05)


def _finished(askers: Sequence[Asker]) -> int:
    """Let every agent finish; how many did not come to their end."""
    for asker in askers:
        asker.stopping.set()
    deadline = time.monotonic() + _PATIENCE
    for asker in askers:
        asker.join(max(0.0, deadline - time.monotonic()))
    return sum(asker.is_alive() for asker in askers)


def _report(
    world: World,
    diary: Diary,
    size: Size,
    seed: int,
    back: Sequence[float],
    unrecorded: Sequence[str],
) -> Report:
    counted = tally(diary.events, diary.effects)
    moved = {one.call for one in stories(diary.events, diary.effects) if ended_by_a_move(one, world.moves)}
    found = breaches(diary.events, diary.effects)
    lost = [f"{len(unrecorded)} answers have no row in the audit"] if unrecorded else []
    return Report(
        form="over HTTP",
        faults="R-1, R-10, R-29, R-33",
        store="sqlite" if world.database is None else "postgresql",
        size=f"{len(back)} mishaps, {size.agents} agents, {counted.calls} calls",
        seed=seed,
        breaches=[one for one in found if one.invariant != "I4" or one.call not in moved],
        tally=counted,
        figures={
            "answered": str(counted.answered),
            "ran": str(counted.ran),
            "unknown": str(counted.unknown),
            "answers without an audit row": str(len(unrecorded)),
            "ready again p50/p99/worst": spread(back),
        },
        missed=lost,
    )
