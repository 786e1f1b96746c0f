"""A word is built from its pieces as in the shell, or the text is unreadable."""

import pytest

from assent.engine.bash.word_builder import PROCESS_FILE, read_word
from assent.engine.lines.command import Unreadable
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.bash.forged_nodes import EmptyReader, ForgedNode
from tests.engine.bash.line_texts import parse_readable_line, unreadable_reason


def arguments_of_last_command(text: str) -> tuple[Word, ...]:
    return parse_readable_line(text).commands[-1].words[1:]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("a'b'\"c\"$'d'", ["abcd"]),
        ('"a$((1+1))b"', ["a2b"]),
        ('"a$(ls)b"', [f"a{UNKNOWN_MARK}b"]),
        ("a$((1))b", ["a1b"]),
        ("<(ls) >(cat)", [PROCESS_FILE, PROCESS_FILE]),
        ('"a `ls` b"', [f"a {UNKNOWN_MARK} b"]),
        ("$(pwd)", ["."]),
        ("$(pwd)/x", ["./x"]),
        ('"$"', ["$"]),
        ("${x:-/}", [UNKNOWN_MARK]),
        ("a[$(ls)]", [f"a[{UNKNOWN_MARK}]"]),
    ],
)
@pytest.mark.proves("T-22")
def test_the_pieces_of_a_word_are_put_together(typed: str, meant: list[str]) -> None:
    assert [word.text for word in arguments_of_last_command(f"x {typed}")] in (
        meant,
        [text.replace(UNKNOWN_MARK, "$(ls)") for text in meant],
    )


@pytest.mark.parametrize(
    ("typed", "otherwise"), [("${x:-/}", "/"), ("${x:-/}etc", "/etc"), ("$x/${y:=b}", "/b"), ("$x", "")]
)
@pytest.mark.proves("T-25")
def test_a_word_has_a_text_for_unset_variables(typed: str, otherwise: str) -> None:
    assert arguments_of_last_command(f"x {typed}")[0].if_unset == otherwise


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
def test_a_constant_is_split_as_in_the_shell(text: str, words: list[str]) -> None:
    assert [word.text for word in arguments_of_last_command(text)] == words


def test_a_name_from_a_listing_is_marked_as_listed() -> None:
    assert [word.listed for word in arguments_of_last_command("x $(git ls-files)")] == [True]
    assert [word.listed for word in arguments_of_last_command("x a$(git ls-files)")] == [False]


@pytest.mark.parametrize("text", ["ls\n\\rm x", "xargs -I { {} x", "echo $[1+`rm x`"])
@pytest.mark.proves("T-22")
def test_a_word_that_the_grammar_splits_wrongly_is_refused(text: str) -> None:
    assert unreadable_reason(text)


FORGED = {
    "a gap": (
        "ab cd",
        ForgedNode("concatenation", 0, 5, (ForgedNode("word", 0, 2), ForgedNode("word", 3, 5))),
    ),
    "a dollar before quotes": (
        "a$'b'",
        ForgedNode("concatenation", 0, 5, (ForgedNode("word", 0, 2), ForgedNode("raw_string", 2, 5))),
    ),
    "a substitution that was not read": (
        '"$(rm x)"',
        ForgedNode("string", 0, 9, (ForgedNode('"', 0, 1), ForgedNode('"', 8, 9))),
    ),
    "a piece of a new kind": (
        '"abc"',
        ForgedNode(
            "string", 0, 5, (ForgedNode('"', 0, 1), ForgedNode("novelty", 1, 4), ForgedNode('"', 4, 5))
        ),
    ),
}


@pytest.mark.parametrize("name", FORGED)
@pytest.mark.proves("T-22", "T-23")
def test_unknown_nodes_are_refused(name: str) -> None:
    text, node = FORGED[name]
    reader = EmptyReader(text)

    with pytest.raises(Unreadable):
        read_word(reader, [node], reader.scope)
