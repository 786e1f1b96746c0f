"""Globs for texts (`*`) and for path components (`*`, `?`, `[…]`), matched without backtracking."""

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

from assent.engine.base.lazy import regex

UNKNOWN_MARK = "\0"
"""The character that represents an unknown piece of a text."""

_LITERAL_STAR = "\ue000"
"""The character that represents an escaped star while a pattern is parsed."""


class Glob(NamedTuple):
    """A pattern, split at its stars; `*` matches any text, including blanks."""

    pieces: tuple[str, ...]
    """The literal texts between the stars; a single piece means that there is no star."""
    without_arguments: "Glob | None" = None
    """For a pattern that ends in ` *`: the pattern without that ending, which also matches."""

    def matches(self, text: str) -> bool:
        """Whether the whole text matches, in one pass."""
        if self.without_arguments is not None and self.without_arguments.matches(text):
            return True
        pieces = self.pieces
        if len(pieces) == 1:
            return text == pieces[0]
        head, tail = pieces[0], pieces[-1]
        if len(text) < len(head) + len(tail) or not text.startswith(head) or not text.endswith(tail):
            return False
        at, end = len(head), len(text) - len(tail)
        for piece in pieces[1:-1]:
            at = text.find(piece, at, end)
            if at < 0:
                return False
            at += len(piece)
        return True

    def could_match(self, text: str) -> bool:
        """Whether the text matches for some values of its unknown pieces."""
        if self.without_arguments is not None and self.without_arguments.could_match(text):
            return True
        return self.could_match_ends(text) and _could_match_pieces(self.pieces, text)

    def could_match_ends(self, text: str) -> bool:
        """Whether the known beginning and end of the text allow a match."""
        head, tail = text.partition(UNKNOWN_MARK)[0], text.rpartition(UNKNOWN_MARK)[2]
        if self.without_arguments is not None and self.without_arguments.could_match_ends(text):
            return True
        return _is_either_prefix(self.pieces[0], head) and _is_either_prefix(
            self.pieces[-1][::-1], tail[::-1]
        )


def parse_glob(pattern: str) -> Glob:
    """Parse a pattern; a backslash makes a star literal."""
    marked = pattern.replace("\\*", _LITERAL_STAR)
    pieces = tuple(piece.replace(_LITERAL_STAR, "*") for piece in marked.split("*"))
    if len(pieces) > 1 and pieces[-1] == "" and pieces[-2].endswith(" "):
        return Glob(pieces, without_arguments=Glob((*pieces[:-2], pieces[-2][:-1])))
    return Glob(pieces)


def _is_either_prefix(first: str, second: str) -> bool:
    """Whether one of two texts is a prefix of the other."""
    return first.startswith(second) or second.startswith(first)


def _could_match_pieces(pieces: tuple[str, ...], text: str) -> bool:
    """Whether the pattern may match a text with unknown pieces, computed by a bit-parallel automaton."""
    symbols: list[str | None] = []
    for index, piece in enumerate(pieces):
        if index:
            symbols.append(None)
        symbols.extend(piece)
    stars = _position_mask(symbols, None)
    accept = 1 << len(symbols)
    every = (accept << 1) - 1
    masks = {character: _position_mask(symbols, character) for character in set(text) - {UNKNOWN_MARK}}
    states = _skip_stars(1, stars)
    for character in text:
        if character == UNKNOWN_MARK:
            states = every & ~((states & -states) - 1) if states else 0
        else:
            states = _skip_stars(((states & masks[character]) << 1) | (states & stars), stars)
        if not states:
            return False
    return bool(states & accept)


def _position_mask(symbols: list[str | None], wanted: str | None) -> int:
    """A bit mask of the positions at which a symbol occurs."""
    mask = 0
    for position, symbol in enumerate(symbols):
        if symbol == wanted:
            mask |= 1 << position
    return mask


def _skip_stars(states: int, stars: int) -> int:
    """Add the states after each star, because a star can match an empty text."""
    while True:
        further = states | ((states & stars) << 1)
        if further == states:
            return states
        states = further


Item = TypeVar("Item")

_LITERAL_TAIL = regex(r"(?<=[*?\]])[^*?\[\]]+$")
"""The literal text at the end of a pattern."""


def has_glob(component: str) -> bool:
    """Whether a path component is a pattern and not a name."""
    return "*" in component or "?" in component or "[" in component


def matches_component(pattern: str, name: str) -> bool:
    """Whether the name of a path component matches a pattern."""
    return _matches_tokens(_parse_tokens(pattern), name)


def could_match_component(component: str, name: str) -> bool:
    """Whether a path component with globs or unknown pieces may match this name."""
    return matches_component(component.replace(UNKNOWN_MARK, "*"), name)


class ComponentGlobs(Generic[Item]):
    """Values by component pattern; patterns such as `*ending` and `beginning*` are found by a dictionary."""

    def __init__(self) -> None:
        self._all: dict[str, Item] = {}
        self._endings: dict[int, dict[str, Item]] = {}
        self._beginnings: dict[int, dict[str, Item]] = {}
        self._tails: dict[int, dict[str, list[tuple[str, Item]]]] = {}
        """Other patterns by the literal text at their end, which every match ends in."""
        self._others: dict[str, Item] = {}

    def setdefault(self, pattern: str, value: Item) -> Item:
        """Set the value of a pattern unless it has one; return the value of the pattern."""
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

    def values(self) -> Collection[Item]:
        """All values."""
        return self._all.values()

    def find_matching(self, name: str) -> Iterator[Item]:
        """Yield the values whose pattern matches the name."""
        for length, endings in self._endings.items():
            if length <= len(name) and (value := endings.get(name[len(name) - length :])) is not None:
                yield value
        for length, beginnings in self._beginnings.items():
            if length <= len(name) and (value := beginnings.get(name[:length])) is not None:
                yield value
        for length, tails in self._tails.items():
            alike = tails.get(name[-length:], ())
            yield from (value for pattern, value in alike if matches_component(pattern, name))
        yield from (value for pattern, value in self._others.items() if matches_component(pattern, name))


class _CharacterClass(NamedTuple):
    """A character class `[…]`: its ranges, and whether it is negated."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool

    def contains(self, character: str) -> bool:
        """Whether the class matches a character."""
        return any(low <= character <= high for low, high in self.ranges) != self.negated


_Token = str | _CharacterClass
_ANY, _ONE = "*", "?"


@lru_cache(maxsize=4096)
def _parse_tokens(pattern: str) -> tuple[_Token, ...]:
    """Split a pattern into characters, wildcards and classes."""
    found: list[_Token] = []
    position = 0
    while position < len(pattern):
        character = pattern[position]
        position += 1
        if character == "\\" and position < len(pattern):
            found.append("=" + pattern[position])
            position += 1
        elif character == "[" and (parsed := _parse_class(pattern, position)) is not None:
            group, position = parsed
            found.append(group)
        elif character == "*" and found[-1:] == [_ANY]:
            continue
        else:
            found.append(character if character in "*?" else "=" + character)
    return tuple(found)


def _parse_class(pattern: str, position: int) -> tuple[_CharacterClass, int] | None:
    """Parse a class after its opening bracket; None if it is not closed."""
    negated = pattern[position : position + 1] in ("!", "^")
    position += negated
    start = position
    ranges: list[tuple[str, str]] = []
    while position < len(pattern):
        character = pattern[position]
        if character == "]" and position > start:
            return _CharacterClass(tuple(ranges), negated), position + 1
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


def _matches_tokens(tokens: tuple[_Token, ...], name: str) -> bool:
    """Compare token by token; after a mismatch, the last star matches one more character."""
    token = at = 0
    star, resume = -1, 0
    while at < len(name):
        if token < len(tokens) and tokens[token] == _ANY:
            star, resume, token = token, at, token + 1
        elif token < len(tokens) and _matches_character(tokens[token], name[at]):
            token, at = token + 1, at + 1
        elif star >= 0:
            resume += 1
            token, at = star + 1, resume
        else:
            return False
    return all(rest == _ANY for rest in tokens[token:])


def _matches_character(token: _Token, character: str) -> bool:
    """Whether a token matches one character."""
    if isinstance(token, _CharacterClass):
        return token.contains(character)
    return token == _ONE or token[1:] == character
