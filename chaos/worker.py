"""A worker: one process of its own that asks and runs, or one that answers, until it is killed."""

import asyncio
import logging
import random
import re
import signal
import warnings
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from assent.errors import StoreError
from assent.gate.access import Principal
from assent.gate.answer import Say
from assent.gate.turn import Turn
from chaos.caller import Caller
from chaos.history import Act, Diary, read
from chaos.site import PAUSE, Site, begun, call_of, opened

_NUMBER = re.compile(r"(?P<line>.+)\.(?P<number>\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """What one worker is to do; the same slot is filled again after each kill."""

    slot: str
    generation: int = 0
    seed: int = 0
    agents: tuple[str, ...] = ()
    """Those that ask; none for somebody who answers."""
    lines: int = 0
    """Calls that each agent has open at a time."""
    draining: bool = False
    """Finish what was begun, and begin nothing."""
    most: int = 0
    """Calls of each line; 0 is no end."""
    denials: float = 0.2
    """The share of questions that somebody who answers says no to."""
    at_once: int = 16
    address: str = ""
    """Where this worker finds the store, if not where the others do."""

    def names(self) -> list[tuple[str, str]]:
        """The lines of this worker, each with its agent."""
        return [(agent, f"{agent}.{number}") for agent in self.agents for number in range(self.lines)]

    def history(self, site: Site) -> Path:
        """Where this life of the slot writes."""
        return site.histories / f"{self.slot}.{self.generation}.jsonl"


def main(site: Site, role: Role) -> None:
    """Work until the work is done, or until the process is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever started the storm.
    logging.disable(logging.ERROR)  # Drivers tell of every connection that we cut.
    warnings.simplefilter("ignore", ResourceWarning)
    site = replace(site, address=role.address or site.address)
    asyncio.run(_ask(site, role) if role.agents else _answer(site, role))


async def _ask(site: Site, role: Role) -> None:
    """Keep every line of every agent busy; after a restart each makes its last call again."""
    diary, last = Diary(role.history(site)), _last(site, role)
    async with opened(site) as gate:
        caller = Caller(gate, site, diary)
        turns = {agent: await begun(gate, agent) for agent in role.agents}
        await asyncio.gather(
            *(_line(caller, turns[agent], role, name, last.get(name)) for agent, name in role.names())
        )


def _last(site: Site, role: Role) -> dict[str, int]:
    """The last call that each line began in an earlier life of this slot."""
    last: dict[str, int] = {}
    for generation in reversed(range(role.generation)):
        numbers: dict[str, int] = {}
        for event in read([replace(role, generation=generation).history(site)]):
            found = _NUMBER.fullmatch(event.call)
            if found is not None and event.act is Act.SUBMIT:
                numbers[found["line"]] = max(int(found["number"]), numbers.get(found["line"], 0))
        last = numbers | last  # What a later life says is newer.
        if len(last) == len(role.names()):
            break
    return last


async def _line(caller: Caller, turn: Turn, role: Role, name: str, last: int | None) -> None:
    for number in count(last or 0):
        is_over = role.most and number >= role.most
        if is_over or (role.draining and number != last):
            return
        await caller.see_through(turn, call_of(f"{name}.{number}"))


async def _answer(site: Site, role: Role) -> None:
    """Answer some of what is oldest, while others do the same, until killed."""
    who = Principal(id=role.slot, administrator=True)
    chance = random.Random(f"{role.slot} {role.generation} {role.seed}")
    diary = Diary(role.history(site))
    async with opened(site) as gate:
        caller = Caller(gate, site, diary)
        while True:
            try:
                page = await gate.pending(who)
            except StoreError:
                await asyncio.sleep(PAUSE)
                continue
            chosen = chance.sample(page.approvals, min(role.at_once, len(page.approvals)))
            says = [Say.DENY if chance.random() < role.denials else Say.ONCE for _ in chosen]
            await asyncio.gather(*(caller.answer(who, *said) for said in zip(chosen, says, strict=True)))
            await asyncio.sleep(PAUSE)
