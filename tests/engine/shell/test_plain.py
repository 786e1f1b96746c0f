"""A line of plain words is its own parse, and reads as the tree reads it."""

import pytest

from assent.engine.shell.plain import read_plain
from assent.engine.shell.reader import read_bash


@pytest.mark.parametrize("text", ["ls", "git log --oneline -n 5 src/app.py", "npm run build:all", "x y=z"])
def test_plain_words_are_split_at_their_blanks(text: str) -> None:
    line = read_plain(text)

    assert line is not None
    assert [word.text for word in line.commands[0].words] == text.split(" ")


@pytest.mark.proves("T-22")
@pytest.mark.parametrize(
    "text",
    [
        "",
        " ls",
        "ls ",
        "ls  a",
        "a=b ls",
        "if x",
        "time ls",
        "ls *",
        "ls ~",
        "ls 'a'",
        "ls a;b",
        "ls $x",
        "ls #a",
        "ls\ta",
        "é",
    ],
)
def test_whatever_could_mean_more_is_left_to_the_tree(text: str) -> None:
    assert read_plain(text) is None


@pytest.mark.proves("T-22")
@pytest.mark.parametrize("text", ["ls", "git log -n 5 src/app.py", "x y=z", "cd src", "echo a:b %s +x ,y @z"])
def test_the_tree_reads_plain_words_the_same(text: str) -> None:
    plain = read_plain(text)
    # A comment makes the line one that is not plain, and changes nothing else.
    whole = read_bash(f"{text} # so")

    assert plain is not None
    assert [command.words for command in plain.commands] == [command.words for command in whole.commands]
