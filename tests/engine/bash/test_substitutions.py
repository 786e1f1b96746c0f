"""Commands inside words, and text that the grammar left unread."""

import pytest

from assent.engine.bash.expansion import holds_substitution
from tests.engine.bash.reading import read, told


@pytest.mark.parametrize("raw", ["a $(b)", "`b`", "${b}", "<(b)", ">(b)", "\\\\$(b)"])
@pytest.mark.proves("T-22")
def test_text_that_the_shell_would_expand_is_noticed(raw: str) -> None:
    assert holds_substitution(raw)


@pytest.mark.parametrize("raw", ["a", "$b", "\\$(b)", "\\`b\\`", "(b)", "$ (b)"])
def test_other_text_is_not(raw: str) -> None:
    assert not holds_substitution(raw)


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("x ${a:-$(b)}", ["b", "x ?"]),
        ("x ${a:-`b`}", ["b", "x ?"]),
        ("a[$((1))]=2", ["(( ?", "a[$((1))]=?"]),
        ("x ${a:-${c:-$(b)}}", ["b", "x ?"]),
        ("x $((1 + $(b)))", ["(( ?", "b", "x ?"]),
        ("x ${a/$(b)/c}", ["b", "x ?"]),
        ("x ${a:=$(b)}", ["a=?", "b", "x ?"]),
        ('x "${a:-$(b)}"', ["b", "x ?"]),
    ],
)
@pytest.mark.proves("T-20", "T-22")
def test_a_command_is_found_however_deep_it_stands(text: str, commands: list[str]) -> None:
    assert told(text) == commands


@pytest.mark.proves("D-6")
def test_a_secret_is_told_wherever_it_is_expanded() -> None:
    assert read("x ${API_TOKEN:-a} ${#DB_PASSWORD} $((SECRET_KEY))").secrets[:2] == (
        "API_TOKEN",
        "DB_PASSWORD",
    )
