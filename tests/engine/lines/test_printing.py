"""What commands print, as far as a line spells it out."""

import pytest

from assent.engine.lines.command import Content
from assent.engine.lines.printing import NOTHING, UNKNOWN, fed, printed, together
from assent.engine.programs.word import HOLE
from tests.engine.bash.reading import read


def last(text: str) -> Content:
    return printed(read(text).commands[-1])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo a  b", "a b\n"),
        ("echo -ne 'a\\tb'", "a\tb"),
        ("echo -e '\\x72\\155 \\0101'", "rm A\n"),
        ("printf '%s-%s\\n' a b c d", "a-b\nc-d\n"),
        ("printf '%5d' 1", "1"),
        ("printf a%sb", f"a{HOLE}b"),
        ("cat <<< a", "a\n"),
        ("echo a | cat", "a\n"),
        ("echo a | head -1 | tee b", "a\n"),
    ],
)
def test_it_is_known_where_the_line_spells_it_out(text: str, said: str) -> None:
    assert last(text) == Content(said)


@pytest.mark.parametrize("text", ["date", "cat a", "base64 -d <<< YQ==", "ls | cat"])
def test_it_is_unknown_everywhere_else(text: str) -> None:
    assert last(text).unknown


def test_what_is_changed_on_the_way_may_still_hold_what_it_was() -> None:
    assert last("echo a | sed s/b/c/") == Content("a\n", unknown=True)


def test_some_print_nothing() -> None:
    assert last("mkdir a") == NOTHING


def test_nobody_knows_what_a_file_says_that_others_wrote() -> None:
    assert fed(read("sh < a").commands[0]) == UNKNOWN


def test_what_is_unknown_of_one_is_unknown_of_all() -> None:
    assert together([Content("a"), UNKNOWN, Content("b", guessed="c")]) == Content("ab", True, "c")
