"""Reads the fields of a JSON object; a missing or wrong field is an error that names it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeVar, cast

from assent.errors import InputError

Word = TypeVar("Word", bound=StrEnum)


class Fields:
    """Reads the fields of a JSON object; a missing field gets its default, if there is one."""

    def __init__(self, data: object, within: str) -> None:
        if not isinstance(data, Mapping):
            raise InputError(f"`{within}` must be an object")
        self._data = cast("Mapping[str, object]", data)
        self._within = within

    def check_known(self, *known: str) -> None:
        """Raise `InputError` for unknown fields, which may be misspelled."""
        unknown = next((name for name in self._data if name not in known), None)
        if unknown is not None:
            raise InputError(f"unknown field `{self.path(unknown)}`: expected {', '.join(known)}")

    def path(self, name: str) -> str:
        """The path of a field for error messages."""
        return f"{self._within}.{name}"

    def has(self, name: str) -> bool:
        """Whether a field exists and is not null."""
        return self._data.get(name) is not None

    def raw(self, name: str) -> object:
        """The value of a field, of any type."""
        if name not in self._data:
            raise InputError(f"field `{self.path(name)}` is missing")
        return self._data[name]

    def text(self, name: str, default: str | None = None) -> str:
        """The value of a field that must be a string."""
        value = self._get_value(name, default)
        if not isinstance(value, str):
            raise self._type_error(name, "a string")
        return value

    def texts(self, name: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """The value of a field that must be a list of strings."""
        values = self.items(name, default)
        if not all(isinstance(value, str) for value in values):
            raise self._type_error(name, "a list of strings")
        return cast("tuple[str, ...]", values)

    def items(self, name: str, default: tuple[object, ...] | None = None) -> tuple[object, ...]:
        """The value of a field that must be a list."""
        value = self._get_value(name, default)
        if not isinstance(value, list | tuple):
            raise self._type_error(name, "a list")
        return tuple(cast("list[object]", value))

    def table(self, name: str) -> Mapping[str, object]:
        """The value of a field that must be an object."""
        value = self.raw(name)
        if not isinstance(value, Mapping):
            raise self._type_error(name, "an object")
        return cast("Mapping[str, object]", value)

    def flag(self, name: str, default: bool | None = None) -> bool:  # noqa: FBT001 - like its siblings
        """The value of a field that must be a boolean; numbers are refused."""
        value = self._get_value(name, default)
        if not isinstance(value, bool):
            raise self._type_error(name, "true or false")
        return value

    def integer(self, name: str, default: int | None = None) -> int:
        """The value of a field that must be an integer."""
        value = self._get_value(name, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._type_error(name, "a whole number")
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """The value of a field that must be a number."""
        value = self._get_value(name, default)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self._type_error(name, "a number")
        return value

    def word(self, name: str, kind: type[Word], default: Word | None = None) -> Word:
        """The value of a field that must be a word of an enumeration."""
        word = self.text(name, default)
        try:
            return kind(word)
        except ValueError:
            raise self._type_error(name, f"one of {', '.join(kind)}") from None

    def maybe_text(self, name: str) -> str | None:
        """The value of a field that must be a string, or None."""
        return self.text(name) if self.has(name) else None

    def maybe_table(self, name: str) -> Mapping[str, object] | None:
        """The value of a field that must be an object, or None."""
        return self.table(name) if self.has(name) else None

    def maybe_integer(self, name: str) -> int | None:
        """The value of a field that must be an integer, or None."""
        return self.integer(name) if self.has(name) else None

    def maybe_word(self, name: str, kind: type[Word]) -> Word | None:
        """The value of a field that must be a word of an enumeration, or None."""
        return self.word(name, kind) if self.has(name) else None

    def _get_value(self, name: str, default: object) -> object:
        return self.raw(name) if default is None else self._data.get(name, default)

    def _type_error(self, name: str, expected: str) -> InputError:
        return InputError(f"field `{self.path(name)}` must be {expected}")


def moment_to_json(moment: datetime) -> str:
    """A time as ISO 8601 in UTC with microseconds, so that the texts sort like the times."""
    if moment.tzinfo is None:
        raise InputError(f"the time {moment.isoformat()} has no time zone")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def moment_from_json(text: object, field: str = "at") -> datetime:
    """Parse a time in ISO 8601; a time zone is required."""
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
        if moment is not None and moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise InputError(f"field `{field}` must be an ISO 8601 time with a time zone")


def maybe_moment_to_json(moment: datetime | None) -> str | None:
    """A time as ISO 8601, or None."""
    return None if moment is None else moment_to_json(moment)


def maybe_moment(fields: Fields, name: str) -> datetime | None:
    """Parse the time in a field, or None."""
    return moment_from_json(fields.raw(name), fields.path(name)) if fields.has(name) else None
