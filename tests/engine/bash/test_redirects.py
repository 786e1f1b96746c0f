"""Redirections of a command."""

import pytest

from assent.engine.lines.command import Redirect, RedirectAccess
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.bash.line_texts import describe_commands, parse_readable_line, unreadable_reason


def read_redirects(text: str) -> list[Redirect]:
    return [one for command in parse_readable_line(text).commands for one in command.redirects]


@pytest.mark.parametrize(
    ("text", "access", "appends"),
    [
        ("x > a", RedirectAccess.WRITE, False),
        ("x >| a", RedirectAccess.WRITE, False),
        ("x >> a", RedirectAccess.WRITE, True),
        ("x &> a", RedirectAccess.WRITE, False),
        ("x &>> a", RedirectAccess.WRITE, True),
        ("x >& a", RedirectAccess.WRITE, False),
        ("x 2> a", RedirectAccess.WRITE, False),
        ("x < a", RedirectAccess.READ, False),
        ("x <<< a", RedirectAccess.TEXT, False),
        ("x <& a", RedirectAccess.READ, False),
    ],
)
@pytest.mark.proves("D-2", "R003-44")
def test_an_operator_decides_the_access_to_its_target(
    text: str, access: RedirectAccess, appends: bool
) -> None:
    assert read_redirects(text) == [Redirect(access, Word("a"), appends)]


@pytest.mark.parametrize("text", ["x 2>&1", "x >&2", "x <&0", "x >&-", "x 3<&-", "x 2>&1-"])
def test_a_descriptor_is_no_file(text: str) -> None:
    assert [one.access for one in read_redirects(text)] == [RedirectAccess.DUPLICATE]


@pytest.mark.parametrize("text", ["x <&3", "x <&3-"])
@pytest.mark.proves("T-22")
def test_the_content_of_an_input_descriptor_is_unknown(text: str) -> None:
    assert read_redirects(text) == [Redirect(RedirectAccess.TEXT, Word(UNKNOWN_MARK))]


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("> a x b", ["x b >a"]),
        ("x > a b > c d", ["x b d >a >c"]),
        ("x >&- -o a", None),
        ("x 2>&- a", ["x a >&-"]),
        ("sort -ox2>y z", ["sort -ox2 z >y"]),
        ("x -5<<E\na\nE", ["x -5 <<a\\n"]),
        ("x - 2>y", ["x - >y"]),
        ("x {a,b}> y", ["x a b >y"]),
        ("x 10> y", ["x >y"]),
    ],
)
@pytest.mark.proves("T-22")
def test_words_around_a_redirection_stay_words(text: str, commands: list[str] | None) -> None:
    if commands is None:
        assert unreadable_reason(text)
    else:
        assert describe_commands(text) == commands


@pytest.mark.parametrize(
    "text",
    [
        "0<a rm b",
        "x 0<a",
        "x {fd}>a",
        "-2>a x",
        "x $2>a",
        "<a$1\\& rm b",
        "x <& -a",
        "x >& -a",
        "cat -<<E\na\nE",
        "cat <<E && a=1\nx\nE",
        "x <> a",
    ],
)
@pytest.mark.proves("T-22")
def test_a_redirection_that_the_shell_would_place_elsewhere_is_refused(text: str) -> None:
    assert unreadable_reason(text)


def test_an_empty_target_is_unknown() -> None:
    assert read_redirects("a=; ls > $a") == [Redirect(RedirectAccess.WRITE, Word(UNKNOWN_MARK, splits=True))]
