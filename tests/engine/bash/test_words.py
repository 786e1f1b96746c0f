"""Quotes, escapes, braces and tildes of a word: from its spelling to its text."""

import pytest

from assent.engine.bash.words import (
    MAX_BRACE_WORDS,
    decode_words,
    encode_quoted_text,
    encode_variable_value,
    unescape_ansi,
    unescape_string,
    unescape_word,
)
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.bash.line_texts import parse_readable_line


def words_after_program(text: str) -> tuple[Word, ...]:
    """The words after the program."""
    return parse_readable_line(f"x {text}").commands[-1].words[1:]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("abc", ["abc"]),
        ("'a b'", ["a b"]),
        ('"a b"', ["a b"]),
        ("a\\ b", ["a b"]),
        ("a'b'\"c\"d", ["abcd"]),
        ("''", [""]),
        ('"a\\"b\\$c\\d"', ['a"b$c\\d']),
        ("'a\\b'", ["a\\b"]),
        ("\\a\\*", ["a*"]),
        ("$'a\\tb'", ["a\tb"]),
        ("$'it\\'s'", ["it's"]),
        ("$'\\x41\\101\\u0041'", ["AAA"]),
        ("$'\\u00e9'", ["é"]),
        ("{a,b}", ["a", "b"]),
        ("x{a,b}y", ["xay", "xby"]),
        ("{a,b}{c,d}", ["ac", "ad", "bc", "bd"]),
        ("{a,{b,c}}", ["a", "b", "c"]),
        ("{1..3}", ["1", "2", "3"]),
        ("{3..1}", ["3", "2", "1"]),
        ("{1..7..3}", ["1", "4", "7"]),
        ("{a..c}", ["a", "b", "c"]),
        ("{a}", ["{a}"]),
        ("{}", ["{}"]),
        ("'{a,b}'", ["{a,b}"]),
        ("{'a',b}", ["a", "b"]),
        ("a{,b}", ["a", "ab"]),
        ("{a,b", ["{a,b"]),
        ("a#b", ["a#b"]),
        ("a~b", ["a~b"]),
        ('$"a"', ["a"]),
        ('a$"b"c', ["abc"]),
        ('-$"rf"', ["-rf"]),
        ("$", ["$"]),
        ("a$", ["a$"]),
    ],
)
@pytest.mark.proves("T-22", "T-24")
def test_a_word_has_the_same_text_as_in_bash(typed: str, meant: list[str]) -> None:
    assert [word.text for word in words_after_program(typed)] == meant


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("$x", UNKNOWN_MARK),
        ('"$x"', UNKNOWN_MARK),
        ("a$x", f"a{UNKNOWN_MARK}"),
        ("${x}b", f"{UNKNOWN_MARK}b"),
        ("$1", UNKNOWN_MARK),
        ("x$$", f"x{UNKNOWN_MARK}"),
        ("$?", UNKNOWN_MARK),
        ("$(ls)", UNKNOWN_MARK),
        ("$((1+x))", UNKNOWN_MARK),
        ("~user/x", f"{UNKNOWN_MARK}user/x"),
        ("~+", f"{UNKNOWN_MARK}+"),
        ("$'\\x01'", UNKNOWN_MARK),
        ("$'\\xff'", UNKNOWN_MARK),
        ("$'\\cA'", UNKNOWN_MARK),
        ("{01..03}", UNKNOWN_MARK),
        ("{1..999}", UNKNOWN_MARK),
    ],
)
@pytest.mark.proves("T-22")
def test_an_unknown_text_becomes_the_unknown_mark(typed: str, text: str) -> None:
    found = words_after_program(typed)[0]

    assert found.text == text
    assert found.is_opaque


@pytest.mark.parametrize(
    ("typed", "glob", "tilde", "splits", "opaque"),
    [
        ("*", True, False, False, True),
        ("a*", True, False, False, False),
        ("?a", True, False, False, True),
        ("[ab]", True, False, False, True),
        ("'*'", False, False, False, False),
        ("\\*", False, False, False, False),
        ("~", False, True, False, False),
        ("~/x", False, True, False, False),
        ("'~'", False, False, False, False),
        ("$HOME/x", False, True, False, False),
        ('"$HOME"', False, True, False, False),
        ("$x", False, False, True, True),
        ('"$x"', False, False, False, True),
        ("$(ls)", False, False, True, True),
    ],
)
def test_a_word_shows_whether_the_shell_may_expand_or_split_it(
    typed: str, glob: bool, tilde: bool, splits: bool, opaque: bool
) -> None:
    found = words_after_program(typed)[0]

    assert (found.glob, found.tilde, found.splits, found.is_opaque) == (
        glob,
        tilde,
        splits,
        opaque,
    )


def test_too_many_braces_are_one_unknown_word() -> None:
    assert words_after_program("{a,b}" * 7) == (Word(UNKNOWN_MARK, splits=True),)
    assert len(words_after_program("{a,b}" * 6)) == MAX_BRACE_WORDS


def test_an_unquoted_piece_loses_its_backslashes() -> None:
    assert decode_words(unescape_word("a\\ b\\\nc"), is_quoted=True, splits=False)[0].text == "a bc"
    assert unescape_word("plain") == "plain"


def test_inside_double_quotes_a_backslash_escapes_only_a_few_characters() -> None:
    assert decode_words(unescape_string('a\\"\\$\\a\\\nb'), is_quoted=True, splits=False)[0].text == 'a"$\\ab'


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        ("\\a", UNKNOWN_MARK),
        ("a\\nb", "a\nb"),
        ("\\\\", "\\"),
        ("\\?", "?"),
        ("\\U0001F600", UNKNOWN_MARK),
        ("\\U00000041", "A"),
        ("\\ud800", UNKNOWN_MARK),
        ("\\c?", UNKNOWN_MARK),
        ("\\cé", UNKNOWN_MARK),
        ("\\777", UNKNOWN_MARK),
        ("\\q", "\\q"),
    ],
)
def test_ansi_strings_are_decoded_or_unknown(raw: str, meant: str) -> None:
    assert decode_words(unescape_ansi(raw), is_quoted=True, splits=False)[0].text == meant


def test_the_value_of_a_variable_has_globs_but_no_braces() -> None:
    assert decode_words(encode_variable_value("{a,b}*~"), is_quoted=False, splits=False) == (
        Word("{a,b}*~", glob=True),
    )
    assert decode_words(encode_quoted_text("*"), is_quoted=True, splits=False) == (Word("*", quoted=True),)


@pytest.mark.proves("T-25")
@pytest.mark.parametrize("typed", [r"\${a,b}", "'$'{a,b}", '"$"{a,b}'])
def test_a_list_in_braces_after_a_quoted_dollar_is_expanded(typed: str) -> None:
    assert [word.text for word in words_after_program(typed)] == ["$a", "$b"]


def test_an_empty_piece_of_a_brace_list_is_no_word_unless_quoted() -> None:
    assert [word.text for word in words_after_program("{,a}")] == ["a"]
    assert [word.text for word in words_after_program("''{,a}")] == ["", "a"]


@pytest.mark.proves("T-25")
@pytest.mark.parametrize(
    ("typed", "like"),
    [("~user", "~"), ("~user/x", "~/x"), ("~+", "."), ("~-/x", "./x"), ("~/x", ""), ("'~user'", "")],
)
def test_the_home_of_another_user_counts_as_a_home(typed: str, like: str) -> None:
    (found,) = words_after_program(typed)

    assert found.if_unset == like
