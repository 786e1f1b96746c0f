"""The questions of a run that are still open: its own, and those of its helpers."""

from assent.compose import FullStore
from assent.gate.approval import Approval, State
from assent.gate.preset import Delivery
from assent.gate.store import ApprovalFilter
from assent.gate.transcript import ChatRun

OPEN = frozenset({State.PENDING, State.APPROVED})


async def questions_of(
    store: FullStore, run: ChatRun, states: frozenset[State] = frozenset({State.PENDING})
) -> list[Approval]:
    """The questions that a run or one of its helpers asked and that stand so."""
    return [one for one in await _asked_in(store, run.conversation, states) if asks(run, one)]


async def questions_since(store: FullStore, run: ChatRun) -> list[Approval]:
    """What is open of all that a run's agent or its helpers asked or proposed since it began."""
    began_at = run.began_at
    return [
        one
        for one in await _asked_in(store, run.conversation, OPEN)
        if run.agent in (one.call.agent, *one.lineage) and (began_at is None or one.asked_at >= began_at)
    ]


async def _asked_in(store: FullStore, conversation: str, states: frozenset[State]) -> list[Approval]:
    which, after, found = ApprovalFilter(states=states, conversation=conversation), "", list[Approval]()
    while True:
        page = await store.approvals(which, after=after)
        found += page.approvals
        if not page.after:
            return found
        after = page.after


def asks(run: ChatRun, approval: Approval) -> bool:
    """Whether a question is a run's, or that of a helper: in a conversation only one run has any open."""
    return approval.turn == run.id or _is_of_helper(run, approval)


def _is_of_helper(run: ChatRun, approval: Approval) -> bool:
    # A proposal outlives the run it was made in, and no run waits for it.
    is_here = approval.call.conversation == run.conversation and approval.delivery is not Delivery.PROPOSE
    return is_here and run.agent in approval.lineage
