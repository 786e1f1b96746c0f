"""Arithmetic and subscripts, where the shell evaluates text a second time."""

import pytest

from assent.engine.bash import arithmetic
from assent.engine.bash.scope import Scope
from tests.engine.bash.reading import told, why_not

UNKNOWN = "(( ?"


@pytest.mark.parametrize(
    "text",
    [
        "echo $((1+2))",
        "echo $((x+1))",
        "(( i < 3 ))",
        "x=5; echo $(( $x + 1 ))",
        "x=5; echo $((x + 1))",
        "echo $(( $(ls | wc -l) + 1 ))",
        "x=$(wc -l < f); ((x++))",
        "echo ${x[1]}",
        "echo ${x:1:2}",
        "echo ${x[@]}",
        "x=5; echo $(( ${x} + 1 ))",
        "echo $(($# - 1))",
    ],
)
def test_numbers_and_variables_of_the_environment_are_evaluated_without_harm(text: str) -> None:
    assert UNKNOWN not in told(text)


@pytest.mark.parametrize(
    "text",
    [
        "x='a[$y]'; echo $((x))",
        "x=a; echo $((x+1))",
        "x=a; echo $(( $x + 1 ))",
        "echo $(( $(ls) ))",
        "x=a; echo $(( ${x} ))",
        "echo $(( ${x:-y} ))",
        "f() { echo $(($1)); }",
        "echo $(($@))",
        "echo ${x[$1]}",
        "for ((i = $2; i < 3; i++)); do ls; done",
        "a[$1]=1",
        ": 'a[$y]'; echo $((_))",
        "read -r; echo $((REPLY))",
        "mapfile -t; ((MAPFILE > 1))",
        "[[ $x =~ y ]]; echo ${a[BASH_REMATCH]}",
        "echo ${x[$(ls)]}",
        "echo ${x:$(ls)}",
        "echo ${!x}",
        "read x; echo $((x))",
        "a[$(ls)]=1",
    ],
)
@pytest.mark.proves("T-20", "T-22")
def test_a_value_that_the_line_computes_may_run_anything(text: str) -> None:
    assert UNKNOWN in told(text)


@pytest.mark.parametrize(
    "text", ["echo $((a['b']))", 'echo $((a["b"]))', "echo ${a['b']}", "echo ${x@P}", "echo ${x:'1'}"]
)
@pytest.mark.proves("T-22")
def test_quotes_inside_what_is_evaluated_are_refused(text: str) -> None:
    assert why_not(text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x = 1", ["x"]),
        ("x += y", ["x"]),
        ("x++ + --y", ["x", "y"]),
        ("x == 1", []),
        ("a[0] = 1", ["a"]),
        ("x <<= 1", ["x"]),
    ],
)
def test_what_arithmetic_sets_is_named(text: str, names: list[str]) -> None:
    assert arithmetic.assigned(text) == names


def test_what_an_expansion_sets_is_named() -> None:
    assert arithmetic.assigned_by_expansion("${x:=1}") == ["x"]
    assert arithmetic.assigned_by_expansion("${x[0]:=1}") == ["x"]
    assert arithmetic.assigned_by_expansion("${x:-1}") == []


def test_a_number_is_not_computed() -> None:
    assert not arithmetic.computed_in_expansion("${x:1:2}", Scope(""))
    assert not arithmetic.computed_in_expansion("${x[@]}", Scope(""))
    assert arithmetic.computed_in_expansion("${!x}", Scope(""))
