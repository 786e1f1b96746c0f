"""A worker process that submits and runs calls, or that answers questions, until it is killed."""

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
from chaos.history import Act, HistoryWriter, read_events
from chaos.site import RETRY_SECONDS, Site, begin_turn, make_call, open_site

_CALL_NAME = re.compile(r"(?P<line>.+)\.(?P<number>\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """The task of one worker; after a kill, a new worker gets the same slot."""

    slot: str
    generation: int = 0
    seed: int = 0
    agents: tuple[str, ...] = ()
    """The agents of this worker; empty for a worker that answers."""
    lines: int = 0
    """Number of lines per agent; a line is a sequence of calls, one open at a time."""
    draining: bool = False
    """Whether the worker only completes started calls."""
    most: int = 0
    """Maximum number of calls per line; 0 means no limit."""
    denials: float = 0.2
    """The share of questions that this worker denies."""
    at_once: int = 16
    address: str = ""
    """The store's address for this worker, if it differs from that of the site."""

    def call_sequence_names(self) -> list[tuple[str, str]]:
        """The names of this worker's lines, each with its agent."""
        return [(agent, f"{agent}.{number}") for agent in self.agents for number in range(self.lines)]

    def history(self, site: Site) -> Path:
        """The history file of this worker."""
        return site.histories / f"{self.slot}.{self.generation}.jsonl"


def run_worker(site: Site, role: Role) -> None:
    """Run the worker until its work is done or it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent process.
    logging.disable(logging.ERROR)  # Drivers would log every interrupted connection.
    warnings.simplefilter("ignore", ResourceWarning)
    site = replace(site, address=role.address or site.address)
    asyncio.run(_ask_and_run_calls(site, role) if role.agents else _answer_questions(site, role))


async def _ask_and_run_calls(site: Site, role: Role) -> None:
    """Keep every line of every agent busy; after a restart, each line repeats its last call."""
    history, last = HistoryWriter(role.history(site)), _last_calls(site, role)
    async with open_site(site) as gate:
        caller = Caller(gate, site, history)
        turns = {agent: await begin_turn(gate, agent) for agent in role.agents}
        await asyncio.gather(
            *(
                _run_call_sequence(caller, turns[agent], role, name, last.get(name))
                for agent, name in role.call_sequence_names()
            )
        )


def _last_calls(site: Site, role: Role) -> dict[str, int]:
    """The last call of each line by earlier workers of this slot."""
    last: dict[str, int] = {}
    for generation in reversed(range(role.generation)):
        numbers: dict[str, int] = {}
        for event in read_events([replace(role, generation=generation).history(site)]):
            found = _CALL_NAME.fullmatch(event.call)
            if found is not None and event.act is Act.SUBMIT:
                numbers[found["line"]] = max(int(found["number"]), numbers.get(found["line"], 0))
        last = numbers | last  # Later workers have newer entries.
        if len(last) == len(role.call_sequence_names()):
            break
    return last


async def _run_call_sequence(caller: Caller, turn: Turn, role: Role, name: str, last: int | None) -> None:
    for number in count(last or 0):
        is_over = role.most and number >= role.most
        if is_over or (role.draining and number != last):
            return
        await caller.run_to_end(turn, make_call(f"{name}.{number}"))


async def _answer_questions(site: Site, role: Role) -> None:
    """Answer some of the oldest questions until killed, concurrently with other workers."""
    who = Principal(id=role.slot, administrator=True)
    chance = random.Random(f"{role.slot} {role.generation} {role.seed}")
    history = HistoryWriter(role.history(site))
    async with open_site(site) as gate:
        caller = Caller(gate, site, history)
        while True:
            try:
                page = await gate.pending_approvals(who)
            except StoreError:
                await asyncio.sleep(RETRY_SECONDS)
                continue
            chosen = chance.sample(page.approvals, min(role.at_once, len(page.approvals)))
            says = [Say.DENY if chance.random() < role.denials else Say.ONCE for _ in chosen]
            await asyncio.gather(*(caller.answer(who, *said) for said in zip(chosen, says, strict=True)))
            await asyncio.sleep(RETRY_SECONDS)
