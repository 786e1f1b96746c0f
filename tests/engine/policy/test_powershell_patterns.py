"""Rules about PowerShell hold for every spelling that PowerShell takes for the same."""

import pytest

from assent.engine.modes import Mode
from assent.engine.policy.powershell_patterns import allow_pattern, allow_words, strict_pattern, strict_texts
from assent.engine.verdict import Verdict
from tests.engine.powershell.deciding import decision


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    ("rule", "line"),
    [
        (r"Remove-Item C:\Temp\*", r"rm c:\temp\x"),
        (r"Remove-Item C:\Temp\*", "RM -Recurse -Force C:/TEMP/x"),
        (r"Remove-Item C:\Temp\*", r"del -LiteralPath:'C:\Temp\x'"),
        ("remove-item c:/temp/*", r"Remove-Item -Path C:\TEMP\x"),
        ("Remove-Item -Recurse *", "ri x -Force -RECURSE"),
        ("Remove-Item * -Force", "rm -fo x"),
        ("Get-Content -Path *", "type x"),
        ("Move-Item src *", "mv -Destination b -Path SRC"),
        ("git push *", "git -C x push origin"),
        ("git push *", r"C:\git\GIT.EXE -c a=b Push"),
        ("Get-ChildItem *", "'x' | GCI"),
    ],
)
def test_a_deny_rule_hits_in_every_spelling(rule: str, line: str) -> None:
    assert decision(line, Mode.AUTO, deny=[rule], allow=["*"]).verdict is Verdict.DENY


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("Remove-Item build/*", r"Remove-Item build\x"),
        (r"Remove-Item build\*", "Remove-Item build/x"),
        ("Remove-Item build/*", "remove-item build/x"),
        ("Remove-Item -Recurse build", "REMOVE-ITEM -recurse build"),
        ("Remove-Item *.pyc", "Remove-Item a.pyc"),
        (r"Remove-Item C:\temp\*", r"Remove-Item C:\temp\x"),
        ("npm run *:unit", "npm run test:unit"),
        (r"Send-It 'it'\''s'", 'Send-It "it\'s"'),
    ],
)
def test_an_allow_rule_covers_what_is_the_same(rule: str, line: str) -> None:
    assert decision(line, allow=[rule]).verdict is Verdict.RUN


@pytest.mark.proves("T-20", "T-27")
@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("Remove-Item build/*", r"Remove-Item build\..\src"),
        ("Remove-Item build/*", r"Remove-Item build/..\..\x"),
        ("Remove-Item build/*", "Remove-Item Build/x"),
        (r"Remove-Item build\*", "Remove-Item buildx"),
        ("Remove-Item *.pyc", r"Remove-Item C:\a.pyc"),
        ("Remove-Item *.pyc", r"Remove-Item \a.pyc"),
        ("Remove-Item *.pyc", r"Remove-Item \\host\share\a.pyc"),
        ("Remove-Item *.pyc", r"Remove-Item HKLM:\a.pyc"),
        ("Remove-Item *.pyc", r"Remove-Item Microsoft.PowerShell.Core\FileSystem::C:\a.pyc"),
        ("Remove-Item *.pyc", r"Remove-Item ..\a.pyc"),
        ("Remove-Item *.pyc", r"Remove-Item ~\a.pyc"),
        ("git -C x status *", "git -c x status"),
    ],
)
def test_an_allow_rule_covers_nothing_else(rule: str, line: str) -> None:
    assert decision(line, allow=[rule]).verdict is Verdict.ASK


def test_only_the_names_of_a_command_lose_their_capitals_in_allow() -> None:
    assert allow_pattern(r"Get-Content -Tail 5 Src\A") == ("get-content", "-tail", "5", "Src/A")
    assert allow_words(("Git", "-C", "Src\\A")) == ("Git", "-C", "Src/A")
    assert allow_words(()) == ()


def test_all_capitals_are_lost_in_deny() -> None:
    assert strict_pattern(r"Remove-Item C:\Temp\*") == "remove-item c:/temp/*"
    assert list(strict_texts(("A\\b", "a/B"))) == ["a/b"]
