"""What commands of PowerShell take from the pipe."""

import pytest

from assent.engine.powershell.language import takes
from assent.engine.powershell.reader import read_powershell
from assent.engine.programs.program import InputUse
from assent.engine.suggestions import Width, suggestions
from tests.engine import given


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("iex", InputUse.INSTRUCTIONS),
        ("Invoke-Command", InputUse.INSTRUCTIONS),
        ("Get-Content x", InputUse.DATA),
        ("Out-File x", InputUse.DATA),
        ("Out-File", InputUse.UNKNOWN),
        ("Set-Clipboard", InputUse.DATA),
        ("Remove-Item", InputUse.UNKNOWN),
        ("powershell -", InputUse.INSTRUCTIONS),
        ("pwsh -Command -", InputUse.INSTRUCTIONS),
        ("pwsh -File x.ps1", InputUse.DATA),
        ("cmd", InputUse.INSTRUCTIONS),
        ("cmd /c dir", InputUse.DATA),
        ("python -", InputUse.INSTRUCTIONS),
        ("python.exe x.py", InputUse.DATA),
        ("psql", InputUse.INSTRUCTIONS),
        ("npm test", InputUse.DATA),
    ],
)
def test_a_command_takes_the_pipe_by_its_words(line: str, expected: InputUse) -> None:
    assert takes(read_powershell(line).commands[-1]) is expected


@pytest.mark.proves("T-44")
@pytest.mark.parametrize(
    "words", ["python -", "node", "powershell -", "psql", "bash", "Remove-Item", "xargs rm"]
)
def test_a_rule_for_the_words_covers_nothing_that_is_piped_to_them(words: str) -> None:
    policy = given.policy(allow=[f"pwsh.exec({words})"])
    for line in (f"'a' | {words}", f"@'\na\n'@ | {words}", f"Get-Content x | {words}"):
        call = given.Call(tool="pwsh.exec", args={"command": line})

        assert given.decided(call, policy).verdict.word == "ask"
        offered = suggestions(call, policy, given.facts(call, policy))
        assert Width.EXACT not in [one.width for one in offered]
