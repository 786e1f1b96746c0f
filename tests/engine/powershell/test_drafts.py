"""Scripts that a PowerShell line writes and then runs."""

import pytest

from assent.engine.lines.printing import MOST_DRAFTS
from assent.engine.modes import Mode
from assent.engine.powershell.reader import read_powershell
from assent.engine.verdict import Decision, Stage, Verdict
from tests.engine.powershell.deciding import decision


def decided(line: str) -> Decision:
    return decision(line, Mode.AUTO, deny=["Remove-Item *"])


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
    assert decided(line).verdict is Verdict.DENY


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
    found = decided(line)

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
def test_a_file_that_is_not_run_or_says_something_else_is_let_be(line: str) -> None:
    assert decided(line).verdict is Verdict.RUN


@pytest.mark.proves("T-23")
def test_a_line_that_writes_very_many_files_is_left_to_a_person() -> None:
    line = read_powershell("; ".join(f"echo 'a b' > s{at}.ps1" for at in range(MOST_DRAFTS + 1)))

    assert line.unreadable == f"writes more than {MOST_DRAFTS} files"
