"""Looks at approvals by id; those who look at the same time share a read."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Generic, TypeVar

from assent.errors import NotFoundError
from assent.stores.together import Together

Seen = TypeVar("Seen")


class Looks(Generic[Seen]):
    """A thousand who begin to wait at once cost a few reads."""

    def __init__(self, find: Callable[[Sequence[str]], Awaitable[Mapping[str, Seen]]]) -> None:
        self._together: Together[str, Mapping[str, Seen]] = Together(find)

    async def at(self, id_: str) -> Seen:
        """What is seen of an approval now, or `NotFoundError`."""
        found = await self._together.now(id_)
        if id_ not in found:
            raise NotFoundError("approval", id_)
        return found[id_]
