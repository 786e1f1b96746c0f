"""Irreversible commands of PowerShell itself."""

import pytest

from tests.engine.irreversible.act_tuples import ActTuple, irreversible_acts_of_powershell


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Remove-Item -Recurse src", ("removes-files", "", "src")),
        ("rm src -r", ("removes-files", "", "src")),
        ("del notes.txt, plan.txt", ("removes-files", "", "notes.txt plan.txt")),
        ("Clear-Content notes.txt", ("empties", "file", "notes.txt")),
        ("Remove-AzResourceGroup -Name prod -Force", ("deletes", "azresourcegroup", "prod")),
        ("Remove-ADUser ana", ("deletes", "aduser", "ana")),
        ("Format-Volume -DriveLetter D", ("erases", "", "D")),
        ("Publish-Module -Name Tidy", ("publishes", "", "Tidy")),
        ("Invoke-Sqlcmd -Query 'DROP TABLE users'", ("deletes", "table", "users")),
        (
            "Invoke-RestMethod -Method Delete -Uri https://a.example/x",
            ("deletes", "resource", "https://a.example/x"),
        ),
        ("git push --force", ("overwrites-remote", "", "")),
        ("kubectl delete ns prod", ("deletes", "namespace", "prod")),
    ],
)
@pytest.mark.proves("T-49")
def test_an_irreversible_cmdlet_is_found(line: str, told: ActTuple) -> None:
    assert irreversible_acts_of_powershell(line) == [told]


@pytest.mark.parametrize(
    "line",
    [
        "Remove-Item src -WhatIf", r"Remove-Item .\build -Recurse", "Remove-Variable x", "Get-ChildItem",
        "Invoke-RestMethod https://a.example/x", "$x = 1",
    ],
)  # fmt: skip
def test_a_reversible_cmdlet_is_not_found(line: str) -> None:
    assert irreversible_acts_of_powershell(line) == []
