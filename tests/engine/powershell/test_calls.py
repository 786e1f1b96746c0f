"""The words of a command are those that PowerShell would pass on."""

import pytest

from assent.engine.powershell.calls import loop_values, makes_plain_object
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.powershell.line_decisions import parse_commands, words_of_last_command


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("New-Object psobject", True),
        ("New-Object -TypeName System.Collections.ArrayList", True),
        ("New-Object Net.WebClient", False),
        ("New-Object", False),
        ("New-Object -ComObject psobject", False),
        ("New-Object -Zzz psobject", False),
        ("foo psobject", False),
    ],
)
def test_an_object_that_only_contains_values_is_plain(line: str, plain: bool) -> None:
    assert makes_plain_object(words_of_last_command(line)) is plain


def test_a_loop_has_its_values_or_one_unknown_value() -> None:
    assert loop_values(None) == [None]
    assert loop_values(()) == [None]
    assert loop_values((Word("a"), Word("b"))) == [Word("a"), Word("b")]


def test_lists_stay_together_for_other_programs() -> None:
    assert [word.text for word in words_of_last_command("a b,c d, e")] == ["a", "b,c", "d", ",", "e"]
    assert [word.text for word in words_of_last_command("a b,$x")] == ["a", "b," + UNKNOWN_MARK]
    assert [word.text for word in words_of_last_command("a @('b', 'c')")] == ["a", "b", ",", "c"]


def test_blocks_and_tables_are_shown_as_written() -> None:
    assert [word.text for word in words_of_last_command("a { b } @{ c = 1 }")] == ["a", "{ b }", "@{ c = 1 }"]
    assert [word.text for word in words_of_last_command("ls | select a, { b }, @{ n = 'c' }")][
        -1
    ] == "@{ n = 'c' }"


def test_only_a_splatted_variable_may_be_several_words() -> None:
    assert words_of_last_command("a $x @y")[1:] == (Word(UNKNOWN_MARK), Word(UNKNOWN_MARK, splits=True))


def test_a_command_has_its_piped_values() -> None:
    first, second = parse_commands("a | b")

    assert (first.piped, second.piped) == (False, True)
