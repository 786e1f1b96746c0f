"""The arguments of a call, taken by name and kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assent.engine.model import as_list, as_object
from assent.hosts.chat.belt.fault import FaultError


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a tool was called with; one that is missing has the default, one of another kind is a fault."""

    values: Mapping[str, object]

    def __contains__(self, name: str) -> bool:
        return self.values.get(name) is not None

    def text(self, name: str, default: str | None = None) -> str:
        """A text."""
        value = self.values.get(name, default)
        if not isinstance(value, str):
            raise FaultError(f"`{name}` must be a text")
        return value

    def number(self, name: str, default: int) -> int:
        """A whole number."""
        value = self.values.get(name, default)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise FaultError(f"`{name}` must be a number")
        return int(value)

    def flag(self, name: str) -> bool:
        """True or false; missing is false."""
        return self.values.get(name) is True

    def items(self, name: str) -> Sequence[object]:
        """A list; missing is empty."""
        value = as_list(self.values.get(name, ()))
        if value is None:
            raise FaultError(f"`{name}` must be a list")
        return value

    def record(self, name: str) -> Mapping[str, object]:
        """An object; missing is empty."""
        value = as_object(self.values.get(name, {}))
        if value is None:
            raise FaultError(f"`{name}` must be an object")
        return value
