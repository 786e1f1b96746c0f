"""The code that shells and interpreters run, also on Windows."""

import pytest

from assent.engine.lines.command import Command, NestedCode, Redirect, RedirectAccess
from assent.engine.lines.shells import (
    nested_in_cmd,
    nested_in_input,
    nested_in_powershell,
    nested_in_script,
    nested_in_shell,
)
from assent.engine.programs.runs import CodeInput
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.bash.shell_words import to_command


def nested_in_shell_line(line: str) -> NestedCode | None:
    given = to_command(line)
    return nested_in_shell(given.program, given)


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    ("line", "transparent"),
    [
        ("bash -c ls", True),
        ("bash -lc ls", True),
        ("sh -c ls", True),
        ("dash -c ls", True),
        ("bash -c ls name", True),
        ("zsh -c ls", False),
        ("bash -ic ls", False),
        ("bash -cl ls", False),
        ("bash -c -e ls", False),
        ("bash -e -c ls", False),
        ("bash -c -- ls", False),
        ("bash --norc -c ls", False),
        ("bash +c -c ls", False),
    ],
)
def test_only_a_shell_that_just_gets_its_text_is_transparent(line: str, transparent: bool) -> None:
    found = nested_in_shell_line(line)

    assert found is not None
    assert (found.texts, found.transparent, found.certain) == ((Word("ls"),), transparent, True)


def test_the_shell_text_is_the_first_operand() -> None:
    assert nested_in_shell_line("bash -c 'ls a' b c") == NestedCode(
        texts=(Word("ls a"),), at=2, transparent=True
    )
    assert nested_in_shell_line("bash -c") is None
    assert nested_in_shell_line("bash +c ls") is None


@pytest.mark.proves("T-20")
def test_a_start_file_that_is_not_known_is_computed() -> None:
    found = nested_in_shell_line("bash --rcfile ${X} -c ls")

    assert found is not None
    assert (found.computed, found.texts) == (True, (Word("ls"),))
    assert nested_in_shell_line("bash --rcfile a -i") is None
    assert nested_in_shell_line("bash --rcfile /dev/fd/63 -i") == NestedCode(at=4, computed=True)
    assert nested_in_shell_line("bash --rcfile") is None


@pytest.mark.proves("T-20")
def test_an_option_with_an_unknown_piece_may_be_any_option() -> None:
    found = nested_in_shell_line("bash -${X} a -c ls")

    assert found == NestedCode(texts=(Word("ls"),), at=4, certain=False)
    assert nested_in_shell_line("bash --new a") is None
    assert nested_in_shell_line("bash --new --c") is None
    assert nested_in_shell_line("bash --new") is None


def test_a_file_that_this_line_lists_is_no_secret() -> None:
    listed = Command((Word("bash"), Word(UNKNOWN_MARK, listed=True)))

    assert nested_in_shell("bash", listed) is None
    assert nested_in_shell("bash", Command((Word("bash"), Word(UNKNOWN_MARK)))) == NestedCode(
        at=1, computed=True
    )


@pytest.mark.parametrize(
    ("line", "unknown", "found"),
    [
        ("| python a", 0, None),
        ("| python a", 1, NestedCode(at=2, computed=True)),
        ("| python a b", 1, None),
        ("| python a -", 1, NestedCode(at=2 + 1, computed=True)),
        ("python ${X}", 0, NestedCode(at=1, computed=True)),
        ("python a ${X}", 0, None),
    ],
)
def test_an_unknown_option_may_take_the_script_as_its_value(
    line: str, unknown: int, found: NestedCode | None
) -> None:
    assert nested_in_script(to_command(line), 1, reads=CodeInput.CODE, unknown=unknown) == found


def test_data_is_never_run() -> None:
    piped = to_command("| cat")._replace(redirects=(Redirect(RedirectAccess.TEXT, Word("rm x")),))

    assert nested_in_input(piped, CodeInput.DATA) is None
    assert nested_in_input(piped, CodeInput.CODE) == NestedCode(at=1, computed=True)
    assert nested_in_input(piped, CodeInput.SHELL) == NestedCode(texts=(Word("rm x"),), at=1, computed=True)
    assert nested_in_input(to_command("cat"), CodeInput.SHELL) is None


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    ("line", "text", "at"),
    [
        ("pwsh -c 'rm x'", "rm x", 2),
        ("pwsh -Command rm x", "rm x", 2),
        ("pwsh -NoLogo -COMMAND rm x", "rm x", 3),
        ("pwsh -ep Bypass -comm rm x", "rm x", 4),
        ("powershell /c rm x", "rm x", 2),
        ("powershell rm x", "rm x", 1),
        ("pwsh a.ps1", "a.ps1", 1),
    ],
)
def test_powershell_takes_its_text_in_many_spellings(line: str, text: str, at: int) -> None:
    found = nested_in_powershell(to_command(line))

    assert found is not None
    assert ([one.text for one in found.texts], found.at) == ([text], at)


def test_powershell_without_text_runs_its_input() -> None:
    assert nested_in_powershell(to_command("pwsh -enc cgBt")) == NestedCode(at=1, computed=True)
    assert nested_in_powershell(to_command("pwsh -ec cgBt")) == NestedCode(at=1, computed=True)
    assert nested_in_powershell(to_command("pwsh -NoLogo")) is None
    assert nested_in_powershell(to_command("pwsh -")) is None
    assert nested_in_powershell(to_command("| pwsh -c -")) == NestedCode(at=3, computed=True)


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    ("line", "texts", "at"),
    [("cmd /c rm x", ["rm x"], 2), ("cmd /crm x", ["rm x"], 2), ("cmd /s /K 'rm x'", ["rm x"], 3)],
)
def test_cmd_runs_the_words_after_its_switch(line: str, texts: list[str], at: int) -> None:
    found = nested_in_cmd(to_command(line))

    assert found is not None
    assert ([one.text for one in found.texts], found.at) == (texts, at)


def test_cmd_without_a_command_runs_its_input() -> None:
    assert nested_in_cmd(to_command("cmd /c")) is None
    assert nested_in_cmd(to_command("cmd")) is None
    assert nested_in_cmd(to_command("| cmd")) == NestedCode(at=1, computed=True)
