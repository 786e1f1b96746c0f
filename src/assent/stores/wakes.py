"""Who waits for which approval, and how they are woken."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from assent.errors import AssentError
from assent.gate.approval import Approval, State


class Wakes:
    """Futures by approval; a waiter costs one of them and no thread."""

    def __init__(self, nudge: Callable[[], None] = lambda: None) -> None:
        self._waiting: dict[str, set[asyncio.Future[Approval]]] = {}
        self.nudge = nudge
        """Called when somebody begins to wait where nobody did."""

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, id_: str) -> bool:
        return id_ in self._waiting

    def ids(self) -> list[str]:
        """The approvals that somebody waits for."""
        return list(self._waiting)

    async def wait(self, id_: str, look: Callable[[str], Awaitable[Approval | None]]) -> Approval:
        """Come back when the approval is no longer pending; a look shows it only once it is not."""
        # INVARIANT: whoever waits is listed before they look; an answer in between wakes them.
        woken = self._listed(id_)
        try:
            return await look(id_) or await woken
        finally:
            self._unlist(id_, woken)

    def wake(self, approvals: Iterable[Approval]) -> None:
        """Hand these approvals to whoever waits for one of them."""
        for approval in approvals:
            if approval.state is not State.PENDING:
                for woken in self._waiting.get(approval.id, ()):
                    if not woken.done():
                        woken.set_result(approval)

    def fail(self, error: AssentError) -> None:
        """Tell everybody that nothing will come any more."""
        for woken in [one for waiting in self._waiting.values() for one in waiting]:
            if not woken.done():
                woken.set_exception(error)
                woken.exception()

    def _listed(self, id_: str) -> asyncio.Future[Approval]:
        woken: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
        is_first = not self._waiting
        self._waiting.setdefault(id_, set()).add(woken)
        if is_first:
            self.nudge()
        return woken

    def _unlist(self, id_: str, woken: asyncio.Future[Approval]) -> None:
        waiting = self._waiting[id_]
        waiting.discard(woken)
        if not waiting:
            del self._waiting[id_]
