"""Looks at approvals: all that queued while the last read ran go into the next one."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from assent.errors import AssentError, NotFoundError
from assent.gate.approval import Approval

Find = Callable[[Sequence[str]], Awaitable[Mapping[str, Approval]]]


class Looks:
    """A thousand who begin to wait at once cost a few reads, and one who comes alone waits for nobody."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._queued: list[tuple[str, asyncio.Future[Approval]]] = []
        self._looking: asyncio.Task[None] | None = None

    async def at(self, id_: str) -> Approval:
        """The approval of an id as it is now, or `NotFoundError`."""
        seen: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
        self._queued.append((id_, seen))
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())
        return await seen

    async def _look(self) -> None:
        try:
            while self._queued:
                # INVARIANT: a look starts after it was asked for, or it could show what was true before.
                asked, self._queued = self._queued, []
                await self._show(asked)
        finally:
            self._looking = None

    async def _show(self, asked: Sequence[tuple[str, asyncio.Future[Approval]]]) -> None:
        try:
            found = await self._find([id_ for id_, _ in asked])
        except AssentError as error:
            _fail(asked, error)
            return
        for id_, seen in asked:
            if seen.done():
                continue
            if id_ in found:
                seen.set_result(found[id_])
            else:
                seen.set_exception(NotFoundError("approval", id_))


def _fail(asked: Sequence[tuple[str, asyncio.Future[Approval]]], error: AssentError) -> None:
    for _, seen in asked:
        if not seen.done():
            seen.set_exception(error)
