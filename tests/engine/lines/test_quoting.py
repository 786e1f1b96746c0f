"""Shell patterns in rules: cut as a shell would cut them, and written so that they mean just that."""

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assent.engine.globs import parse_glob
from assent.engine.lines.quoting import pattern_words, quote_words

words = st.lists(st.text(alphabet="ab '\"\\*$\t\n-=", max_size=8), min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("specifier", "expected"),
    [
        ("npm run *", ("npm", "run", "*")),
        ("npm run test:*", ("npm", "run", "test", "*")),
        ("git:*", ("git", "*")),
        ("echo 'a b' \"c d\"", ("echo", "a b", "c d")),
        ("echo '*'", ("echo", "\\*")),
        ("echo \\*", ("echo", "\\*")),
        ("echo \\a", ("echo", "a")),
        ("echo ''", ("echo", "")),
        ("  a\tb\nc  ", ("a", "b", "c")),
        ("echo it's", ("echo", "it's")),
        ("a\\", ("a\\",)),
        ("a'b'c", ("abc",)),
    ],
)
def test_a_specifier_is_cut_into_words_as_a_shell_would(specifier: str, expected: tuple[str, ...]) -> None:
    assert pattern_words(specifier) == expected


@settings(max_examples=500)
@given(words)
@pytest.mark.proves("T-30")
def test_words_that_are_written_down_mean_themselves_and_nothing_else(parts: list[str]) -> None:
    text = quote_words(tuple(parts))
    found = pattern_words(text)

    assert [parse_glob(word).pieces for word in found] == [(part,) for part in parts]
    assert shlex.split(text) == parts
