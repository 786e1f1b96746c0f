"""Compound statements: loops, cases, tests and functions."""

import pytest

from assent.engine.bash.compound import FunctionCalls, find_fork_bombs, read_case_statement, read_for_loop
from assent.engine.lines.command import Unreadable
from tests.engine.bash.forged_nodes import EmptyReader, ForgedNode
from tests.engine.bash.line_texts import describe_commands, unreadable_reason


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("for ((;;)) { b; }", ["b"]),
        ("case a in b) c & d ;; esac", ["c", "d"]),
        ("case $(a) in $(b)) c ;; esac", ["a", "b", "c"]),
        ("case a in [a-z]*) b ;; +(x)) c ;; esac", ["b", "c"]),
        ("case a in # note\nb) c ;; esac", ["c"]),
        ("[[ ! ( -f a || $b =~ ^c.*d$ ) ]]", ["[[ ! ( -f a || ? =~ ^c.*d$ ) ]]"]),
        ("[[ a -nt $(b) ]]", ["b", "[[ a -nt ? ]]"]),
        ("if (( x > 1 )); then a; fi", ["((", "a"]),
        ("(( x = $(a) ))", ["(( ?", "x=?", "a", "(("]),
    ],
)
@pytest.mark.proves("T-20", "T-22")
def test_commands_in_a_compound_statement_are_found(text: str, commands: list[str]) -> None:
    assert describe_commands(text) == commands


@pytest.mark.parametrize(
    "text", ["[ a > b ]", "[ a >> b ]", "[ a && b ]", "[ a | b ]", "[[a ]]", "[ a ; b ]", "[ a & b ]"]
)
@pytest.mark.proves("T-20", "T-22")
def test_a_bracket_that_is_a_command_is_not_read_as_a_test(text: str) -> None:
    assert unreadable_reason(text)


@pytest.mark.parametrize("read", [read_for_loop, read_case_statement])
@pytest.mark.proves("T-23")
def test_an_unknown_kind_of_compound_statement_is_refused(read: object) -> None:
    reader = EmptyReader("novelty")

    with pytest.raises(Unreadable):
        read(reader, ForgedNode("novelty", 0, 7, (ForgedNode("novelty", 0, 7),)), reader.scope)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("starts", "found"),
    [
        ({"f": FunctionCalls({"f"}, {"f"})}, ("f",)),
        ({"f": FunctionCalls({"f"}, set())}, ()),
        ({"f": FunctionCalls({"g"}, set()), "g": FunctionCalls({"f"}, {"f"})}, ("g",)),
        ({"f": FunctionCalls({"g"}, {"g"}), "g": FunctionCalls({"f"}, {"f"})}, ("f", "g")),
        ({"f": FunctionCalls({"ls"}, {"ls"})}, ()),
    ],
    ids=str,
)
@pytest.mark.proves("T-25")
def test_a_function_that_starts_itself_concurrently_is_a_fork_bomb(
    starts: dict[str, FunctionCalls], found: tuple[str, ...]
) -> None:
    assert find_fork_bombs(starts) == found


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ('f() { ls "$1"; }; f src', ["ls src", "f src"]),
        ("f() { ls $1 | wc -l; }\nf a\nf b; f a", ["ls a", "wc -l", "ls b", "wc -l", "f a", "f b", "f a"]),
        ('f() { ls "$1"; }; f a; f $x', ["ls ?", "f a", "f ?"]),
        ('f() { ls "$1"; }; f a; (f /etc)', ["ls ?", "f a", "f /etc"]),
        ('f() { cat < "$1" > $2; }; f a b', ["cat <a >b", "f a b"]),
        ('f() { shift; ls "$1"; }; f a b', ["shift", "ls ?", "f a b"]),
        ('f() { ls "$1"; }; f', ["ls ?", "f"]),
        ('f() { ls "$2"; }; f a', ["ls ?", "f a"]),
    ],
)
@pytest.mark.proves("T-22", "T-24")
def test_a_function_gets_the_arguments_of_its_calls_where_all_are_known(
    text: str, commands: list[str]
) -> None:
    assert describe_commands(text) == commands


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("if a; then ls() { b; }; fi", ["a", "b", "function ls"]),
        ("a && wc() { b; }", ["a", "b", "function wc"]),
        ("helper() { b; }", ["b"]),
    ],
)
@pytest.mark.proves("T-20")
def test_a_function_with_the_name_of_a_known_program_is_a_command(text: str, commands: list[str]) -> None:
    assert describe_commands(text) == commands
