"""Programs of Windows that only read."""

import pytest

from assent.engine.powershell.programs import reading
from tests.engine.powershell.deciding import shown, words


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
    found = reading(words(line))

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
    assert reading(words(line)) is None
