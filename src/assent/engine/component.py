"""Globs within one path component: `*`, `?` and `[…]`, as gitignore has them."""

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

from assent.engine.glob import HOLE
from assent.engine.regex import regex

Value = TypeVar("Value")

_LITERAL_TAIL = regex(r"(?<=[*?\]])[^*?\[\]]+$")


def has_glob(component: str) -> bool:
    """Whether a component is a pattern and not a name."""
    return "*" in component or "?" in component or "[" in component


def matches(pattern: str, name: str) -> bool:
    """Whether a component's name fits a pattern."""
    return _matches(_tokens(pattern), name)


def could_be(component: str, name: str) -> bool:
    """Whether a component with globs or holes could stand for this name."""
    return matches(component.replace(HOLE, "*"), name)


class ComponentGlobs(Generic[Value]):
    """Values by pattern; the common shapes `*ending` and `beginning*` are looked up, not tried."""

    def __init__(self) -> None:
        self._all: dict[str, Value] = {}
        self._endings: dict[int, dict[str, Value]] = {}
        self._beginnings: dict[int, dict[str, Value]] = {}
        self._tails: dict[int, dict[str, list[tuple[str, Value]]]] = {}
        """Other patterns by the literal text at their end, which any match must end in."""
        self._others: dict[str, Value] = {}

    def setdefault(self, pattern: str, value: Value) -> Value:
        """File a value under a pattern, unless there is one; the one that is there."""
        if pattern in self._all:
            return self._all[pattern]
        self._all[pattern] = value
        if not has_glob(pattern[1:]) and pattern[0] == "*" and "\\" not in pattern:
            self._endings.setdefault(len(pattern) - 1, {})[pattern[1:]] = value
        elif not has_glob(pattern[:-1]) and pattern[-1] == "*" and "\\" not in pattern:
            self._beginnings.setdefault(len(pattern) - 1, {})[pattern[:-1]] = value
        elif (tail := _LITERAL_TAIL.search(pattern)) is not None and "\\" not in pattern:
            self._tails.setdefault(len(tail[0]), {}).setdefault(tail[0], []).append((pattern, value))
        else:
            self._others[pattern] = value
        return value

    def values(self) -> Collection[Value]:
        """Every value, whatever its pattern."""
        return self._all.values()

    def matching(self, name: str) -> Iterator[Value]:
        """The values whose pattern fits the name."""
        for length, endings in self._endings.items():
            if length <= len(name) and (value := endings.get(name[len(name) - length :])) is not None:
                yield value
        for length, beginnings in self._beginnings.items():
            if length <= len(name) and (value := beginnings.get(name[:length])) is not None:
                yield value
        for length, tails in self._tails.items():
            alike = tails.get(name[-length:], ())
            yield from (value for pattern, value in alike if matches(pattern, name))
        yield from (value for pattern, value in self._others.items() if matches(pattern, name))


class _Class(NamedTuple):
    """A `[…]`: the characters and ranges it names, and whether it means all others."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool

    def holds(self, character: str) -> bool:
        return any(low <= character <= high for low, high in self.ranges) != self.negated


_Token = str | _Class
_ANY, _ONE = "*", "?"


@lru_cache(maxsize=4096)
def _tokens(pattern: str) -> tuple[_Token, ...]:
    found: list[_Token] = []
    position = 0
    while position < len(pattern):
        character = pattern[position]
        position += 1
        if character == "\\" and position < len(pattern):
            found.append("=" + pattern[position])
            position += 1
        elif character == "[" and (parsed := _class(pattern, position)) is not None:
            group, position = parsed
            found.append(group)
        elif character == "*" and found[-1:] == [_ANY]:
            continue
        else:
            found.append(character if character in "*?" else "=" + character)
    return tuple(found)


def _class(pattern: str, position: int) -> tuple[_Class, int] | None:
    """Read a `[…]` whose bracket stands just before; None when it is never closed."""
    negated = pattern[position : position + 1] in ("!", "^")
    position += negated
    start = position
    ranges: list[tuple[str, str]] = []
    while position < len(pattern):
        character = pattern[position]
        if character == "]" and position > start:
            return _Class(tuple(ranges), negated), position + 1
        if pattern[position + 1 : position + 2] == "-" and pattern[position + 2 : position + 3] not in (
            "",
            "]",
        ):
            ranges.append((character, pattern[position + 2]))
            position += 3
        else:
            ranges.append((character, character))
            position += 1
    return None


def _matches(tokens: tuple[_Token, ...], name: str) -> bool:
    """Go along both; on a mismatch, let the last star take one character more."""
    token = at = 0
    star, resume = -1, 0
    while at < len(name):
        if token < len(tokens) and tokens[token] == _ANY:
            star, resume, token = token, at, token + 1
        elif token < len(tokens) and _fits(tokens[token], name[at]):
            token, at = token + 1, at + 1
        elif star >= 0:
            resume += 1
            token, at = star + 1, resume
        else:
            return False
    return all(rest == _ANY for rest in tokens[token:])


def _fits(token: _Token, character: str) -> bool:
    if isinstance(token, _Class):
        return token.holds(character)
    return token == _ONE or token[1:] == character
