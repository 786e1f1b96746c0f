"""Expansions, substitutions and arithmetic: their values, and the commands in them."""

import pytest

from assent.engine.bash import expansion
from assent.engine.bash.expansion import (
    contains_substitution,
    expansion_evaluates_unknown,
    variables_assigned_by_arithmetic,
    variables_assigned_by_expansion,
)
from assent.engine.bash.scope import Scope
from tests.engine.bash.line_texts import describe_commands, parse_readable_line, unreadable_reason


@pytest.mark.parametrize(
    ("text", "name"),
    [("$x", "x"), ("${x}", "x"), ("${HOME:?}", "HOME"), ("${HOME?no}", "HOME"), ("${HOME%/}", "HOME")],
)
def test_some_expansions_are_the_value_of_their_variable(text: str, name: str) -> None:
    assert expansion.variable_of_expansion(text) == name


@pytest.mark.parametrize("text", ["${x:-y}", "${x%.py}", "${#x}", "${!x}", "${x[0]}", "$?", "${x/a/b}"])
def test_other_expansions_are_more_than_their_variable(text: str) -> None:
    assert expansion.variable_of_expansion(text) == ""


@pytest.mark.proves("T-25")
@pytest.mark.parametrize(
    ("text", "otherwise"),
    [
        ("${x:-/}", "/"),
        ("${x-/etc}", "/etc"),
        ("${x:=~}", "~"),
        ("${x:?gone}", "set"),
        ("${x:+y}", ""),
        ("$x", ""),
    ],
)
def test_an_expansion_has_a_default_value(text: str, otherwise: str) -> None:
    assert expansion.default_of_expansion(text) == otherwise


@pytest.mark.parametrize(
    ("text", "name"), [("$1", "1"), ("${2}", "2"), ("$x", ""), ("$10", ""), ("${1:-a}", "")]
)
def test_some_expansions_are_a_parameter_of_the_shell(text: str, name: str) -> None:
    assert expansion.positional_parameter_number(text) == name


@pytest.mark.parametrize(
    ("text", "number"),
    [("$#", True), ("$?", True), ("${#x}", True), ("${#x[@]}", True), ("$1", False), ("${#x[$y]}", False)],
)
def test_some_expansions_are_numbers(text: str, number: bool) -> None:
    assert expansion.is_number_expansion(text) is number


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
    assert UNKNOWN not in describe_commands(text)


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
    assert UNKNOWN in describe_commands(text)


@pytest.mark.parametrize(
    "text", ["echo $((a['b']))", 'echo $((a["b"]))', "echo ${a['b']}", "echo ${x@P}", "echo ${x:'1'}"]
)
@pytest.mark.proves("T-22")
def test_quotes_in_evaluated_texts_are_refused(text: str) -> None:
    assert unreadable_reason(text)


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
def test_variables_that_arithmetic_assigns_are_found(text: str, names: list[str]) -> None:
    assert variables_assigned_by_arithmetic(text) == names


def test_a_variable_that_an_expansion_assigns_is_found() -> None:
    assert variables_assigned_by_expansion("${x:=1}") == ["x"]
    assert variables_assigned_by_expansion("${x[0]:=1}") == ["x"]
    assert variables_assigned_by_expansion("${x:-1}") == []


def test_a_number_is_not_computed() -> None:
    assert not expansion_evaluates_unknown("${x:1:2}", Scope(""))
    assert not expansion_evaluates_unknown("${x[@]}", Scope(""))
    assert expansion_evaluates_unknown("${!x}", Scope(""))


@pytest.mark.parametrize("raw", ["a $(b)", "`b`", "${b}", "<(b)", ">(b)", "\\\\$(b)"])
@pytest.mark.proves("T-22")
def test_text_that_the_shell_would_expand_is_found(raw: str) -> None:
    assert contains_substitution(raw)


@pytest.mark.parametrize("raw", ["a", "$b", "\\$(b)", "\\`b\\`", "(b)", "$ (b)"])
def test_text_that_the_shell_would_not_expand_is_ignored(raw: str) -> None:
    assert not contains_substitution(raw)


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("x ${a:-$(b)}", ["b", "x ?"]),
        ("x ${a:-`b`}", ["b", "x ?"]),
        ("a[$((1))]=2", ["(( ?", "a[$((1))]=?"]),
        ("x ${a:-${c:-$(b)}}", ["b", "x ?"]),
        ("x $((1 + $(b)))", ["(( ?", "b", "x ?"]),
        ("x ${a/$(b)/c}", ["b", "x ?"]),
        ("x ${a:=$(b)}", ["a=?", "b", "x ?"]),
        ('x "${a:-$(b)}"', ["b", "x ?"]),
    ],
)
@pytest.mark.proves("T-20", "T-22")
def test_a_command_is_found_at_any_depth(text: str, commands: list[str]) -> None:
    assert describe_commands(text) == commands


@pytest.mark.proves("D-6")
def test_a_secret_variable_is_found_in_any_expansion() -> None:
    assert parse_readable_line("x ${API_TOKEN:-a} ${#DB_PASSWORD} $((SECRET_KEY))").secret_variables[:2] == (
        "API_TOKEN",
        "DB_PASSWORD",
    )
