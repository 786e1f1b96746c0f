"""Remembers what was computed from immutable objects, by the identity of the object."""

from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Made = TypeVar("Made")
_MAX_OBJECTS = 512
"""The number of objects after which a memo begins again."""


class IdentityMemo(Generic[Key, Made]):
    """A function of an immutable object that is computed once for each object.

    INVARIANT: the object is kept beside its result, so that no other object gets its identity meanwhile.
    """

    def __init__(self, make: Callable[[Key], Made]) -> None:
        self._make = make
        self._known: dict[int, tuple[Key, Made]] = {}

    def __call__(self, key: Key) -> Made:
        """The result for this object."""
        known = self._known.get(id(key))
        if known is None:
            if len(self._known) >= _MAX_OBJECTS:
                self._known.clear()
            known = self._known[id(key)] = key, self._make(key)
        return known[1]
