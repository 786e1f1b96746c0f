"""A PowerShell command only reads when everything about it is known to be harmless."""

import pytest

from assent.engine.lines.reading import Reading
from assent.engine.powershell.cmdlet_table import CMDLETS, HARMLESS_MEMBERS
from assent.engine.powershell.readonly import read_by_windows_program, reading, to_program_words
from assent.engine.programs.word import Word
from assent.engine.verdict import Verdict
from tests.engine.powershell.deciding import decision, shown, words
from tests.engine.powershell.lines import MORE_THAN_READS, READS


@pytest.mark.parametrize("line", READS)
def test_a_line_that_only_reads_runs_unasked(line: str) -> None:
    found = decision(line)

    assert found.verdict is Verdict.RUN, found.steps


@pytest.mark.proves("T-20", "T-21")
@pytest.mark.parametrize("line", MORE_THAN_READS)
def test_a_line_that_may_do_more_never_runs_unasked(line: str) -> None:
    assert decision(line).verdict is not Verdict.RUN


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("Get-Content a.txt", "a.txt"),
        (r"Get-Content .\src\a.txt", "./src/a.txt"),
        (r"Get-Content ..\a.txt", "../a.txt"),
        ("Get-Content a, b -TotalCount 3", "a b"),
        ("Get-Content -LiteralPath a", "a"),
        ("Get-ChildItem *.txt", "./*.txt"),
        (r"Get-ChildItem C:\x", r"C:\x"),
        (r"Get-ChildItem \\server\share", r"\\server\share"),
        (r"Get-ChildItem \x", "/x"),
        (r"Get-ChildItem ~\x", "~/x"),
        ("Select-String pattern a b", "a b"),
        ("Select-String -Path a pattern", "a"),
        ("Select-String -Path a, b pattern c", "a b c"),
        ("Get-ChildItem env:PATH", ""),
        ("Test-Json -Path x", "x"),
        ("tree /f src", "src"),
        (r"head -5 ..\a b", "../a b"),
        ("ls -la src", "src"),
        ("findstr /g:patterns.txt x a.txt b.txt", "patterns.txt x a.txt b.txt"),
    ],
)
def test_a_reader_says_which_files_it_reads(line: str, files: str) -> None:
    found = reading(words(line))

    assert found is not None
    assert shown(found.files) == files


@pytest.mark.parametrize("name", [name for name, entry in CMDLETS.items() if entry.reads])
@pytest.mark.proves("T-21")
def test_no_reader_takes_a_parameter_that_is_not_listed(name: str) -> None:
    assert reading((Word(name), Word("-Zzz"))) is None
    assert reading((Word(name), Word("-OutVariable"), Word("x"))) is None


@pytest.mark.parametrize(
    "line",
    [
        "Get-ChildItem -F x",
        "Get-ChildItem -In x",
        "Get-Content -E utf8 a",
        "Sort-Object -C",
        "Select-Object -Ex Name",
    ],
)
@pytest.mark.proves("T-21")
def test_an_abbreviation_that_could_mean_two_parameters_is_not_judged(line: str) -> None:
    assert reading(words(line)) is None


@pytest.mark.parametrize("line", ["gci -OutV x", "gci -Fol", "Get-Process -C host", "Join-Path a b -R"])
@pytest.mark.proves("T-21")
def test_an_abbreviation_hides_no_parameter_that_does_more(line: str) -> None:
    assert reading(words(line)) is None


@pytest.mark.parametrize(
    "member", ["Delete", "MoveTo", "Kill", "Invoke", "CopyTo", "Encrypt", "Replace", "Create"]
)
def test_only_harmless_members_are_read_by_name(member: str) -> None:
    assert member.lower() not in HARMLESS_MEMBERS
    assert reading(words(f"ls | ForEach-Object {member}")) is None


def test_a_name_that_is_a_program_elsewhere_must_be_harmless_there_too() -> None:
    assert reading(words("sort -Descending")) == Reading()
    assert reading(words("sort a.txt")) == Reading((Word("a.txt"),))
    assert reading(words("sort -bottom 5")) is None
    assert reading(words("sort -o x")) is None
    assert reading(words("compare a b")) is None
    assert reading(words("cat -n a.txt")) == Reading((Word("a.txt"),))
    assert reading(words("ls Env:")) is None
    assert reading(words("cat env:API_KEY")) is None
    assert reading(words("ls HKLM:")) is None
    assert reading(words("cat env:PATH")) == Reading((Word("env:PATH"),))


@pytest.mark.parametrize(
    "line",
    [
        "git log ''",
        "git log 'a\"b'",
        r"git log 'a b\'",
        "git log a, b",
        "git log { x }",
        "git log @{ a = 1 }",
    ],
)
@pytest.mark.proves("T-22")
def test_words_that_a_program_may_get_differently_are_not_judged(line: str) -> None:
    assert to_program_words(words(line)) is None
    assert reading(words(line)) is None


def test_only_a_mere_name_is_spelled_in_any_way() -> None:
    assert reading(words("LS.EXE src")) == Reading((Word("src"),), lists=True)
    assert reading(words("/bin/ls src")) == Reading((Word("src"),), lists=True)
    assert reading(words("/BIN/LS src")) is None
    assert reading(words("/bin/ls.exe src")) is None


def test_setting_a_harmless_variable_changes_nothing() -> None:
    assert reading(words("$env:NO_COLOR = '1'")) == Reading()
    assert reading(words("$env:PATH = '.'")) is None
    assert reading(words("Set-Item env:NO_COLOR")) is None
    assert reading(words("Set-Item x NO_COLOR")) is None
    assert reading(words("Set-Item -Foo x")) is None


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("where git", ""),
        ("where.exe /q git", ""),
        ("ipconfig", ""),
        ("IPCONFIG /all", ""),
        ("tasklist /fi 'imagename eq x' /fo csv", ""),
        ("netstat -ano", ""),
        ("findstr /s /i x a.txt", "a.txt"),
        (r"findstr /c:'x y' z src\*.cs", "z src/*.cs"),
        (r"findstr /g:p.txt x a", "p.txt x a"),
        ("findstr /sin todo *.cs", "./*.cs"),
        ("tree /f src", "src"),
    ],
)
def test_what_is_harmless(line: str, files: str) -> None:
    found = read_by_windows_program(words(line))

    assert found is not None
    assert shown(found.files) == files


@pytest.mark.parametrize(
    "line",
    [
        "ipconfig /release",
        "ipconfig x",
        "tasklist /s host",
        "tasklist /fo",
        "findstr $x a",
        "findstr x ab:c",
        "foo",
        "route add x",
        "where /r C:\\ x",
        "findstr /zzz x a",
        "findstr /c x a",
        "findstr /f:list x",
    ],
)
def test_what_is_not(line: str) -> None:
    assert read_by_windows_program(words(line)) is None
