"""The files that PowerShell commands read and write."""

import pytest

from assent.engine.lines.output import MAX_WRITTEN_FILES
from assent.engine.lines.reading import ReadResult
from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Decision, Stage, Verdict
from assent.engine.powershell.cmdlet_table import CMDLETS, HARMLESS_MEMBERS
from assent.engine.powershell.file_access import (
    find_changes,
    find_reads,
    find_windows_program_reads,
    to_program_words,
)
from assent.engine.powershell.language import parse_powershell
from assent.engine.programs.word import Word
from tests.engine.powershell.line_decisions import decide_line, join_words, stage_names, words_of_last_command
from tests.engine.powershell.lines import MORE_THAN_READS, READS


@pytest.mark.parametrize("line", READS)
def test_a_line_that_only_reads_runs_without_asking(line: str) -> None:
    found = decide_line(line)

    assert found.verdict is Verdict.RUN, found.steps


@pytest.mark.proves("T-20", "T-21")
@pytest.mark.parametrize("line", MORE_THAN_READS)
def test_a_line_that_may_do_more_never_runs_without_asking(line: str) -> None:
    assert decide_line(line).verdict is not Verdict.RUN


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
def test_a_reader_shows_the_files_that_it_reads(line: str, files: str) -> None:
    found = find_reads(words_of_last_command(line))

    assert found is not None
    assert join_words(found.files) == files


@pytest.mark.parametrize("name", [name for name, entry in CMDLETS.items() if entry.reads])
@pytest.mark.proves("T-21")
def test_no_reader_takes_a_parameter_that_is_not_listed(name: str) -> None:
    assert find_reads((Word(name), Word("-Zzz"))) is None
    assert find_reads((Word(name), Word("-OutVariable"), Word("x"))) is None


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
def test_an_ambiguous_abbreviation_never_counts_as_a_read(line: str) -> None:
    assert find_reads(words_of_last_command(line)) is None


@pytest.mark.parametrize("line", ["gci -OutV x", "gci -Fol", "Get-Process -C host", "Join-Path a b -R"])
@pytest.mark.proves("T-21")
def test_an_abbreviation_hides_no_parameter_that_does_more(line: str) -> None:
    assert find_reads(words_of_last_command(line)) is None


@pytest.mark.parametrize(
    "member", ["Delete", "MoveTo", "Kill", "Invoke", "CopyTo", "Encrypt", "Replace", "Create"]
)
def test_only_harmless_members_are_read_by_name(member: str) -> None:
    assert member.lower() not in HARMLESS_MEMBERS
    assert find_reads(words_of_last_command(f"ls | ForEach-Object {member}")) is None


def test_a_name_that_is_a_program_elsewhere_must_be_harmless_there_too() -> None:
    assert find_reads(words_of_last_command("sort -Descending")) == ReadResult()
    assert find_reads(words_of_last_command("sort a.txt")) == ReadResult((Word("a.txt"),))
    assert find_reads(words_of_last_command("sort -bottom 5")) is None
    assert find_reads(words_of_last_command("sort -o x")) is None
    assert find_reads(words_of_last_command("compare a b")) is None
    assert find_reads(words_of_last_command("cat -n a.txt")) == ReadResult((Word("a.txt"),))
    assert find_reads(words_of_last_command("ls Env:")) is None
    assert find_reads(words_of_last_command("cat env:API_KEY")) is None
    assert find_reads(words_of_last_command("ls HKLM:")) is None
    assert find_reads(words_of_last_command("cat env:PATH")) == ReadResult((Word("env:PATH"),))


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
def test_words_that_a_program_may_receive_changed_never_count_as_a_read(line: str) -> None:
    assert to_program_words(words_of_last_command(line)) is None
    assert find_reads(words_of_last_command(line)) is None


def test_only_a_plain_name_may_be_spelled_in_any_case() -> None:
    assert find_reads(words_of_last_command("LS.EXE src")) == ReadResult((Word("src"),), lists=True)
    assert find_reads(words_of_last_command("/bin/ls src")) == ReadResult((Word("src"),), lists=True)
    assert find_reads(words_of_last_command("/BIN/LS src")) is None
    assert find_reads(words_of_last_command("/bin/ls.exe src")) is None


def test_setting_a_harmless_variable_changes_nothing() -> None:
    assert find_reads(words_of_last_command("$env:NO_COLOR = '1'")) == ReadResult()
    assert find_reads(words_of_last_command("$env:PATH = '.'")) is None
    assert find_reads(words_of_last_command("Set-Item env:NO_COLOR")) is None
    assert find_reads(words_of_last_command("Set-Item x NO_COLOR")) is None
    assert find_reads(words_of_last_command("Set-Item -Foo x")) is None


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
def test_a_windows_program_with_harmless_flags_only_reads(line: str, files: str) -> None:
    found = find_windows_program_reads(words_of_last_command(line))

    assert found is not None
    assert join_words(found.files) == files


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
def test_a_windows_program_with_other_flags_may_do_more(line: str) -> None:
    assert find_windows_program_reads(words_of_last_command(line)) is None


@pytest.mark.parametrize(
    ("line", "paths", "removed"),
    [
        ("Remove-Item x, y -Recurse", "", "x y"),
        (r"rm .\x", "", "./x"),
        ("Move-Item a b", "b", "a"),
        ("Rename-Item a b", "b", "a"),
        ("Rename-Item a -NewName { $_.Name }", "", "a"),
        ("Copy-Item a b", "b", ""),
        (r"Set-Content -Path ..\x -Value y", "../x", ""),
        ("Out-File -FilePath x", "x", ""),
        ("ls | Tee-Object x", "x", ""),
        ("Export-Csv x.csv -NoTypeInformation", "x.csv", ""),
        ("New-Item x", "x", ""),
        ("New-Item -Path d -Name x", "d d/x", ""),
        ("New-Item -Name x", "", ""),
        ("Invoke-WebRequest http://h -OutFile x", "x", ""),
        ("Expand-Archive a.zip b", "b", ""),
        (r"Set-ItemProperty HKCU:\x -Name a -Value b", r"HKCU:\x HKCU:\x\a", ""),
        ("Start-Process a -RedirectStandardOutput x", "x", ""),
        ("tee x", "x", ""),
        ("touch x", "x", ""),
        ("Get-Date", "", ""),
    ],
)
def test_a_command_shows_the_files_that_it_changes(line: str, paths: str, removed: str) -> None:
    found = find_changes(words_of_last_command(line))

    assert found is not None
    assert (join_words(found.paths), join_words(found.removed)) == (paths, removed)


@pytest.mark.parametrize("line", ["Remove-Item -Zzz x", "foo x", "touch ''"])
def test_nothing_is_known_about_the_changes_of_other_commands(line: str) -> None:
    assert find_changes(words_of_last_command(line)) is None


def test_a_name_that_is_a_program_elsewhere_is_read_both_ways() -> None:
    found = find_changes(words_of_last_command("mkdir -p a/b"))

    assert found is not None
    assert join_words(found.paths) == "a/b"


@pytest.mark.proves("T-29")
@pytest.mark.parametrize(
    "line",
    [
        "Set-Content .git/hooks/pre-commit x",
        r"Set-Content .git\hooks\pre-commit x",
        r"'x' > .git\config",
        "'x' | Out-File .claude/settings.json",
        "Copy-Item a .mcp.json",
        "New-Item -Path .git/hooks -Name pre-commit",
        "ls .git | Remove-Item",
        r"Remove-Item .\.GIT -Recurse",
        "Add-Content ~/.bashrc x",
        "Add-Content $PROFILE x",
        "'x' >> $PROFILE",
        "pwsh -c 'Set-Content .git/config x'",
    ],
)
def test_a_protected_path_asks_in_every_mode(line: str) -> None:
    assert "protected-path" in stage_names(decide_line(line, Mode.AUTO, allow=["*"]))


def decide_in_auto_mode(line: str) -> Decision:
    return decide_line(line, Mode.AUTO, deny=["Remove-Item *"])


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    "line",
    [
        "Set-Content s.ps1 'Remove-Item x'; .\\s.ps1",
        "'rm x' | Out-File s.ps1; powershell -File s.ps1",
        "'rm x' | Set-Content S.ps1; . .\\s.ps1",
        "Add-Content -Path s.ps1 -Value 'rm x'; pwsh s.ps1",
        "echo 'rm x' > s.ps1; & ./s.ps1",
        "Set-Content a.ps1 'rm x'; Copy-Item a.ps1 b.ps1; .\\b.ps1",
    ],
)
def test_a_deny_rule_sees_what_a_script_of_the_line_would_run(line: str) -> None:
    assert decide_in_auto_mode(line).verdict is Verdict.DENY


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    "line",
    [
        "Invoke-WebRequest host -OutFile s.ps1; .\\s.ps1",
        "iwr host -OutFile s.ps1; powershell -File s.ps1",
        "'rm x' > s.ps1; .\\s.ps1",
    ],
)
def test_a_script_that_the_line_does_not_spell_out_is_asked_about(line: str) -> None:
    found = decide_in_auto_mode(line)

    assert (found.verdict, found.stage) == (Verdict.ASK, Stage.UNREADABLE)


@pytest.mark.parametrize(
    "line",
    [
        "Set-Content s.ps1 'rm x'; Get-Content s.ps1",
        "Set-Content s.ps1 'ls'; .\\s.ps1",
        "Set-Content s.txt 'rm x'; .\\t.ps1 s.txt",
        "Invoke-WebRequest host -OutFile a.json; python use.py a.json",
    ],
)
def test_a_harmless_file_of_the_line_runs(line: str) -> None:
    assert decide_in_auto_mode(line).verdict is Verdict.RUN


@pytest.mark.proves("T-23")
def test_a_line_that_writes_very_many_files_is_unreadable() -> None:
    line = parse_powershell("; ".join(f"echo 'a b' > s{at}.ps1" for at in range(MAX_WRITTEN_FILES + 1)))

    assert line.unreadable == f"writes more than {MAX_WRITTEN_FILES} files"
