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
    """The named arguments of a specifier; None when it has another form."""
    found = [_NAMED.fullmatch(piece) for piece in _COMMA.split(specifier)]
    if any(match is None or not match[2] for match in found):
        return None
    return tuple(NamedArgument(match[1], match[2]) for match in found if match is not None)


def some_value_matches(wanted: tuple[NamedArgument, ...], args: Mapping[str, object]) -> bool:
    """For deny and ask: every named argument exists, and one of its values matches."""
    return all(
        any(parse_glob(argument.pattern).matches(value) for value in _values(args.get(argument.name)))
        for argument in wanted
    )


def all_values_match(wanted: tuple[NamedArgument, ...], args: Mapping[str, object]) -> bool:
    """For allow: every named argument exists, and all its values match; an object never matches."""
    return all(_all_match(argument.pattern, args.get(argument.name)) for argument in wanted)


def any_argument_matches(pattern: str, args: Mapping[str, object]) -> bool:
    """For deny and ask without argument names: any value of any argument matches."""
    glob = parse_glob(pattern)
    return any(glob.matches(value) for argument in args.values() for value in _values(argument))


def _all_match(pattern: str, value: object) -> bool:
    listed = as_list(value)
    items = (value,) if listed is None else listed
    if any(isinstance(item, (Mapping, list, tuple)) or item is None for item in items):
        return False
    words = WordPattern(pattern.split(" "))
    literal = parse_glob(pattern).pieces
    texts = [_text(item) for item in items]
    return bool(texts) and all((text,) == literal or words.matches(_BLANK.split(text)) for text in texts)


def _values(value: object) -> list[str]:
    """Every text of a value: its own, and those of its items or members."""
    if value is None:
        return []
    members = as_object(value)
    items = as_list(value) if members is None else members.values()
    return [_text(value), *(text for item in items or () for text in _values(item))]


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
