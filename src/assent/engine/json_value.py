"""A call's arguments are JSON: what a value is, so that it can be looked into."""

from collections.abc import Mapping, Sequence
from typing import cast


def as_list(value: object) -> Sequence[object] | None:
    """The items of a list, or None when the value is none."""
    return cast("Sequence[object]", value) if isinstance(value, (list, tuple)) else None


def as_object(value: object) -> Mapping[str, object] | None:
    """The members of an object, or None when the value is none."""
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else None
