"""Looks at approvals by id; those who look at the same time share a read."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from assent.errors import NotFoundError
from assent.gate.approval import Approval
from assent.stores.together import Together

Find = Callable[[Sequence[str]], Awaitable[Mapping[str, Approval]]]


class Looks:
    """A thousand who begin to wait at once cost a few reads."""

    def __init__(self, find: Find) -> None:
        self._together = Together(find)

    async def at(self, id_: str) -> Approval:
        """The approval of an id as it is now, or `NotFoundError`."""
        found = await self._together.now(id_)
        if id_ not in found:
            raise NotFoundError("approval", id_)
        return found[id_]
