"""Assignments of variables: which change nothing that matters, and which names hold secrets."""

import re

from assent.engine.programs.variable_names import (
    EFFECTIVE,
    EFFECTIVE_BEGINNINGS,
    EFFECTIVE_CAPITAL_BEGINNINGS,
    EFFECTIVE_CAPITAL_ENDS,
    EFFECTIVE_CAPITALS,
    HARMLESS,
    HARMLESS_BEGINNINGS,
    NOT_SECRET,
    SECRET_ENDS,
    SECRET_NAMES,
    SECRET_PARTS,
    Shape,
)
from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex

_NAME = regex(r"[A-Za-z_][A-Za-z0-9_]*")
_LOWER = regex(r"[a-z_][a-z0-9_]*")


def harmless(name: str, value: Word) -> bool:
    """Whether `NAME=value` before a command changes nothing but how it looks or talks."""
    shape = _shape(name)
    if shape is None or value.tilde or value.glob or value.splits or HOLE in value.text:
        return False
    return re.fullmatch(shape, value.text) is not None


def harmless_alone(name: str, value: Word) -> bool:
    """Whether it is harmless as a statement of its own: a plain variable that only this line looks at."""
    if harmless(name, value):
        return True
    return _NAME.fullmatch(name) is not None and not _effective(name)


def secret_variable(name: str) -> bool:
    """Whether a variable, given by its name or as inside `${ }`, is named as one that holds a secret."""
    found = _NAME.search(name)
    plain = "" if found is None else found.group()
    upper = plain.upper()
    if upper in NOT_SECRET or (plain != upper and "_" not in plain):
        # A plain small word is a variable of the line itself, as in `while read token`.
        return False
    return upper in SECRET_NAMES or upper.endswith(SECRET_ENDS) or any(part in upper for part in SECRET_PARTS)


def _effective(name: str) -> bool:
    """Whether a shell or a program could look at a variable of this name."""
    if _LOWER.fullmatch(name):
        return name in EFFECTIVE or name.startswith(EFFECTIVE_BEGINNINGS)
    # Some programs look at names in any case, so that one in mixed case counts as if in capitals.
    upper = name.upper()
    return (
        upper in EFFECTIVE_CAPITALS
        or upper.startswith(EFFECTIVE_CAPITAL_BEGINNINGS)
        or upper.endswith(EFFECTIVE_CAPITAL_ENDS)
    )


def _shape(name: str) -> Shape | None:
    for beginning, shape in HARMLESS_BEGINNINGS.items():
        if name.startswith(beginning):
            return shape
    return HARMLESS.get(name)
