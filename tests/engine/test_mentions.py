"""Words that name files, and directories that are read as a whole."""

import pytest

from assent.engine.base.tool import Dialect
from assent.engine.lines.line import load_language, parse_line
from assent.engine.mentions import mentioned_files, searched_files, searched_trees


def _part(line: str):
    return parse_line(line, load_language(Dialect.SHELL)).parts[0]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("foo a.txt", ["a.txt"]),
        ("foo --file=a.txt", ["a.txt"]),
        ("foo -ca.txt", ["a.txt"]),
        ("foo x=1,file=a.txt", ["x=1,file=a.txt", "x", "1", "file", "a.txt"]),
        ("cat a.txt", []),
        ("PATH=. echo a.txt", []),
        ("echo a.txt > b", []),
        ("cp a.txt b.txt", ["a.txt"]),
        ("timeout 5 foo a.txt", ["5"]),
        ("foo 's/a/b/' 'two words'", []),
        ("gzip -k a.txt", ["a.txt"]),
        ("touch a.txt", []),
        ("perl -ne print a.txt", ["e", "print", "a.txt"]),
        ("python3 -c \"open('a.txt')\"", ["a.txt"]),
        ("python3 -c \"print('two words')\"", []),
        ("foo \"open('a.txt')\"", []),
    ],
)
def test_words_may_name_files(line: str, names: list[str]) -> None:
    assert [use.text for use in mentioned_files(_part(line))] == names


@pytest.mark.parametrize(
    ("line", "trees"),
    [
        ("tar cf x .", ["x", "."]),
        ("cp -r src x", ["src"]),
        ("cp src x", []),
        ("cp -r a.txt x", []),
        ("rg -uu KEY", ["."]),
        ("rg KEY", []),
        ("git add -A", ["."]),
        ("git add a", []),
        ("docker build .", ["."]),
        ("ls", []),
    ],
)
def test_some_commands_read_whole_trees(line: str, trees: list[str]) -> None:
    assert [use.text for use in searched_trees(_part(line))] == trees


def test_a_search_that_runs_a_command_reads_the_names_that_it_searches_for() -> None:
    assert [use.text for use in searched_files(_part("find . -name k -exec cat {} +"))] == ["k"]
    assert [use.text for use in searched_files(_part("fd k -x cat"))] == ["k"]
    assert searched_files(_part("find . -name k")) == ()
    assert searched_files(_part("timeout 5 ls")) == ()
