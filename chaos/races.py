"""Scenario: two people in two processes give opposite answers to the same questions simultaneously."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier

from assent.gate.access import Principal
from assent.gate.answer import Say
from assent.gate.approval import Approval
from assent.gate.gate import Gate
from chaos import effects
from chaos.caller import Caller
from chaos.history import HistoryWriter, read_events
from chaos.invariants import MOVED, OK, Breach, CallHistory, call_histories, count_acts, find_breaches
from chaos.report import Report
from chaos.site import Site, begin_turn, make_call, open_site
from chaos.worker_pool import CONTEXT, Progress, run_all

_QUESTIONS_PER_AGENT = 50
"""Number of questions per agent."""
_CONCURRENT_ANSWERS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceSize:
    """The size of a run: the number of races."""

    races: int


SHORT_SIZE = RaceSize(races=300)
LONG_SIZE = RaceSize(races=10_000)


def run_scenario(site: Site, size: RaceSize, seed: int, store: str, progress: Progress) -> Report:
    """Submit calls and let two people answer each; one wins, and the other must get a conflict."""
    asyncio.run(_submit_and_race(site.prepare(), size, store, progress))
    return _make_report(site, size, seed, store)


async def _submit_and_race(site: Site, size: RaceSize, store: str, progress: Progress) -> None:
    # The caller keeps running, because questions of a caller that is gone for a minute are withdrawn.
    async with open_site(site) as gate:
        caller = Caller(gate, site, HistoryWriter(site.histories / "asker.0.jsonl"))
        turns = {agent: await begin_turn(gate, agent) for agent, _ in _agents_with_calls(size.races)}
        for agent, names in _agents_with_calls(size.races):
            await asyncio.gather(*(caller.submit(turns[agent], make_call(name)) for name in names))
        progress(f"{size.races} questions are open on {store}")
        start = CONTEXT.Barrier(2)
        given = [(site, number, start) for number in (0, 1)]
        await asyncio.to_thread(run_all, answer_all, given, timeout=1800)
        progress(f"{size.races} races on {store} are over; the caller comes back")
        for agent, names in _agents_with_calls(size.races):
            await asyncio.gather(*(caller.run_to_end(turns[agent], make_call(name)) for name in names))


def answer_all(site: Site, number: int, start: Barrier) -> None:
    """Answer all open questions, alternating yes and no; the other process gives the opposite answers."""
    asyncio.run(_answer_all(site, number, start))


def _agents_with_calls(races: int) -> list[tuple[str, list[str]]]:
    """The agents with the names of their calls."""
    names = [f"call{number}" for number in range(races)]
    return [
        (f"agent{first}", names[first : first + _QUESTIONS_PER_AGENT])
        for first in range(0, races, _QUESTIONS_PER_AGENT)
    ]


async def _answer_all(site: Site, number: int, start: Barrier) -> None:
    who = Principal(id=f"approver{number}", administrator=True)
    async with open_site(site) as gate:
        caller = Caller(gate, site, HistoryWriter(site.histories / f"{who.id}.0.jsonl"))
        open_ones = await _list_open(gate, who)
        for first in range(0, len(open_ones), _QUESTIONS_PER_AGENT):
            await asyncio.to_thread(start.wait, 120)
            here = open_ones[first : first + _QUESTIONS_PER_AGENT]
            says = [Say.ONCE if (index + number) % 2 else Say.DENY for index in range(len(here))]
            raced = list(zip(here, says, strict=True))
            # A few at a time, so that no process wins all races with one commit.
            for at in range(0, len(raced), _CONCURRENT_ANSWERS):
                few = raced[at : at + _CONCURRENT_ANSWERS]
                await asyncio.gather(*(caller.answer(who, approval, say) for approval, say in few))


async def _list_open(gate: Gate, who: Principal) -> list[Approval]:
    """All open questions, in the same order for both processes."""
    page = await gate.pending_approvals(who)
    found = list(page.approvals)
    while page.after:
        page = await gate.pending_approvals(who, after=page.after)
        found += page.approvals
    return sorted(found, key=lambda approval: approval.id)


def _make_report(site: Site, size: RaceSize, seed: int, store: str) -> Report:
    events, ran = read_events(site.histories.glob("*.jsonl")), effects.read_effects(site.effects)
    told = call_histories(events, ran)
    won = Counter(story.acknowledged_answers[0].start.by for story in told if story.acknowledged_answers)
    return Report(
        scenario="two approvers race",
        faults="R-5",
        store=store,
        size=f"{len(told)} races",
        seed=seed,
        breaches=[
            *find_breaches(events, ran),
            *(breach for story in told for breach in _find_race_breaches(story)),
        ],
        tally=count_acts(events, ran),
        figures={"won by either": " and ".join(str(won[name]) for name in sorted(won))},
        missed=[] if len(told) == size.races else [f"only {len(told)} races"],
    )


def _find_race_breaches(story: CallHistory) -> list[Breach]:
    """A breach if a race does not have exactly one winner and one conflict."""
    outcomes = sorted(one.outcome.partition(":")[0] for one in story.answers)
    return [] if outcomes == [MOVED, OK] else [Breach("I2", story.call, f"a race ended in {outcomes}")]
