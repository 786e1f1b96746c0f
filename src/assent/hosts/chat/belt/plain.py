"""Plain JSON: what any store, model or page can hold, made of whatever a tool came across."""

import math
from collections.abc import Mapping

from assent.engine.model import as_list, as_object


def plain_text(text: str) -> str:
    """A text without bytes that are no characters, and with a sign in the place of each NUL."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "␀")


def plain(value: object) -> object:
    """The same value as JSON; a date or a number that JSON does not know is written out."""
    if isinstance(value, str):
        return plain_text(value)
    if (members := as_object(value)) is not None:
        return plain_object(members)
    if (each := as_list(value)) is not None:
        return [plain(one) for one in each]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, (bool, int, float)) else plain_text(str(value))


def plain_object(members: Mapping[str, object]) -> dict[str, object]:
    """The same for an object."""
    return {plain_text(str(name)): plain(one) for name, one in members.items()}
