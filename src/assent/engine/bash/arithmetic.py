"""Compute arithmetic of bash over numbers that the line itself contains."""

import re
from collections.abc import Callable

from assent.engine.base.lazy import regex
from assent.engine.programs.word import Word

_NAME = regex(r"\$?\{?([A-Za-z_]\w*)\}?")
_PLAIN = regex(r"[\d\s+*/%()-]{1,64}")
_OCTAL = regex(r"(?<!\d)0\d")
_NUMBER = regex(r"-?\d{1,9}")
_TOKEN = regex(r"\d+|[-+*/%()]")
_MAX_VALUE = 2**31


def arithmetic_value(text: str, value_of: Callable[[str], Word | None]) -> str | None:
    """The value of `$((…))`, if each variable in it has a known number; None otherwise."""

    def to_number(found: "re.Match[str]") -> str:
        value = value_of(found[1])
        known = value is not None and _NUMBER.fullmatch(value.text) is not None
        return f"({value.text})" if known and value is not None else "?"

    plain = _NAME.sub(to_number, text.removeprefix("$((").removesuffix("))"))
    if _PLAIN.fullmatch(plain) is None or "**" in plain or "//" in plain or _OCTAL.search(plain):
        return None
    tokens = _TOKEN.findall(plain)
    try:
        number = _read_sum(tokens)
    except (IndexError, ValueError, ZeroDivisionError):
        return None
    return str(number) if not tokens and abs(number) < _MAX_VALUE else None


def _read_sum(tokens: list[str]) -> int:
    """Read a sum from the beginning of the tokens."""
    value = _read_product(tokens)
    while tokens and tokens[0] in "+-":
        sign = tokens.pop(0)
        right = _read_product(tokens)
        value = value + right if sign == "+" else value - right
    return value


def _read_product(tokens: list[str]) -> int:
    """Read a product; a division drops the fraction, and the rest has the sign of the dividend."""
    value = _read_factor(tokens)
    while tokens and tokens[0] in "*/%":
        sign = tokens.pop(0)
        right = _read_factor(tokens)
        if sign == "*":
            value *= right
            continue
        quotient = abs(value) // abs(right) * (1 if (value < 0) == (right < 0) else -1)
        value = quotient if sign == "/" else value - quotient * right
    return value


def _read_factor(tokens: list[str]) -> int:
    """Read a number, a signed factor or a sum in parentheses."""
    token = tokens.pop(0)
    if token in "+-":
        value = _read_factor(tokens)
        return value if token == "+" else -value
    if token != "(":
        return int(token)
    value = _read_sum(tokens)
    if tokens.pop(0) != ")":
        raise ValueError("a parenthesis is missing")
    return value
