"""A command shows which paths it writes and which it removes."""

import pytest

from assent.engine.modes import Mode
from assent.engine.powershell.writes import written
from tests.engine.powershell.deciding import decision, shown, stages, words


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
def test_what_a_command_changes(line: str, paths: str, removed: str) -> None:
    found = written(words(line))

    assert found is not None
    assert (shown(found.paths), shown(found.removed)) == (paths, removed)


@pytest.mark.parametrize("line", ["Remove-Item -Zzz x", "foo x", "touch ''"])
def test_what_is_not_known(line: str) -> None:
    assert written(words(line)) is None


def test_a_name_that_is_a_program_elsewhere_is_read_both_ways() -> None:
    found = written(words("mkdir -p a/b"))

    assert found is not None
    assert shown(found.paths) == "a/b"


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
    assert "protected-path" in stages(decision(line, Mode.AUTO, allow=["*"]))
