"""Races: two people in two processes answer the same questions at the same moment, in opposite ways."""

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
from chaos.history import Diary, read
from chaos.invariants import MOVED, OK, Breach, Story, breaches, stories, tally
from chaos.report import Report
from chaos.site import Site, begun, call_of, opened
from chaos.storm import CONTEXT, Progress, run_all

_EACH = 50
"""Questions of one agent, all of which are raced for at once."""
_AT_ONCE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How many races."""

    races: int


SHORT = Size(races=300)
LONG = Size(races=10_000)


def tried(site: Site, size: Size, seed: int, store: str, progress: Progress) -> Report:
    """Ask, let two answer, see that one won and that the other knows it; only the winner's word counts."""
    asyncio.run(_tried(site.prepared(), size, store, progress))
    return _report(site, size, seed, store)


async def _tried(site: Site, size: Size, store: str, progress: Progress) -> None:
    # The caller stays: the questions of one who is gone for a minute are taken back.
    async with opened(site) as gate:
        caller = Caller(gate, site, Diary(site.histories / "asker.0.jsonl"))
        turns = {agent: await begun(gate, agent) for agent, _ in _agents(size.races)}
        for agent, names in _agents(size.races):
            await asyncio.gather(*(caller.submit(turns[agent], call_of(name)) for name in names))
        progress(f"{size.races} questions are open on {store}")
        start = CONTEXT.Barrier(2)
        given = [(site, number, start) for number in (0, 1)]
        await asyncio.to_thread(run_all, race, given, patience=1800)
        progress(f"{size.races} races on {store} are over; the caller comes back")
        for agent, names in _agents(size.races):
            await asyncio.gather(*(caller.see_through(turns[agent], call_of(name)) for name in names))


def race(site: Site, number: int, start: Barrier) -> None:
    """Answer everything that is open, by turns yes and no, where the other says the opposite."""
    asyncio.run(_race(site, number, start))


def _agents(races: int) -> list[tuple[str, list[str]]]:
    """Each agent and the names of its calls."""
    names = [f"call{number}" for number in range(races)]
    return [(f"agent{first}", names[first : first + _EACH]) for first in range(0, races, _EACH)]


async def _race(site: Site, number: int, start: Barrier) -> None:
    who = Principal(id=f"approver{number}", administrator=True)
    async with opened(site) as gate:
        caller = Caller(gate, site, Diary(site.histories / f"{who.id}.0.jsonl"))
        open_ones = await _open(gate, who)
        for first in range(0, len(open_ones), _EACH):
            await asyncio.to_thread(start.wait, 120)
            here = open_ones[first : first + _EACH]
            says = [Say.ONCE if (place + number) % 2 else Say.DENY for place in range(len(here))]
            raced = list(zip(here, says, strict=True))
            # A few at a time, so that neither wins all of them with one commit.
            for at in range(0, len(raced), _AT_ONCE):
                few = raced[at : at + _AT_ONCE]
                await asyncio.gather(*(caller.answer(who, approval, say) for approval, say in few))


async def _open(gate: Gate, who: Principal) -> list[Approval]:
    """Every open question, in one order for both."""
    page = await gate.pending(who)
    found = list(page.approvals)
    while page.after:
        page = await gate.pending(who, after=page.after)
        found += page.approvals
    return sorted(found, key=lambda approval: approval.id)


def _report(site: Site, size: Size, seed: int, store: str) -> Report:
    events, ran = read(site.histories.glob("*.jsonl")), effects.found(site.effects)
    told = stories(events, ran)
    won = Counter(story.heard[0].start.by for story in told if story.heard)
    return Report(
        form="two approvers race",
        faults="R-5",
        store=store,
        size=f"{len(told)} races",
        seed=seed,
        breaches=[*breaches(events, ran), *(breach for story in told for breach in _undecided(story))],
        tally=tally(events, ran),
        figures={"won by either": " and ".join(str(won[name]) for name in sorted(won))},
        missed=[] if len(told) == size.races else [f"only {len(told)} races"],
    )


def _undecided(story: Story) -> list[Breach]:
    """A race has one winner, and one who was told so."""
    outcomes = sorted(one.outcome.partition(":")[0] for one in story.answers)
    return [] if outcomes == [MOVED, OK] else [Breach("I2", story.call, f"a race ended in {outcomes}")]
