"""Texts that a shell evaluates a second time."""

import pytest

from assent.engine.bash.language import BASH
from assent.engine.lines.command import Command
from assent.engine.lines.evaluation import of_unknown, of_words
from assent.engine.lines.line import parse_line
from tests.engine.bash.spelled import words

REASON = "evaluates a text that holds a command"


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("test -v 'a[$(id)]'", REASON),
        ("let 'a[`id`]'", REASON),
        ("printf -v 'a[$(id)]' x", REASON),
        ("printf 'a[$(id)]'", None),
        ("test -v a", None),
        ("echo 'a[$(id)]'", None),
    ],
)
def test_a_builtin_evaluates_its_words(line: str, reason: str | None) -> None:
    assert of_words(Command(words(line))) == reason


@pytest.mark.proves("T-20", "T-24")
@pytest.mark.parametrize(
    "line",
    [
        "echo 'a[$(id)]' | bash -c 'read x; echo $((x))'",
        "echo 'a[`id`]' | { read x; echo $((x)); }",
        "bash -c 'read x; echo $((x))' <<< 'a[$(id)]'",
        "echo 'a[$(id)]' | zsh -c 'read x; (( x ))'",
        "echo 'a[$(id)]' | ksh -c 'read x; echo ${y:x}'",
        "bash -c '[[ $1 -eq 1 ]]' _ 'a[$(id)]'",
        "bash -c '(( $1 ))' _ 'a[$(id)]'",
        "bash -c 'declare -i y=$1' _ 'a[$(id)]'",
        "bash -c 'let $1' _ 'a[$(id)]'",
        "for i in 'a[$(id)]'; do echo $((i)); done",
        "while read i; do [[ i -gt 1 ]]; done <<< 'a[$(id)]'",
        "a=('b[$(id)]'); echo $((a[0]))",
        "echo 'a''[$(id)]' | { read x; echo $((x)); }",
    ],
)
def test_an_unknown_value_may_be_what_the_line_spells_out(line: str) -> None:
    found = parse_line(line, BASH)

    assert found.unreadable == REASON


@pytest.mark.parametrize(
    "line",
    [
        "while read -r a; do echo $((a)); done < numbers",
        "bash -c 'for f in $(ls); do read n < $f; echo $((n)); done'",
        "echo 'a[$(id)]'",
        "[[ $n -gt 1 ]] && git commit -m 'use `x`'",
        "[ $(wc -l < a) -gt 3 ] && echo $((x))",
        "read i; echo ${a[$((i+1))]}",
        "declare x=1; echo 'a[`id`]'",
        "a=(b c); ls",
    ],
)
def test_an_unknown_value_alone_is_a_number_to_everybody(line: str) -> None:
    assert of_unknown(line, parse_line(line, BASH).all_parts) is None
