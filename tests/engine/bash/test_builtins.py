"""Words of the shell that change what follows them: plain to see, or refused."""

import pytest

from assent.engine.bash.builtins import problem, unwrapped
from assent.engine.programs.word import Word
from tests.engine.bash.reading import told, why_not


@pytest.mark.parametrize(
    "text",
    [
        'c""d ..; ls',
        "c\\d ..; ls",
        "x=c; ${x}d ..",
        'command c""d ..',
        'push""d a; pushd b; popd; popd',
        'ab=0; read a""b < f; echo $((ab))',
        "ab=0; read a\\b < f",
        "ab=0; read $'\\x61b' < f",
        "p=a; read ${p}b < f",
        "read a{b,c} < f",
        'mapfile a""b < f',
        'builtin read a""b < f',
        "x=0; read -ax < f",
        "x=0; read -rax < f",
        "x=a; command declare x=/etc; ls $x",
        "\\declare x=/etc",
        'decl""are x=/etc',
        'f() { ls "$1"; }; f a; f"" /etc',
        'f() { ls "$1"; }; x=f; $x /etc; f a',
    ],
)
@pytest.mark.proves("T-20", "T-22")
def test_what_changes_the_rest_of_a_line_may_not_be_put_together_from_pieces(text: str) -> None:
    assert why_not(text)


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("\\cd a; ls", ["cd a", "ls"]),
        ("'cd' a; ls", ["cd a", "ls"]),
        ("command -p cd a", ["command -p cd a"]),
        ("command -v declare", ["command -v declare"]),
        ("builtin", ["builtin"]),
        ('grep c""d f', ["grep cd f"]),
        ('read -r -p "go on" answer', ["read -r -p 'go on' answer"]),
        ('read -p "name" "answer"', ["read -p name answer"]),
        ("declare x=1", ["declare x=1"]),
        ('x=./bin; "$x"/ls a', ["x=./bin", "./bin/ls a"]),
    ],
)
def test_words_that_are_plain_to_see_are_read(text: str, commands: list[str]) -> None:
    assert told(text) == commands


@pytest.mark.parametrize(
    ("line", "inner"),
    [("cd a", "cd a"), ("time -p command -- cd a", "cd a"), ("command", ""), ("nice cd a", "nice cd a")],
)
def test_some_wrappers_leave_a_word_in_this_very_shell(line: str, inner: str) -> None:
    assert unwrapped(tuple(map(Word, line.split()))) == tuple(map(Word, inner.split()))


def test_a_line_without_words_has_no_problem() -> None:
    assert problem((), (), frozenset()) is None
