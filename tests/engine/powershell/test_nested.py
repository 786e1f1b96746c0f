"""A command shows what it would run in addition to itself."""

import pytest

from assent.engine.lines.command import Command, NestedCode
from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Verdict
from assent.engine.powershell.nested import find_nested, join_words_to_line, parse_cmd_line
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.powershell.line_decisions import decide_line, join_words, parse_commands


def nested_commands(line: str) -> list[str] | None:
    """The nested commands of the last command of a line."""
    found = find_nested(max(parse_commands(line), key=lambda command: (command.span[1], -command.span[0])))
    return None if found is None else [*map(join_words, found.commands), *(text.text for text in found.texts)]


@pytest.mark.parametrize(
    ("line", "inner"),
    [
        ("iex 'a b'", ["a b"]),
        ("Invoke-Expression -Command 'a b'", ["a b"]),
        ("'a b' | iex", ["a b"]),
        ("Start-Process a b", ["a b"]),
        ("start a -ArgumentList 'b', 'c d'", ["a b c d"]),
        ("saps a '\"b c\" d'", ["a b c d"]),
        ("Set-Alias x rm", ["rm"]),
        ("Invoke-Item x.bat", ["x.bat"]),
        ("pwsh -c 'a; b'", ["a; b"]),
        ("pwsh -c a b", ["a b"]),
        ("pwsh -NoProfile -ExecutionPolicy Bypass -Command { a; b }", [" a; b "]),
        ("powershell.exe /Command 'a'", ["a"]),
        ("pwsh -e cgBtACAAeAA=", ["rm x"]),
        ("pwsh -EncodedCommand cgBtACAAeAA", ["rm x"]),
        ("powershell 'a b'", ["a b"]),
        ("'a' | pwsh -", ["a"]),
        ("'a' | pwsh -c -", ["a"]),
        ("'a' | pwsh", ["a"]),
        ("cmd /c del x", ["del x"]),
        ("cmd.exe /s /k \"del 'x y' & dir\"", ["del 'x y'", "dir"]),
        ("cmd /cdir", ["dir"]),
        ("bash -c 'a; b'", ["a", "b"]),
        ("sudo a b", ["a b"]),
        ("wsl a b", ["a b"]),
        ("ls *.txt | rm -Force", ["rm -Force -Path ./*.txt"]),
        ("'a', 'b' | Get-Content", ["Get-Content -Path a , b"]),
    ],
)
def test_a_command_shows_the_commands_that_it_runs(line: str, inner: list[str]) -> None:
    assert nested_commands(line) == inner


@pytest.mark.parametrize(
    "line",
    [
        "ls",
        "git status",
        "pwsh",
        "pwsh -NoLogo",
        "pwsh -File x.ps1",
        "cmd",
        "cmd /d",
        "Set-Alias x",
        "ls | rm x",
        "ls | Get-Date",
        "Invoke-CimMethod -ClassName x",
        "Get-Content x",
    ],
)
def test_a_command_may_run_only_itself(line: str) -> None:
    assert nested_commands(line) is None


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    "line",
    [
        "iex",
        "iex $x",
        "ls | iex",
        "iex -Foo",
        "Start-Process",
        "Start-Process $x",
        "start -Foo x",
        "Set-Alias x $y",
        "pwsh -c",
        "pwsh -c $x",
        "pwsh -e $x",
        "pwsh -e '!!'",
        "pwsh -e 'AADY'",
        "pwsh -e",
        "ls | pwsh -",
        "ls | pwsh",
        "ls | pwsh -c -",
        "pwsh -zzz x",
        "ls | cmd",
        "cmd /c '(x)'",
        "cmd /c 'x > y'",
        "cmd /c ' '",
        "cmd /c $x",
        "bash -c $x",
        "bash -c 'a > b'",
        "bash -c 'a \"'",
        "ls | bash",
        "Invoke-CimMethod -ClassName Win32_Process -MethodName Create",
        "Invoke-WmiMethod -Class $x",
    ],
)
def test_unknown_code_asks_in_every_mode(line: str) -> None:
    found = decide_line(line, Mode.AUTO, allow=["*"])

    assert found.verdict is Verdict.ASK
    assert "unreadable" in {step.stage.value for step in found.steps}


def test_another_powershell_that_only_reads_is_itself_a_reader() -> None:
    assert decide_line("pwsh -NoProfile -Command 'Get-ChildItem'").verdict is Verdict.RUN
    assert decide_line("pwsh -NoProfile -Command 'Remove-Item x'").verdict is Verdict.ASK
    assert decide_line("pwsh -WorkingDirectory / -Command 'Get-ChildItem'").verdict is Verdict.ASK
    assert decide_line("powershell 'Get-ChildItem'").verdict is Verdict.ASK


def test_text_that_runs_in_this_session_never_only_reads() -> None:
    assert decide_line("iex 'cd /etc'; Get-Content passwd").verdict is Verdict.ASK
    assert decide_line("iex 'Get-ChildItem'").verdict is Verdict.ASK


def test_starting_as_another_user_is_marked() -> None:
    found = find_nested(Command((Word("Start-Process"), Word("a"), Word("-Verb"), Word("RunAs"))))

    assert found == NestedCode(((Word("a"),),), at=1, privilege=True)


def test_a_computed_program_is_marked() -> None:
    found = find_nested(Command((Word("Invoke-Item"), Word(UNKNOWN_MARK))))

    assert found == NestedCode(((Word(UNKNOWN_MARK),),), at=1, computed=True)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("dir", ["dir"]),
        ("dir & del x", ["dir", "del x"]),
        ("dir && del x || ver", ["dir", "del x", "ver"]),
        ("dir | more", ["dir", "more"]),
        ('del "a & b"', ["del a & b"]),
        ("d^el x^&y", ["del x&y"]),
        ("del/s/q C:\\", ["del /s /q C:\\"]),
        ("@del x,y;z", ["del x y z"]),
        ("rd %SystemRoot% %x%", ["rd C:\\Windows □"]),
        ("rd %USERPROFILE%\\x", ["rd ~\\x"]),
        ("a\nb", ["a", "b"]),
        ('"a b" c', ["a b c"]),
        ("@", ["□"]),
    ],
)
def test_a_line_of_cmd_is_split_into_commands(line: str, found: list[str]) -> None:
    read = parse_cmd_line(line)

    assert [join_words(command) for command in read.commands] == found
    assert read.complete


@pytest.mark.parametrize("line", ["a > b", "a < b", "(a)", "for %i in (1) do x", "", " ", 'a "b'])
def test_a_line_of_cmd_with_blocks_is_incomplete(line: str) -> None:
    assert not parse_cmd_line(line).complete


def test_words_are_joined_to_a_line() -> None:
    assert join_words_to_line((Word("a & b"),)) == "a & b"
    assert join_words_to_line((Word("del"), Word("a b"), Word('"c d"'))) == 'del "a b" "c d"'
