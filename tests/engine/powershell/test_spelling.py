"""Deny and ask see a command under every name it goes by."""

import pytest

from assent.engine.modes import Mode
from assent.engine.powershell.spelling import canonical, spellings
from assent.engine.verdict import Verdict
from tests.engine.powershell.deciding import decision, shown, words
from tests.engine.powershell.lines import REMOVALS


@pytest.mark.proves("T-24")
@pytest.mark.parametrize("rule", ["Remove-Item *", "rm *", "remove-item *"])
@pytest.mark.parametrize("line", REMOVALS)
def test_no_disguise_hides_a_denied_command(line: str, rule: str) -> None:
    assert decision(line, Mode.AUTO, deny=[rule], allow=["*"]).verdict is Verdict.DENY


@pytest.mark.parametrize(
    ("line", "full"),
    [
        ("ri x", "Remove-Item x"),
        ("RM x -r -fo", "Remove-Item x -Recurse -Force"),
        ("rm -Path:x", "Remove-Item -Path x"),
        ("rm x, y", "Remove-Item x y"),
        ("rm -zzz x", "Remove-Item -zzz x"),
        ("rm '-Recurse'", "Remove-Item -Recurse"),
        ("gci -s", "Get-ChildItem -Recurse"),
        ("gci -Rec", "Get-ChildItem -Recurse"),
        ("ChildItem src", "Get-ChildItem src"),
        (r"Microsoft.PowerShell.Management\remove-item x", "Remove-Item x"),
        (r"Some.Module\Do-It x", "Do-It x"),
        ("icm { x }", "Invoke-Command { x }"),
        ("cd..", "Set-Location .."),
        (r"cd\ ", "Set-Location \\"),
        ("D:", "Set-Location"),
        ("git.exe push", "git push"),
        (r"C:\Git\GIT.EXE push", "git push"),
        ("GIT push", "git push"),
        ("MyTool x", "MyTool x"),
        ("clear-disk -Number 0", "Clear-Disk -Number 0"),
    ],
)
def test_a_command_has_one_full_spelling(line: str, full: str) -> None:
    assert shown(canonical(words(line))) == full


def test_every_alias_is_a_spelling() -> None:
    found = {" ".join(form) for form in spellings(words("del x -r"))}

    assert {"Remove-Item x -Recurse", "rm x -Recurse", "rmdir x -r", "del x -r"} <= found


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("rm -Recurse -Force x", "Remove-Item x"),
        ("rm -fo -r x", "Remove-Item x -Force -Recurse"),
        ("rm x -fo -r", "Remove-Item -Recurse x -Force"),
        ("rm x", "Remove-Item -Path x"),
        ("rm -LiteralPath:x", "Remove-Item x"),
        ("mv -Destination b -Path a", "Move-Item a b"),
        ("git -C a push", "git push"),
    ],
)
def test_the_order_of_parameters_does_not_matter(line: str, form: str) -> None:
    assert form in {" ".join(one) for one in spellings(words(line))}


def test_a_program_named_like_an_alias_is_also_what_the_alias_means() -> None:
    found = {" ".join(form) for form in spellings(words("/bin/rm x"))}

    assert {"/bin/rm x", "rm x", "Remove-Item x"} <= found


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    "rule", [r"Remove-Item C:\temp\*", "Remove-Item C:/temp/*", r"Remove-Item C:\temp\x", r"rm 'C:\temp\x'"]
)
@pytest.mark.parametrize("line", [r"Remove-Item C:\temp\x", "rm C:/temp/x", r"del 'C:\temp/x'"])
def test_a_rule_may_divide_its_paths_either_way(line: str, rule: str) -> None:
    assert decision(line, Mode.AUTO, deny=[rule]).verdict is Verdict.DENY


@pytest.mark.parametrize("line", ["Get-ChildItem x", "rmx y", "Remove-ItemProperty x -Name y", "echo 'rm x'"])
def test_other_commands_are_not_denied(line: str) -> None:
    assert decision(line, Mode.AUTO, deny=["Remove-Item *"]).verdict is not Verdict.DENY
