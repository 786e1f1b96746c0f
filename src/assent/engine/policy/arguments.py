"""Named arguments in rules: `create_issue(repo=acme/*, labels=bug)`."""

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from assent.engine.globs import parse_glob
from assent.engine.model import as_list, as_object
from assent.engine.policy.patterns import WordPattern
from assent.engine.regex import regex

_NAMED = regex(r"\s*([A-Za-z_][\w.-]*)\s*=\s*(.*?)\s*", re.DOTALL)
_BLANK = regex(r"\s")
_COMMA = regex(r",\s*(?=[A-Za-z_][\w.-]*\s*=)")


class NamedArgument(NamedTuple):
    """An argument's name and the pattern its value must match."""

    name: str
    pattern: str


def named_arguments(specifier: str) -> tuple[NamedArgument, ...] | None:
    """The named arguments of a specifier, or None when it is not written that way."""
    found = [_NAMED.fullmatch(piece) for piece in _COMMA.split(specifier)]
    if any(match is None or not match[2] for match in found):
        return None
    return tuple(NamedArgument(match[1], match[2]) for match in found if match is not None)


def hits(wanted: tuple[NamedArgument, ...], args: Mapping[str, object]) -> bool:
    """Deny and ask: every named argument is there and one of its values matches."""
    return all(
        any(parse_glob(argument.pattern).matches(value) for value in _values(args.get(argument.name)))
        for argument in wanted
    )


def covers(wanted: tuple[NamedArgument, ...], args: Mapping[str, object]) -> bool:
    """Allow: every named argument is there and all of its values match; objects never do."""
    return all(_covered(argument.pattern, args.get(argument.name)) for argument in wanted)


def hits_anywhere(pattern: str, args: Mapping[str, object]) -> bool:
    """A specifier without names, for a tool that has no template: any value may match it."""
    glob = parse_glob(pattern)
    return any(glob.matches(value) for argument in args.values() for value in _values(argument))


def _covered(pattern: str, value: object) -> bool:
    listed = as_list(value)
    items = (value,) if listed is None else listed
    if any(isinstance(item, (Mapping, list, tuple)) or item is None for item in items):
        return False
    words = WordPattern(pattern.split(" "))
    literal = parse_glob(pattern).pieces
    texts = [_text(item) for item in items]
    return bool(texts) and all((text,) == literal or words.matches(_BLANK.split(text)) for text in texts)


def _values(value: object) -> list[str]:
    """Every text a value could be matched by: its items, and an object's own values."""
    if value is None:
        return []
    members = as_object(value)
    items = as_list(value) if members is None else members.values()
    return [_text(value), *(text for item in items or () for text in _values(item))]


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
