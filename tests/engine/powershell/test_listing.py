"""What a command lists is known to the commands behind it."""

import pytest

from assent.engine.powershell.listing import SOMETHING, is_made_up
from tests.engine.powershell.deciding import commands, shown


@pytest.mark.parametrize(
    ("line", "fed"),
    [
        ("ls | x", "./*"),
        ("ls src | x", "src/*"),
        (r"ls C:\ | x", "C:\\*"),
        ("ls *.txt | x", "./*.txt"),
        ("ls src -Filter *.py | x", "src/*.py"),
        ("ls src -Recurse | x", "src/□"),
        ("ls src -Include *.py | x", "src/□"),
        ("ls a, b | x", "a/* b/*"),
        ("gi a | x", "a"),
        ("ls | Resolve-Path | x", "./*"),
        ("ls | sort Name | x", "./*"),
        ("ls | Tee-Object y | x", "./*"),
        ("ls | ? Length | x", "./□"),
        ("ls | select -First 1 | x", "./□"),
        ("ls | select -ExpandProperty FullName | x", "./□"),
        ("ls | % FullName | x", "./*"),
        ("(ls) | x", "./*"),
        ("$f = ls; $f | x", "./*"),
        ("ls *.py | % { $_.FullName | x }", "./*.py"),
        ("foreach ($f in ls) { $f | x }", "./*"),
        ("ls | % { $_ } | x", "./*"),
        ("ls *.py | % { $_.FullName } | x", "./*.py"),
    ],
)
def test_the_files_that_feed_a_command(line: str, fed: str) -> None:
    found = commands(line)[-1].fed

    assert found is not None
    assert shown(found) == fed


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ("'a', 'b' | x", "a b"),
        ("echo a b | x", "a b"),
        ("$p = 'a'; $p | x", "a"),
        ("Join-Path a b | x", "a/b"),
    ],
)
def test_the_words_that_feed_a_command(line: str, given: str) -> None:
    found = commands(line)[-1].given

    assert found is not None
    assert shown(found) == given


@pytest.mark.parametrize(
    "line",
    [
        "ls -Name | x",
        "ls | select Name | x",
        "ls | % Name | x",
        "ls | % { $_; $_ } | x",
        "ls | % -Begin { $_ } -Process { $_ } | x",
        "ls | group Name | x",
        "foo | x",
        "Get-Content a | x",
        "ls -Zzz | x",
        "ls .env | x",
        "ls -Include *.pem | x",
        "ls | ? Name -eq .env | x",
        "Join-Path a b c | x",
        "Join-Path a, b c | x",
        "ls | Get-Member | x",
        "Get-Date | ? x | x",
        "'a' | foo | x",
    ],
)
def test_what_is_not_known(line: str) -> None:
    last = commands(line)[-1]

    assert (last.fed, last.given) == (None, None)


@pytest.mark.parametrize(
    "line",
    [
        "git log | sls x",
        "gc a | sls x",
        "ls -Name | sls x",
        "ls | select Name, Length | sls x",
        "ls | % Name | sls x",
        "Get-Process | sls x",
        "git log | % { $_.Trim() } | sls x",
        "[string]::Join(',', $x) | sls x",
        "$x -replace 'a' | sls x",
        '"a $x" | sls x',
    ],
)
def test_of_some_input_we_only_know_that_nobody_chose_its_properties(line: str) -> None:
    assert commands(line)[-1].given == SOMETHING or shown(commands(line)[-1].given or ()) == "a □"


@pytest.mark.proves("T-21")
@pytest.mark.parametrize(
    "line",
    [
        "import-csv a | sls x",
        "$x | sls x",
        "echo $x | sort a | sls x",
        "ls | select @{ n = 'Path'; e = { 1 } } | sls x",
        "ls | select $x | sls x",
        "ls | % { $y } | sls x",
        "$x.GetEnumerator() | sls x",
        "[object]::new() | sls x",
        "Get-Thing | sls x",
        "& $x | sls x",
        "./a.ps1 | sls x",
        "function f { }; f | sls x",
        "function git { }; git log | sls x",
    ],
)
def test_other_input_may_have_any_property(line: str) -> None:
    last = commands(line)[-1]

    assert last.fed is None
    assert last.given is None or any(is_made_up(word) for word in last.given)
