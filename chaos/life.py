"""One whole life of a call in one process: it is asked about, answered, taken, run and reported."""

import asyncio

from assent.errors import StoreError
from assent.gate.access import Principal
from assent.gate.answer import Say
from assent.gate.gate import Gate
from assent.gate.store import ApprovalFilter
from chaos.caller import Boundary, Caller, nothing
from chaos.history import Diary
from chaos.site import PAUSE, Site, begun, call_of, opened

PATIENCE = 60.0
"""Seconds; a life that takes longer hangs."""
_WHO = Principal(id="ben", administrator=True)


async def lived(site: Site, call: str, history: str, boundary: Boundary = nothing) -> None:
    """See a call through to its end; a second life of the same call finds what the first one left."""
    async with asyncio.timeout(PATIENCE), opened(site) as gate:
        caller = Caller(gate, site, Diary(site.histories / f"{history}.jsonl"), boundary)
        turn = await begun(gate, f"agent-{call}")
        answering = asyncio.create_task(_answer(gate, caller, turn.context.agent))
        await caller.see_through(turn, call_of(call))
        answering.cancel()
        await asyncio.wait([answering])


async def _answer(gate: Gate, caller: Caller, agent: str) -> None:
    """Say yes to whatever this agent asks, once it has begun to wait."""
    while True:
        await asyncio.sleep(PAUSE / 2)
        try:
            page = await gate.pending(_WHO, ApprovalFilter(agent=agent))
        except StoreError:
            continue
        for approval in page.approvals:
            await caller.answer(_WHO, approval, Say.ONCE)
