"""A typed view of a TOML or JSON table; unknown keys and values of the wrong type are errors."""

import difflib
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar, cast

from assent.config.files import Source
from assent.config.strictjson import read_json
from assent.errors import ConfigError, InputError, UnknownWordError

ParsedWord = TypeVar("ParsedWord")

_TOML_LINE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


@dataclass(frozen=True, slots=True)
class Table:
    """The keys and values of a table, and the position of the table in a file."""

    source: Source
    values: dict[str, object]
    key_path: tuple[str, ...] = ()
    """The keys from the top of the file to this table."""

    def check_keys(self, *known: str) -> None:
        """Raise an error for an unknown key: a misspelled `deny` must not be ignored."""
        for key in self.values:
            if key not in known:
                raise self.error(f"unknown key `{key}`{did_you_mean(key, known)}", key)

    def text(self, key: str) -> str | None:
        """Return a string, or None if the key is missing."""
        if key not in self.values:
            return None
        value = self.values[key]
        if not isinstance(value, str):
            raise self._type_error(key, "a text in quotes")
        return value

    def flag(self, key: str) -> bool | None:
        """Return a boolean, or None if the key is missing."""
        if key not in self.values:
            return None
        value = self.values[key]
        if not isinstance(value, bool):
            raise self._type_error(key, "`true` or `false`")
        return value

    def number(self, key: str) -> int | None:
        """Return a positive integer, or None if the key is missing."""
        if key not in self.values:
            return None
        value = self.values[key]
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise self._type_error(key, "a whole number above zero")
        return value

    def items(self, key: str) -> list[object]:
        """Return a list of any values; empty if the key is missing."""
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise self._type_error(key, "a list")
        return cast("list[object]", value)

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings; empty if the key is missing."""
        items = self.items(key)
        found = tuple(item for item in items if isinstance(item, str))
        if len(found) < len(items):
            raise self._type_error(key, "a list of texts")
        return found

    def table(self, key: str) -> "Table":
        """Return the table under a key; empty if the key is missing."""
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self._type_error(key, "a table")
        return Table(self.source, cast("dict[str, object]", value), (*self.key_path, key))

    def tables(self) -> Iterator[tuple[str, "Table"]]:
        """Yield each key with its table; all values must be tables."""
        for key in self.values:
            yield key, self.table(key)

    def word(self, key: str, parse: Callable[[str], ParsedWord]) -> ParsedWord | None:
        """Parse the string under a key with `parse`; None if the key is missing."""
        text = self.text(key)
        if text is None:
            return None
        try:
            return parse(text)
        except UnknownWordError as error:
            raise self.error(str(error), key, text) from None

    def error(self, reason: str, *words: str) -> ConfigError:
        """Build an error that names the file and the line of these words in this table."""
        return self.source.error(reason, *self.key_path, *words)

    def _type_error(self, key: str, expected: str) -> ConfigError:
        found = _type_name(self.values[key])
        return self.error(f"`{'.'.join((*self.key_path, key))}` must be {expected}, not {found}", key)


def read_table(source: Source) -> Table:
    """Parse a TOML file, or a JSON file if its name ends with `.json`."""
    if source.path.endswith(".json"):
        return _read_json_table(source)
    try:
        return Table(source, tomllib.loads(source.text))
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        found = _TOML_LINE.search(message)
        line = int(found[1]) if found and found[1] else source.text.count("\n") + 1
        reason = _TOML_LINE.sub("", message)
        raise ConfigError(source.path, reason[:1].lower() + reason[1:], line=line) from None
    except RecursionError:
        raise ConfigError(source.path, "it is nested too deeply") from None


def did_you_mean(word: str, known: Iterable[str], *, similarity: float = 0.6) -> str:
    """A hint with the most similar known word, for the end of a message; empty if no word is similar."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=similarity)
    return f"; did you mean `{near[0]}`?" if near else ""


def _read_json_table(source: Source) -> Table:
    try:
        value = read_json(source.data, "it")
    except InputError as error:
        message = str(error)
        found = re.search(r"line (\d+)", message)
        raise ConfigError(source.path, message, line=int(found[1]) if found else None) from None
    if not isinstance(value, dict):
        raise ConfigError(source.path, f"it must hold an object, not {_type_name(value)}", line=1)
    return Table(source, cast("dict[str, object]", value))


def _type_name(value: object) -> str:
    match value:
        case bool():
            return f"`{str(value).lower()}`"
        case str():
            return "a text"
        case int() | float():
            return "a number"
        case list():
            return "a list"
        case dict():
            return "a table"
        case None:
            return "null"
        case _:
            return "a date"
