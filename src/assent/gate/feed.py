"""The feed: what happened while somebody was away or looks on, as far as it concerns them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from assent.gate.access import Kind, Principal, Subject, sees
from assent.gate.approval import Approval, State
from assent.gate.live import Event, Happened, Live, What

POLL = 5.0
"""Seconds after which a feed looks, notice or not."""


def changes(before: Approval | None, after: Approval) -> tuple[What, ...]:
    """What a step of an approval is to those who look on; a step that concerns only its caller is nothing."""
    if before is None:
        return (What.ASKED,)
    if before.state is after.state:
        return (What.LATER,) if before.later_at != after.later_at else ()
    if after.state is State.PENDING:
        return (What.ASKED,)
    if after.state in (State.APPROVED, State.DENIED):
        return (_answered(after),)
    ended = What(after.state.value)
    # A proposal is answered and taken in one step.
    return (_answered(after), ended) if before.answer is None and after.answer is not None else (ended,)


def told(principal: Principal, event: Event) -> bool:
    """Whether an event concerns somebody: what they may see, and what holds for everybody."""
    if event.kind in (What.POLICY, What.PAUSED, What.RESUMED):
        return principal.kind is not Kind.AGENT
    return sees(principal, Subject(owner=event.owner, conversation=event.conversation, agent=event.agent))


class Feed:
    """What happens from a cursor on, for one principal; nothing is told twice, and nothing is skipped."""

    def __init__(self, store: Live, principal: Principal, after: str | None = None) -> None:
        self.principal = principal
        """Whoever looks on; a host that learns of other rights says so here."""
        self.cursor = after
        """Behind all that was told; None until it is known where now is."""
        self._store = store

    def __aiter__(self) -> AsyncIterator[Happened]:
        return self

    async def __anext__(self) -> Happened:
        """The next events, however long they take."""
        while True:
            happened = await self.more(POLL)
            if happened.events or happened.reset:
                return happened

    async def more(self, patience: float) -> Happened:
        """What happened, at once or within so many seconds; without any event when nothing did."""
        if self.cursor is None:
            self.cursor = await self._store.newest()
        # INVARIANT: the number is read before the events: what comes in between is not slept over.
        stirs = self._store.stirs
        happened = await self._told()
        if happened.events or happened.reset:
            return happened
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._store.stirred(stirs)
        return await self._told()

    async def _told(self) -> Happened:
        happened = await self._store.events(self.cursor or "")
        self.cursor = happened.cursor
        return happened._replace(events=tuple(one for one in happened.events if told(self.principal, one)))


def _answered(approval: Approval) -> What:
    released = approval.answer is not None and approval.answer.released_by
    return What.RELEASED if released else What.ANSWERED
