"""The lifecycle of a call in one process: submitted, answered, claimed, run and reported."""

import asyncio

from assent.errors import StoreError
from assent.gate.access import Principal
from assent.gate.answer import Say
from assent.gate.gate import Gate
from assent.gate.store import ApprovalFilter
from chaos.caller import Boundary, Caller, no_boundary
from chaos.history import HistoryWriter
from chaos.site import PAUSE, Site, begin_turn, make_call, open_site

PATIENCE = 60.0
"""Seconds; a life that takes longer hangs."""
_WHO = Principal(id="ben", administrator=True)


async def run_lifecycle(site: Site, call: str, history: str, boundary: Boundary = no_boundary) -> None:
    """Run a call to its end; a second process continues where the first one stopped."""
    async with asyncio.timeout(PATIENCE), open_site(site) as gate:
        caller = Caller(gate, site, HistoryWriter(site.histories / f"{history}.jsonl"), boundary)
        turn = await begin_turn(gate, f"agent-{call}")
        answering = asyncio.create_task(_answer(gate, caller, turn.context.agent))
        await caller.run_to_end(turn, make_call(call))
        answering.cancel()
        await asyncio.wait([answering])


async def _answer(gate: Gate, caller: Caller, agent: str) -> None:
    """Say yes to each question of this agent, once the agent waits."""
    while True:
        await asyncio.sleep(PAUSE / 2)
        try:
            page = await gate.pending(_WHO, ApprovalFilter(agent=agent))
        except StoreError:
            continue
        for approval in page.approvals:
            await caller.answer(_WHO, approval, Say.ONCE)
