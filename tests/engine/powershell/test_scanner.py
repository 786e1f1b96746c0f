"""A string is a text, or a text with expansions."""

import pytest

from assent.engine.powershell.scanner import join_parts
from assent.engine.powershell.syntax import ExpandableString, TextConstant, Variable
from tests.engine.powershell.line_decisions import command_texts


def test_adjacent_texts_are_joined() -> None:
    assert join_parts([TextConstant("a"), TextConstant("b")], quoted=True) == TextConstant("ab", quoted=True)
    assert join_parts([], quoted=True) == TextConstant("", quoted=True)


def test_parts_with_expansions_are_kept() -> None:
    parts = [TextConstant("a"), Variable("x"), TextConstant("b"), TextConstant("c")]

    assert join_parts([*parts], quoted=False) == ExpandableString(
        (TextConstant("a"), Variable("x"), TextConstant("bc")), quoted=False
    )


@pytest.mark.proves("T-22")
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("a \"$(b 'x)' )\"", None),
        ('a "$(b ""x"")"', ["b x", "a □"]),
        ('a "$(b `"x`")"', ["b x", "a □"]),
        ('a "$(b (c))"', ["c", "b □", "a □"]),
        ('a x$(b ""y"")z', ["b y", "a x□z"]),
        ('a @"\n$(b "x")\n"@', ["b x", "a □"]),
        ('a @"\nx"@\n"@', ['a x"@']),
        ('a "$x[0] $x.y $x::z $$ $? ${a b}"', ["a □[0] □.y □::z □ □ □"]),
        ("a $", ["a $"]),
        ('a "b$"', ["a b$"]),
        ("a $+", ["a $+"]),
    ],
)
def test_sub_expressions_end_where_powershell_ends_them(line: str, found: list[str] | None) -> None:
    if found is None:
        with pytest.raises(AssertionError):
            command_texts(line)
    else:
        assert command_texts(line) == found
