"""A line of `cmd` is cut into its commands, and what is not understood is said."""

import pytest

from assent.engine.powershell.windows import read_cmd, spelled_line
from assent.engine.programs.word import Word
from tests.engine.powershell.deciding import shown


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("dir", ["dir"]),
        ("dir & del x", ["dir", "del x"]),
        ("dir && del x || ver", ["dir", "del x", "ver"]),
        ("dir | more", ["dir", "more"]),
        ('del "a & b"', ["del a & b"]),
        ("d^el x^&y", ["del x&y"]),
        ("del/s/q C:\\", ["del /s /q C:\\"]),
        ("@del x,y;z", ["del x y z"]),
        ("rd %SystemRoot% %x%", ["rd C:\\Windows □"]),
        ("rd %USERPROFILE%\\x", ["rd ~\\x"]),
        ("a\nb", ["a", "b"]),
        ('"a b" c', ["a b c"]),
        ("@", ["□"]),
    ],
)
def test_the_commands_of_a_line(line: str, found: list[str]) -> None:
    read = read_cmd(line)

    assert [shown(command) for command in read.commands] == found
    assert read.sure


@pytest.mark.parametrize("line", ["a > b", "a < b", "(a)", "for %i in (1) do x", "", " ", 'a "b'])
def test_what_is_not_understood(line: str) -> None:
    assert not read_cmd(line).sure


def test_words_become_a_line() -> None:
    assert spelled_line((Word("a & b"),)) == "a & b"
    assert spelled_line((Word("del"), Word("a b"), Word('"c d"'))) == 'del "a b" "c d"'
