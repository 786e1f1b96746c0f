"""Words are bound to the same parameters as in PowerShell."""

import pytest

from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Verdict
from assent.engine.powershell import cmdlets
from assent.engine.powershell.cmdlet_table import (
    ALIASES,
    CMDLETS,
    HARMLESS_MEMBERS,
    ParameterKind,
    PipedInput,
)
from assent.engine.powershell.cmdlets import canonical_words, find_powershell_forms
from tests.engine.powershell.line_decisions import decide_line, join_words, words_of_last_command
from tests.engine.powershell.lines import REMOVALS


def bind_arguments_of_line(line: str) -> dict[str, str] | None:
    """The parameters of a command with their values."""
    typed = words_of_last_command(line)
    cmdlet = cmdlets.find_cmdlet(typed[0].text)
    assert cmdlet is not None
    given = cmdlets.bind_arguments(cmdlet, typed[1:])
    return None if given is None else {item.parameter.name: join_words(item.values) for item in given}


def test_every_parameter_is_spelled_as_the_table_wants_it() -> None:
    broken = [
        (name, spec)
        for name, entry in CMDLETS.items()
        for spec in entry.parameters.split()
        if not cmdlets.PARAMETER_SPEC.fullmatch(spec)
    ]

    assert broken == []


def test_a_cmdlet_that_reads_marks_each_parameter_that_writes() -> None:
    readers = [
        found for name, entry in CMDLETS.items() if entry.reads and (found := cmdlets.find_cmdlet(name))
    ]
    written = [
        (cmdlet.name, parameter.name)
        for cmdlet in readers
        for parameter in cmdlet.parameters.values()
        if parameter.kind.is_changed_path and parameter.harmless
    ]

    assert readers
    assert written == []


def test_a_cmdlet_that_needs_a_path_reads_it_from_its_arguments_or_from_the_pipe() -> None:
    entries = [entry for entry in CMDLETS.values() if entry.needs_path]

    assert entries
    assert all(entry.reads and entry.piped is PipedInput.PATHS for entry in entries)
    assert all(ParameterKind.READ_PATH in entry.parameters for entry in entries)


def test_members_are_listed_in_lower_case() -> None:
    assert {name.lower() for name in HARMLESS_MEMBERS} == HARMLESS_MEMBERS


def test_aliases_mean_commands() -> None:
    assert [alias for alias, name in ALIASES.items() if "-" not in name or alias != alias.lower()] == []


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ("Get-ChildItem src *.py -Recurse", {"Recurse": "", "Path": "src", "Filter": "*.py"}),
        ("gci -Path:src -File", {"Path": "src", "File": ""}),
        ("gci -ad -ErrorAction 0", {"Directory": "", "ErrorAction": "0"}),
        ("Get-Content a, b", {"Path": "a b"}),
        ("Select-String -Path a, b pattern", {"Path": "a b", "Pattern": "pattern"}),
        ("Select-String pattern a b", {"Pattern": "pattern", "Path": "b"}),
        ("rm -r:$false -- x", {"Recurse": "$false", "Path": "x"}),
        ("Write-Host a b c", {"InputObject": "c"}),
        ("Get-Content -TotalCount -1 a", {"TotalCount": "-1", "Path": "a"}),
        ("Get-Content '-Raw'", {"Path": "-Raw"}),
    ],
)
def test_each_parameter_gets_its_words(line: str, given: dict[str, str]) -> None:
    assert bind_arguments_of_line(line) == given


@pytest.mark.parametrize(
    "line",
    [
        "gci -Zzz",
        "gci a b c",
        "gci -Path",
        "gci -Filter -Recurse",
        "gci @x",
        "rm -Path: , a",
        "rm -E x",
        "gci -Path -File",
    ],
)
def test_ambiguous_arguments_are_not_bound(line: str) -> None:
    try:
        found = bind_arguments_of_line(line)
    except AssertionError:
        return  # it is not even read

    assert found is None


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("GCI", "Get-ChildItem"),
        ("get-childitem", "Get-ChildItem"),
        (r"Microsoft.PowerShell.Utility\Select-String", "Select-String"),
        (r"Other.Module\Select-String", None),
        ("./Get-ChildItem", None),
        ("Get-ChildItem.ps1", None),
        ("git", None),
        ("childitem", None),
        ("Get-Dis\u212a", None),
    ],
)
def test_a_command_is_found_by_its_own_names_only(program: str, name: str | None) -> None:
    found = cmdlets.find_cmdlet(program)

    assert (found and found.name) == name


@pytest.mark.proves("T-24")
@pytest.mark.parametrize("rule", ["Remove-Item *", "rm *", "remove-item *"])
@pytest.mark.parametrize("line", REMOVALS)
def test_no_disguise_hides_a_denied_command(line: str, rule: str) -> None:
    assert decide_line(line, Mode.AUTO, deny=[rule], allow=["*"]).verdict is Verdict.DENY


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
    assert join_words(canonical_words(words_of_last_command(line))) == full


def test_every_alias_is_a_spelling() -> None:
    found = {" ".join(form) for form in find_powershell_forms(words_of_last_command("del x -r"))}

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
    assert form in {" ".join(one) for one in find_powershell_forms(words_of_last_command(line))}


def test_a_program_with_the_name_of_an_alias_is_also_compared_as_the_cmdlet() -> None:
    found = {" ".join(form) for form in find_powershell_forms(words_of_last_command("/bin/rm x"))}

    assert {"/bin/rm x", "rm x", "Remove-Item x"} <= found


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    "rule", [r"Remove-Item C:\temp\*", "Remove-Item C:/temp/*", r"Remove-Item C:\temp\x", r"rm 'C:\temp\x'"]
)
@pytest.mark.parametrize("line", [r"Remove-Item C:\temp\x", "rm C:/temp/x", r"del 'C:\temp/x'"])
def test_a_rule_may_divide_its_paths_either_way(line: str, rule: str) -> None:
    assert decide_line(line, Mode.AUTO, deny=[rule]).verdict is Verdict.DENY


@pytest.mark.parametrize("line", ["Get-ChildItem x", "rmx y", "Remove-ItemProperty x -Name y", "echo 'rm x'"])
def test_other_commands_are_not_denied(line: str) -> None:
    assert decide_line(line, Mode.AUTO, deny=["Remove-Item *"]).verdict is not Verdict.DENY
