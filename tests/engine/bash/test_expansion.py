"""What an expansion says of its variable."""

import pytest

from assent.engine.bash import expansion


@pytest.mark.parametrize(
    ("text", "name"),
    [("$x", "x"), ("${x}", "x"), ("${HOME:?}", "HOME"), ("${HOME?no}", "HOME"), ("${HOME%/}", "HOME")],
)
def test_some_expansions_are_their_variable(text: str, name: str) -> None:
    assert expansion.same_value(text) == name


@pytest.mark.parametrize("text", ["${x:-y}", "${x%.py}", "${#x}", "${!x}", "${x[0]}", "$?", "${x/a/b}"])
def test_others_are_more_than_that(text: str) -> None:
    assert expansion.same_value(text) == ""


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
def test_what_stands_there_without_the_variable(text: str, otherwise: str) -> None:
    assert expansion.default(text) == otherwise


@pytest.mark.parametrize(
    ("text", "name"), [("$1", "1"), ("${2}", "2"), ("$x", ""), ("$10", ""), ("${1:-a}", "")]
)
def test_some_expansions_are_a_parameter_of_the_shell(text: str, name: str) -> None:
    assert expansion.parameter(text) == name


@pytest.mark.parametrize(
    ("text", "number"),
    [("$#", True), ("$?", True), ("${#x}", True), ("${#x[@]}", True), ("$1", False), ("${#x[$y]}", False)],
)
def test_some_expansions_are_numbers(text: str, number: bool) -> None:
    assert expansion.counts(text) is number
