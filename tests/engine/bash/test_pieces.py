"""The pieces of one word: what the grammar cuts apart, put together as the shell would, or refused."""

import pytest

from assent.engine.bash.pieces import PROCESS, read_word
from assent.engine.lines.command import Unreadable
from assent.engine.programs.word import HOLE, Word
from tests.engine.bash.forged import Node, Reader
from tests.engine.bash.reading import read, why_not


def last(text: str) -> tuple[Word, ...]:
    return read(text).commands[-1].words[1:]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("a'b'\"c\"$'d'", ["abcd"]),
        ('"a$((1+1))b"', [f"a{HOLE}b"]),
        ('"a$(ls)b"', [f"a{HOLE}b"]),
        ("a$((1))b", [f"a{HOLE}b"]),
        ("<(ls) >(cat)", [PROCESS, PROCESS]),
        ('"a `ls` b"', [f"a {HOLE} b"]),
        ("$(pwd)", ["."]),
        ("$(pwd)/x", ["./x"]),
        ('"$"', ["$"]),
        ("${x:-/}", [HOLE]),
        ("a[$(ls)]", [f"a[{HOLE}]"]),
    ],
)
@pytest.mark.proves("T-22")
def test_the_pieces_of_a_word_are_put_together(typed: str, meant: list[str]) -> None:
    assert [word.text for word in last(f"x {typed}")] in (
        meant,
        [text.replace(HOLE, "$(ls)") for text in meant],
    )


@pytest.mark.parametrize(
    ("typed", "otherwise"), [("${x:-/}", "/"), ("${x:-/}etc", "/etc"), ("$x/${y:=b}", "/b"), ("$x", "")]
)
@pytest.mark.proves("T-25")
def test_a_word_says_what_it_is_without_its_variables(typed: str, otherwise: str) -> None:
    assert last(f"x {typed}")[0].otherwise == otherwise


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a='b c'; x $a", ["b", "c"]),
        ("a='b c'; x \"$a\"", ["b c"]),
        ("a='b c'; y=$a; x \"$y\"", ["b c"]),
        ("a=''; x $a", []),
        ("a='*'; x $a", ["*"]),
        ("for f in *.py; do x $f; done", ["*.py"]),
        ('for f in *.py; do x "$f"; done', ["*.py"]),
    ],
)
@pytest.mark.proves("T-22")
def test_a_constant_is_cut_where_the_shell_cuts_it(text: str, words: list[str]) -> None:
    assert [word.text for word in last(text)] == words


def test_a_name_found_by_a_listing_is_one() -> None:
    assert [word.listed for word in last("x $(git ls-files)")] == [True]
    assert [word.listed for word in last("x a$(git ls-files)")] == [False]


@pytest.mark.parametrize("text", ["ls\n\\rm x", "xargs -I { {} x", "echo $[1+`rm x`"])
@pytest.mark.proves("T-22")
def test_a_word_that_the_grammar_cut_wrongly_is_refused(text: str) -> None:
    assert why_not(text)


FORGED = {
    "a gap": ("ab cd", Node("concatenation", 0, 5, (Node("word", 0, 2), Node("word", 3, 5)))),
    "a dollar before quotes": (
        "a$'b'",
        Node("concatenation", 0, 5, (Node("word", 0, 2), Node("raw_string", 2, 5))),
    ),
    "a substitution that was not read": (
        '"$(rm x)"',
        Node("string", 0, 9, (Node('"', 0, 1), Node('"', 8, 9))),
    ),
    "a piece of a new kind": (
        '"abc"',
        Node("string", 0, 5, (Node('"', 0, 1), Node("novelty", 1, 4), Node('"', 4, 5))),
    ),
}


@pytest.mark.parametrize("name", FORGED)
@pytest.mark.proves("T-22", "T-23")
def test_what_the_grammar_never_made_so_far_is_refused(name: str) -> None:
    text, node = FORGED[name]
    reader = Reader(text)

    with pytest.raises(Unreadable):
        read_word(reader, [node], reader.scope)
