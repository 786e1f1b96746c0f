"""Arithmetic over numbers that the line itself contains."""

import pytest

from assent.engine.base.tool import Dialect
from assent.engine.bash.arithmetic import arithmetic_value
from assent.engine.lines.line import load_language, parse_line
from assent.engine.programs.word import Word

_VALUES = {"n": Word("7"), "m": Word("-2"), "word": Word("a[0]"), "octal": Word("010")}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$((n-4))", "3"),
        ("$(( $n * ${m} ))", "-14"),
        ("$((n/m))", "-3"),
        ("$((n%4 + 1))", "4"),
        ("$((-n))", "-7"),
        ("$((+n))", "7"),
        ("$((n/0))", None),
        ("$((n**2))", None),
        ("$((n=2))", None),
        ("$((word))", None),
        ("$((unknown))", None),
        ("$((08))", None),
        ("$((octal))", None),
        ("$((n?1:2))", None),
        ("$((99999999*99999999))", None),
        ("$((n n))", None),
        ("$(((1 2)))", None),
    ],
)
def test_only_known_numbers_are_computed(text: str, value: str | None) -> None:
    assert arithmetic_value(text, _VALUES.get) == value


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ('n=10; sed -n "$((n-4)),${n}p" f', "sed -n 6,10p f"),
        ("n=3; head -n $((n+1)) f", "head -n 4 f"),
        ("git commit -m \"$(cat <<'E'\na `b`\nE\n)\"", "git commit -m a `b`"),
    ],
)
def test_constants_of_a_line_are_folded(line: str, form: str) -> None:
    assert parse_line(line, load_language(Dialect.SHELL)).parts[-1].normal_forms[0] == form


@pytest.mark.parametrize(
    "line", ["n=3; read n; head -n $((n)) f", "n=3; n=$(cat f); head -n $((n)) f", "head -n $((n)) f"]
)
def test_a_number_that_may_change_is_unknown(line: str) -> None:
    forms = [
        form for part in parse_line(line, load_language(Dialect.SHELL)).parts for form in part.normal_forms
    ]

    assert not any("head -n 3" in form for form in forms)
