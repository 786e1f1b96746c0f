"""The walk follows what a text would do: functions, bombs, redirections, what is set."""

import pytest

from assent.engine.lines.command import Access
from assent.engine.powershell.reader import read_powershell
from assent.engine.programs.word import Word
from tests.engine.powershell.deciding import commands, read


def test_a_function_of_the_line_is_known_by_its_body() -> None:
    called = [command for command in commands("function Go { ls }; go; Go x") if command.function]

    assert [command.program for command in called] == ["go", "Go"]


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    "line",
    [
        "go; function go { }",
        "if (1) { function go { } }; go",
        "& { function go { } }; go",
        "function go { }; 1 | % { go }",
        "function go { }; Remove-Item function:go; go",
        "function rm { }; rm x",
    ],
)
def test_a_name_that_may_mean_something_else_is_no_function(line: str) -> None:
    assert not any(command.function for command in commands(line))


@pytest.mark.proves("T-25")
@pytest.mark.parametrize(
    ("line", "bombs"),
    [
        ("function f { f | f }; f", ("f",)),
        ("function F { f; f }", ("F",)),
        ("function f { Start-Job { f } }", ("f",)),
        ("function f { f }", ()),
        ("function f { g; g }", ()),
    ],
)
def test_a_function_that_multiplies_is_a_bomb(line: str, bombs: tuple[str, ...]) -> None:
    assert read_powershell(line).bombs == bombs


@pytest.mark.parametrize(
    ("line", "access", "target", "appends"),
    [
        ("a > b", Access.WRITE, "b", False),
        (r"a >> ..\b", Access.WRITE, "../b", True),
        ("a 2> b", Access.WRITE, "b", False),
        ("a *>> b", Access.WRITE, "b", True),
        ("'a' > b", Access.WRITE, "b", False),
        ("& { a } > b", Access.WRITE, "b", False),
        ("a > $x", Access.WRITE, "\0", False),
        (r"a > HKLM:\x", Access.WRITE, r"HKLM:\x", False),
        ("a > $null", Access.DUPLICATE, "$null", False),
        ("a 2>&1", Access.DUPLICATE, "", False),
    ],
)
def test_a_redirection(line: str, access: Access, target: str, appends: bool) -> None:
    (found,) = [redirect for command in commands(line) for redirect in command.redirects]

    assert (found.access, found.target.text, found.appends) == (access, target, appends)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("$env:A = 'b'", ["Set-Item env:A b"]),
        ("$env:A += 'b'", ["Set-Item env:A □"]),
        ("$env:A = 'b', 'c'", ["Set-Item env:A □"]),
        ("${env:A} = b", ["b", "Set-Item env:A □"]),
        ("$x = 1", [""]),
        ("[int]$x = 1", [""]),
        (r"${C:\a} = 1", [r"Get-Content C:\a", "□"]),
        (r"echo ${C:\a}", [r"Get-Content C:\a", r"echo □"]),
    ],
)
def test_what_an_assignment_is(line: str, found: list[str]) -> None:
    assert read(line) == found


def test_a_value_is_never_a_parameters_name() -> None:
    words = commands("$x = '-Recurse'; rm $x '-Force' --% -a")[-1].words

    assert [word for word in words if word.text == "-Recurse"] == [Word("-Recurse", quoted=True)]
    assert [word for word in words if word.text == "-Force"] == [Word("-Force", quoted=True)]


def test_a_pattern_is_one_only_to_other_programs() -> None:
    assert commands("cat.exe *.txt")[0].words[1] == Word("*.txt", glob=True)
    assert commands("Get-Content *.txt")[0].words[1] == Word("*.txt")
    assert commands("cat.exe '*.txt'")[0].words[1] == Word("*.txt", quoted=True)
