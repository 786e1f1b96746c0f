"""Spellings that the grammar takes amiss, written as it understands them."""

import pytest

from assent.engine.bash.respell import Respelled, join_lines, write_out_braces
from assent.engine.lines.command import Unreadable
from tests.engine.bash.reading import told, why_not


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("a b", "a b"),
        ("a \\\n b", "a  b"),
        ("r\\\nm x", "rm x"),
        ("a\\\\\\\nb", "a\\\\b"),
        ("a 'b' \\\n c", "a 'b' \\\n c"),
    ],
)
@pytest.mark.proves("T-22")
def test_lines_that_a_backslash_joins_are_one(text: str, joined: str) -> None:
    assert join_lines(text) == joined


@pytest.mark.parametrize("text", ["a 'b'; r\\\nm x", "a 'b'; \\r\\\n'm' x", "\\\nrm 'x'", "# a\\\nrm x"])
@pytest.mark.proves("T-22")
def test_a_word_cut_by_a_line_end_is_refused_where_quotes_might_keep_it(text: str) -> None:
    with pytest.raises(Unreadable):
        join_lines(text)


@pytest.mark.parametrize(
    ("text", "written"),
    [("{rm,-r,x}", "rm -r x"), ("a; {rm,x}", "a; rm x"), ("$({rm,x})", "$(rm x)")],
)
@pytest.mark.proves("T-24")
def test_a_brace_list_in_the_place_of_a_command_is_its_words(text: str, written: str) -> None:
    with pytest.raises(Respelled) as respelled:
        write_out_braces(text.encode())

    assert respelled.value.source.decode() == written


def test_a_subshell_may_be_timed() -> None:
    assert told("ls; time (rm x | wc -l)") == ["ls", "rm x", "wc -l"]
    assert why_not("frob (rm x)") == "holds a word we do not read (subshell)"


def test_other_braces_stay_as_they_are() -> None:
    write_out_braces(b"echo {a,b}")


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("time { a; }", ["a"]),
        ("time -p { a; }", ["a"]),
        ("coproc x { a; }", ["a"]),
        ("coproc { a; }", ["a"]),
        ("time", ["time"]),
        ("time a", ["time a"]),
        ("'time' { a", ["time { a"]),
    ],
)
def test_a_keyword_before_a_compound_is_no_program(text: str, commands: list[str]) -> None:
    assert told(text) == commands


@pytest.mark.parametrize("text", ["then a", "a; fi", "do a", "esac", "}", "in a", "a && }"])
@pytest.mark.proves("T-22")
def test_a_keyword_out_of_place_is_refused(text: str) -> None:
    assert why_not(text)


def test_a_keyword_in_quotes_is_a_word() -> None:
    assert told("'then' a") == ["then a"]
