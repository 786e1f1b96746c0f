"""The fields of a JSON object: each of its kind, or an error that names it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar, cast

from assent.errors import InputError

Word = TypeVar("Word", bound=StrEnum)


class Fields:
    """An object that is read field by field; what is missing takes its default, if it has one."""

    def __init__(self, data: object, within: str) -> None:
        if not isinstance(data, Mapping):
            raise InputError(f"`{within}` must be an object")
        self._data = cast("Mapping[str, object]", data)
        self._within = within

    def only(self, *known: str) -> None:
        """Refuse names that nobody knows: what somebody meant by one must not be lost in silence."""
        unknown = next((name for name in self._data if name not in known), None)
        if unknown is not None:
            raise InputError(f"unknown field `{self.path(unknown)}`: expected {', '.join(known)}")

    def path(self, name: str) -> str:
        """A field's name as an error shows it."""
        return f"{self._within}.{name}"

    def has(self, name: str) -> bool:
        """Whether there is anything; null is nothing."""
        return self._data.get(name) is not None

    def raw(self, name: str) -> object:
        """Whatever stands there."""
        if name not in self._data:
            raise InputError(f"field `{self.path(name)}` is missing")
        return self._data[name]

    def text(self, name: str, default: str | None = None) -> str:
        """A text."""
        value = self._value(name, default)
        if not isinstance(value, str):
            raise self._wrong(name, "a string")
        return value

    def texts(self, name: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """A list of texts."""
        values = self.items(name, default)
        if not all(isinstance(value, str) for value in values):
            raise self._wrong(name, "a list of strings")
        return cast("tuple[str, ...]", values)

    def items(self, name: str, default: tuple[object, ...] | None = None) -> tuple[object, ...]:
        """A list of whatever."""
        value = self._value(name, default)
        if not isinstance(value, list | tuple):
            raise self._wrong(name, "a list")
        return tuple(cast("list[object]", value))

    def table(self, name: str) -> Mapping[str, object]:
        """An object that is kept as it is."""
        value = self.raw(name)
        if not isinstance(value, Mapping):
            raise self._wrong(name, "an object")
        return cast("Mapping[str, object]", value)

    def flag(self, name: str, default: bool | None = None) -> bool:  # noqa: FBT001 - like its siblings
        """True or false; one and zero are neither."""
        value = self._value(name, default)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def whole(self, name: str, default: int | None = None) -> int:
        """A whole number."""
        value = self._value(name, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._wrong(name, "a whole number")
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """Any number."""
        value = self._value(name, default)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self._wrong(name, "a number")
        return value

    def word(self, name: str, kind: type[Word], default: Word | None = None) -> Word:
        """One of our own words."""
        word = self.text(name, default)
        try:
            return kind(word)
        except ValueError:
            raise self._wrong(name, f"one of {', '.join(kind)}") from None

    def maybe_text(self, name: str) -> str | None:
        """A text, or nothing."""
        return self.text(name) if self.has(name) else None

    def maybe_table(self, name: str) -> Mapping[str, object] | None:
        """An object that is kept as it is, or nothing."""
        return self.table(name) if self.has(name) else None

    def maybe_whole(self, name: str) -> int | None:
        """A whole number, or nothing."""
        return self.whole(name) if self.has(name) else None

    def maybe_word(self, name: str, kind: type[Word]) -> Word | None:
        """One of our own words, or nothing."""
        return self.word(name, kind) if self.has(name) else None

    def _value(self, name: str, default: object) -> object:
        return self.raw(name) if default is None else self._data.get(name, default)

    def _wrong(self, name: str, expected: str) -> InputError:
        return InputError(f"field `{self.path(name)}` must be {expected}")
