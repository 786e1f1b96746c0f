"""Written words are bound to the parameters that PowerShell would bind them to."""

import pytest

from assent.engine.powershell import cmdlets
from assent.engine.powershell.aliases import ALIASES
from assent.engine.powershell.changers import CHANGERS
from assent.engine.powershell.readers import MEMBERS, PATH_READERS, READERS
from tests.engine.powershell.deciding import shown, words


def bound(line: str) -> dict[str, str] | None:
    """The parameters of a command with their values."""
    typed = words(line)
    cmdlet = cmdlets.find(typed[0].text)
    assert cmdlet is not None
    given = cmdlets.bind(cmdlet, typed[1:])
    return None if given is None else {item.parameter.name: shown(item.values) for item in given}


@pytest.mark.parametrize("table", [READERS, CHANGERS])
def test_every_parameter_is_spelled_as_the_table_wants_it(table: dict[str, str]) -> None:
    broken = [
        (name, spec)
        for name, specs in table.items()
        for spec in specs.split()
        if not cmdlets.SPEC.fullmatch(spec)
    ]

    assert broken == []


def test_nothing_both_reads_and_changes() -> None:
    assert set(READERS).isdisjoint(CHANGERS)
    assert set(READERS) >= PATH_READERS
    assert {name.lower() for name in MEMBERS} == MEMBERS


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
    assert bound(line) == given


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
def test_what_is_not_clear_is_not_bound(line: str) -> None:
    try:
        found = bound(line)
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
    found = cmdlets.find(program)

    assert (found and found.name) == name
