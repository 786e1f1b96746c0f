"""Pipes and chains, and the redirections after them."""

import pytest

from tests.engine.bash.line_texts import describe_commands, parse_readable_line, unreadable_reason


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("a | b > c", ["a", "b >c"]),
        ("a && b > c", ["a", "b >c"]),
        ("a || b && c > d", ["a", "b", "c >d"]),
        ("a && b | c > d", ["a", "b", "c >d"]),
        ("! a > b", ["a >b"]),
        ("a && { b; } > c", ["a", ">c", "b"]),
        ("a | (b) > c", ["a", ">c", "b"]),
        ("a \\\n && b \\\n | c", ["a", "b", "c"]),
        ("a &&\nb ||\nc", ["a", "b", "c"]),
        ("a && # note\nb", ["a", "b"]),
        ("a | # note\nb", ["a", "b"]),
        ("a | while read x; do b; done > c", ["a", ">c", "read x", "b"]),
    ],
)
@pytest.mark.proves("T-20", "T-22")
def test_a_redirection_after_a_chain_belongs_to_its_last_command(text: str, commands: list[str]) -> None:
    assert describe_commands(text) == commands


@pytest.mark.parametrize("text", ["a && (b) > c d"])
@pytest.mark.proves("T-22")
def test_words_that_cannot_be_placed_are_refused(text: str) -> None:
    assert unreadable_reason(text)


def test_a_chain_changes_the_directory_with_each_cd() -> None:
    found = parse_readable_line("cd a && b && cd c && d; e").commands

    assert [command.directories for command in found] == [
        ("",),
        ("a",),
        ("a",),
        ("a/c",),
        found[-1].directories,
    ]
    assert {"", "a/c"} <= set(found[-1].directories)


def test_a_command_after_an_or_runs_where_the_chain_began_or_failed() -> None:
    assert "" in parse_readable_line("cd a || b").commands[-1].directories


def test_an_assignment_in_a_later_link_is_uncertain_after_the_chain() -> None:
    assert describe_commands("a && x=1 && b $x; c $x") == ["a", "x=1", "b 1", "c ?"]
    assert describe_commands("x=1 && b $x; c $x") == ["x=1", "b 1", "c 1"]
