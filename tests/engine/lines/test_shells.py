"""The code that shells and interpreters run, also on Windows."""

import pytest

from assent.engine.lines.command import Access, Command, Nested, Redirect
from assent.engine.lines.shells import (
    nested_in_cmd,
    nested_in_input,
    nested_in_powershell,
    nested_in_script,
    nested_in_shell,
)
from assent.engine.programs.runs import CodeInput
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.bash.spelled import to_command


def find_shell_nested(line: str) -> Nested | None:
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
    found = find_shell_nested(line)

    assert found is not None
    assert (found.texts, found.transparent, found.certain) == ((Word("ls"),), transparent, True)


def test_its_text_is_the_first_operand() -> None:
    assert find_shell_nested("bash -c 'ls a' b c") == Nested(texts=(Word("ls a"),), at=2, transparent=True)
    assert find_shell_nested("bash -c") is None
    assert find_shell_nested("bash +c ls") is None


@pytest.mark.proves("T-20")
def test_a_start_file_that_is_not_known_is_computed() -> None:
    found = find_shell_nested("bash --rcfile ${X} -c ls")

    assert found is not None
    assert (found.computed, found.texts) == (True, (Word("ls"),))
    assert find_shell_nested("bash --rcfile a -i") is None
    assert find_shell_nested("bash --rcfile /dev/fd/63 -i") == Nested(at=4, computed=True)
    assert find_shell_nested("bash --rcfile") is None


@pytest.mark.proves("T-20")
def test_an_option_with_a_hole_may_be_any_option() -> None:
    found = find_shell_nested("bash -${X} a -c ls")

    assert found == Nested(texts=(Word("ls"),), at=4, certain=False)
    assert find_shell_nested("bash --new a") is None
    assert find_shell_nested("bash --new --c") is None
    assert find_shell_nested("bash --new") is None


def test_a_file_that_this_line_lists_is_no_secret() -> None:
    listed = Command((Word("bash"), Word(UNKNOWN_MARK, listed=True)))

    assert nested_in_shell("bash", listed) is None
    assert nested_in_shell("bash", Command((Word("bash"), Word(UNKNOWN_MARK)))) == Nested(at=1, computed=True)


@pytest.mark.parametrize(
    ("line", "unknown", "found"),
    [
        ("| python a", 0, None),
        ("| python a", 1, Nested(at=2, computed=True)),
        ("| python a b", 1, None),
        ("| python a -", 1, Nested(at=2 + 1, computed=True)),
        ("python ${X}", 0, Nested(at=1, computed=True)),
        ("python a ${X}", 0, None),
    ],
)
def test_an_unknown_option_may_take_the_script_as_its_value(
    line: str, unknown: int, found: Nested | None
) -> None:
    assert nested_in_script(to_command(line), 1, reads=CodeInput.CODE, unknown=unknown) == found


def test_data_is_never_run() -> None:
    piped = to_command("| cat")._replace(redirects=(Redirect(Access.TEXT, Word("rm x")),))

    assert nested_in_input(piped, CodeInput.DATA) is None
    assert nested_in_input(piped, CodeInput.CODE) == Nested(at=1, computed=True)
    assert nested_in_input(piped, CodeInput.SHELL) == Nested(texts=(Word("rm x"),), at=1, computed=True)
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
    assert nested_in_powershell(to_command("pwsh -enc cgBt")) == Nested(at=1, computed=True)
    assert nested_in_powershell(to_command("pwsh -ec cgBt")) == Nested(at=1, computed=True)
    assert nested_in_powershell(to_command("pwsh -NoLogo")) is None
    assert nested_in_powershell(to_command("pwsh -")) is None
    assert nested_in_powershell(to_command("| pwsh -c -")) == Nested(at=3, computed=True)


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
    assert nested_in_cmd(to_command("| cmd")) == Nested(at=1, computed=True)
