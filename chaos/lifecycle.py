"""The lifecycle of a call in one process: submitted, answered, claimed, run and reported."""

import asyncio

from assent.errors import StoreError
from assent.gate.access import Principal
from assent.gate.answer import Say
from assent.gate.gate import Gate
from assent.gate.store import ApprovalFilter
from chaos.caller import Boundary, Caller, ignore_boundary
from chaos.history import HistoryWriter
from chaos.site import RETRY_SECONDS, Site, begin_turn, make_call, open_site

LIFECYCLE_TIMEOUT = 60.0
"""Seconds after which a call that has not ended is an error."""
_APPROVER = Principal(id="ben", administrator=True)


async def run_lifecycle(site: Site, call: str, history: str, boundary: Boundary = ignore_boundary) -> None:
    """Run a call to its end, or continue it where an earlier process stopped."""
    async with asyncio.timeout(LIFECYCLE_TIMEOUT), open_site(site) as gate:
        caller = Caller(gate, site, HistoryWriter(site.histories / f"{history}.jsonl"), boundary)
        turn = await begin_turn(gate, f"agent-{call}")
        answering = asyncio.create_task(_answer_questions(gate, caller, turn.context.agent))
        await caller.run_to_end(turn, make_call(call))
        answering.cancel()
        await asyncio.wait([answering])


async def _answer_questions(gate: Gate, caller: Caller, agent: str) -> None:
    """Approve each question of this agent after the agent waits for it."""
    while True:
        await asyncio.sleep(RETRY_SECONDS / 2)
        try:
            page = await gate.pending_approvals(_APPROVER, ApprovalFilter(agent=agent))
        except StoreError:
            continue
        for approval in page.approvals:
            await caller.answer(_APPROVER, approval, Say.ONCE)
