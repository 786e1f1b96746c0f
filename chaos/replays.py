"""Scenario: two processes send every message three times, in random order."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from assent.engine.base.tool import Call
from assent.errors import ConflictError
from assent.gate.access import Principal
from assent.gate.answer import Say
from assent.gate.approval import Approval
from assent.gate.calls import Run, Wait
from assent.gate.turn import Turn
from chaos import effects
from chaos.caller import Caller
from chaos.history import HistoryWriter, read_events
from chaos.invariants import Breach, call_histories, count_acts, find_breaches
from chaos.report import Report
from chaos.site import OWNER, Site, begin_turn, make_call, open_site
from chaos.worker_pool import Progress, run_all

_CALLS_PER_AGENT = 20
"""Number of calls per agent; their messages are shuffled together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaySize:
    """The size of a run: the number of calls."""

    calls: int


SHORT_SIZE = ReplaySize(calls=20)
LONG_SIZE = ReplaySize(calls=1_000)


def run_scenario(site: Site, size: ReplaySize, seed: int, store: str, progress: Progress) -> Report:
    """Two processes send every message of every call three times; each call runs once."""
    site.prepare()
    run_all(send_replays, [(site, size, seed, process) for process in (0, 1)], timeout=1800)
    progress(f"{size.calls} calls on {store} were replayed; the callers come back")
    run_all(send_replays, [(site, size, seed, 2)], timeout=600)
    return _make_report(site, size, seed, store)


def send_replays(site: Site, size: ReplaySize, seed: int, process: int) -> None:
    """Send every message three times; the third process only reads."""
    asyncio.run(_send_replays(site, size, random.Random(f"{seed} {process}"), process))


async def _send_replays(site: Site, size: ReplaySize, chance: random.Random, process: int) -> None:
    async with open_site(site) as gate:
        caller = Caller(gate, site, HistoryWriter(site.histories / f"replayer{process}.0.jsonl"))
        names = [f"call{number}" for number in range(size.calls)]
        for first in range(0, size.calls, _CALLS_PER_AGENT):
            turn = await begin_turn(gate, f"agent{first}")
            calls = [make_call(name) for name in names[first : first + _CALLS_PER_AGENT]]
            if process == 2:
                await asyncio.gather(*(caller.run_to_end(turn, call) for call in calls))
            else:
                await _send_messages(caller, turn, calls, chance, Principal(id=OWNER.id))


async def _send_messages(
    caller: Caller, turn: Turn, calls: list[Call], chance: random.Random, who: Principal
) -> None:
    """Send every message three times in random order, with the same answer each time."""
    asked = [await _find_question(caller, turn, call) for call in calls]
    messages: list[Callable[[], Awaitable[object]]] = []
    for call, approval in zip(calls, asked, strict=True):
        messages += [partial(_find_question, caller, turn, call), partial(_submit_forged_call, turn, call)]
        if approval is not None:
            messages += [partial(caller.answer, who, approval, Say.ONCE)]
            messages += [partial(_claim_and_run, caller, turn, call, approval)]
    messages *= 3
    chance.shuffle(messages)
    await asyncio.gather(*(message() for message in messages))


async def _find_question(caller: Caller, turn: Turn, call: Call) -> Approval | None:
    """The question about a call; None if the other process has already claimed it."""
    step, outcome = await caller.submit(turn, call)
    if isinstance(outcome, Run):
        await caller.run(outcome, step)
    return outcome.approval if isinstance(outcome, Wait) else None


async def _claim_and_run(caller: Caller, turn: Turn, call: Call, approval: Approval) -> None:
    step, outcome = await caller.wait_and_claim(turn, call, approval)
    if isinstance(outcome, Run):
        await caller.run(outcome, step)


async def _submit_forged_call(turn: Turn, call: Call) -> None:
    """Submit the same call id with other arguments, which must be a conflict."""
    try:
        forged = await turn.submit(Call(tool=call.tool, args={"note": "other"}, id=call.id))
    except ConflictError:
        return
    raise AssertionError(f"another call went by the id of {call.id}: {forged}")


def _make_report(site: Site, size: ReplaySize, seed: int, store: str) -> Report:
    events, ran = read_events(site.histories.glob("*.jsonl")), effects.read_effects(site.effects)
    idle = [
        Breach("I4", story.call, "it never ran") for story in call_histories(events, ran) if not story.effects
    ]
    counted = count_acts(events, ran)
    return Report(
        scenario="every message three times, in two processes",
        faults="R-6",
        store=store,
        size=f"{counted.calls} calls",
        seed=seed,
        breaches=[*find_breaches(events, ran), *idle],
        tally=counted,
        figures={
            "messages": str(sum(not event.outcome for event in events)),
            "ran": str(counted.ran),
        },
        missed=[] if counted.calls == size.calls else [f"only {counted.calls} calls"],
    )
