"""Served: a real server over HTTP, to which everything happens in turn; only what clients saw is checked."""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from chaos.history import Act
from chaos.invariants import DENY, OK, Breach, breaches, stories, tally
from chaos.mishaps import World, kill, mishaps
from chaos.proxy import Proxy
from chaos.report import Report, percentile, spread
from chaos.restores import End, is_ended_by_restore, ran_after_restore, unasked, unsettled
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
_AWAY = 60.0
"""Seconds after a mishap in which a server should be back, however busy the machine is."""
_GOAL = 2.0
"""Seconds from a kill to the first answer, for all but the slowest hundredth."""
_STATES = (
    "pending", "approved", "running", "done", "failed", "denied", "expired", "withdrawn", "lapsed", "refused",
    "unknown",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much happens."""

    rounds: int
    """How often each mishap happens."""
    agents: int
    calls: int
    """Of each agent, at least."""
    kills: int = 1
    """In each round."""


SHORT = Size(rounds=1, agents=4, calls=12)
LONG = Size(rounds=20, agents=8, calls=150, kills=6)


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
    diary = Diary()
    askers = [
        Asker(Wire(world.serving), diary, f"agent{number}", size.calls, arguments, world.may_take)
        for number in range(size.agents)
    ]
    approvers = [Approver(Wire(world.serving), diary, f"approver{number} {seed}") for number in range(2)]
    for visitor in (*askers, *approvers):
        visitor.start()
    happened = _happen(world, diary, size, random.Random(seed), progress)
    progress("everything happened; finishing what is open")
    late = _finished(askers)
    for approver in approvers:
        approver.stopping.set()
        approver.join()
    progress("reading the audit and what became of every question")
    wire = Wire(world.serving)
    rows, ends = wire.every("/v1/audit?limit=200"), ends_of(wire)
    diary.save(world.site.histories / "visitors.jsonl")
    missed = [*happened.missed, *([f"{late} agents did not come to their end"] if late else [])]
    return _report(world, diary, size, seed, replace(happened, missed=missed), rows, ends)


def arguments(call: str) -> dict[str, object]:
    """What a call does; every tenth is large."""
    room = {"note": "x" * LARGE} if call.endswith("9") else {}
    return {"command": f"make {call}", **room}


def ends_of(wire: Wire) -> dict[str, End]:
    """What the server says in the end of every question that there ever was."""
    states = "&".join(f"state={state}" for state in _STATES)
    items = wire.every(f"/v1/approvals?limit=200&{states}")
    return {str(one["id"]): End(str(one["state"]), str(one["note"])) for one in items}


def unrecorded(diary: Diary, rows: Sequence[Any]) -> list[str]:
    """Answers and runs that a client saw, and that the audit does not have exactly once."""
    found = Counter((row["entry"]["approval"], row["entry"]["decision"]) for row in rows)
    told = stories(diary.events, diary.effects)
    answers = {
        one.approval: "denied" if one.start.say == DENY else "approved"
        for story in told
        for one in story.heard
    }
    claims = [(one.approval, "claimed") for story in told for one in story.effects]
    return [" ".join(one) for one in (*answers.items(), *claims) if found[one] != 1]


def first_answers(diary: Diary, kills: Sequence[float]) -> list[float]:
    """Seconds from each kill to the first answer that was sent after it and acknowledged."""
    sent = {one.step: one.at for one in diary.events if one.act is Act.ANSWER and not one.outcome}
    heard = [one for one in diary.events if one.act is Act.ANSWER and one.outcome == OK]
    found = [min((one.at for one in heard if sent[one.step] > at), default=None) for at in kills]
    return [end - at for at, end in zip(kills, found, strict=True) if end is not None]


@dataclass(frozen=True, slots=True)
class Happened:
    """What was measured while everything happened."""

    back: Sequence[float]
    """Seconds from the end of each mishap until the server was ready."""
    worked: Sequence[float]
    """Seconds of the processor that a server took from its start after a kill to its first answer, about."""
    missed: Sequence[str]


def _happen(world: World, diary: Diary, size: Size, chance: random.Random, progress: Progress) -> Happened:
    """Let each mishap happen in turn, and measure how long the server is away after it."""
    back, worked, missed = list[float](), list[float](), list[str]()
    for round_ in range(size.rounds):
        for name, mishap in mishaps(world, size.kills, chance):
            progress(f"round {round_ + 1} of {size.rounds}: {name}")
            if not _is_soon(partial(_is_used, diary, len(diary.events))):
                missed.append(f"nobody used the server before {name}")
            mishap(world)
            over = time.monotonic()
            if not _is_soon(partial(_is_ready, world.serving)):
                missed.append(f"not ready {_AWAY:.0f} s after {name}")
            back.append(time.monotonic() - over)
            if not _is_soon(partial(_is_answered, diary, over)):
                missed.append(f"no answer {_AWAY:.0f} s after {name}")
            world.serving.check()
            if mishap is kill:
                worked.append(world.serving.worked())
            time.sleep(_PAUSE)
    return Happened(back, worked, missed)


def _is_used(diary: Diary, since: int) -> bool:
    """Whether visitors have seen something since."""
    return len(diary.events) > since + 4


def _is_answered(diary: Diary, since: float) -> bool:
    """Whether somebody's answer was acknowledged since."""
    return any(one.act is Act.ANSWER and one.outcome == OK for one in _newest(diary, since))


def _newest(diary: Diary, since: float) -> Iterator[Any]:
    for event in reversed(diary.events):
        if event.at < since:
            return
        yield event


def _is_ready(serving: Serving) -> bool:
    return Wire(serving).send("GET", "/readyz").status == 200


def _is_soon(is_true: Callable[[], bool]) -> bool:
    """Wait for something; whether it came."""
    deadline = time.monotonic() + _AWAY
    while not is_true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _finished(askers: Sequence[Asker]) -> int:
    """Let every agent finish; how many did not come to their end."""
    for asker in askers:
        asker.stopping.set()
    deadline = time.monotonic() + _PATIENCE
    for asker in askers:
        asker.join(max(0.0, deadline - time.monotonic()))
    return sum(asker.is_alive() for asker in askers)


def broken(world: World, diary: Diary, ends: Mapping[str, End]) -> list[Breach]:
    """Every promise that was not kept.

    These callers live on and repeat with their nonce, so a lost reply excuses nothing: a call that was
    allowed runs, unless it was approved or running when its database was backed up.
    """
    told = stories(diary.events, diary.effects)
    excuse = partial(is_ended_by_restore, restores=world.restores, ends=ends)
    return [
        *breaches(diary.events, diary.effects, excuse=excuse),
        *(breach for story in told for breach in ran_after_restore(story, world.restores)),
        *(breach for story in told for breach in unsettled(story, ends)),
        *unasked(told, ends),
    ]


def _report(
    world: World,
    diary: Diary,
    size: Size,
    seed: int,
    happened: Happened,
    rows: Sequence[Any],
    ends: Mapping[str, End],
) -> Report:
    counted, told = tally(diary.events, diary.effects), stories(diary.events, diary.effects)
    ended = sum(is_ended_by_restore(story, world.restores, ends) for story in told)
    lost, first = unrecorded(diary, rows), first_answers(diary, world.kills)
    missed = {
        f"{len(lost)} answers or claims without one row in the audit": bool(lost),
        f"no answer after {len(world.kills) - len(first)} kills": len(first) < len(world.kills),
        f"first answer after a kill p99 over {_GOAL:.0f} s": percentile(first, 0.99) > _GOAL,
    }
    return Report(
        form="over HTTP",
        faults="R-1, R-10, R-28, R-29, R-33, R-36",
        store="sqlite" if world.database is None else "postgresql",
        size=(
            f"{len(happened.back)} mishaps ({len(world.kills)} kills, {len(world.restores)} restores),"
            f" {size.agents} agents, {counted.calls} calls"
        ),
        seed=seed,
        breaches=broken(world, diary, ends),
        tally=counted,
        figures={
            "answered": str(counted.answered),
            "ran": str(counted.ran),
            "denied": str(counted.denied),
            "ended by a restore": str(ended),
            "answers or claims without one audit row": str(len(lost)),
            "errors told": str(counted.errors),
            "first answer after a kill p50/p99/worst": spread(first),
            "of its processor time": spread(happened.worked),
            "ready again p50/p99/worst": spread(happened.back),
        },
        missed=[*happened.missed, *(text for text, is_missed in missed.items() if is_missed)],
    )
