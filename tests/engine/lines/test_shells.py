"""What shells, interpreters and their Windows cousins run."""

import pytest

from assent.engine.lines.command import Access, Command, Redirect
from assent.engine.lines.nested import Carried
from assent.engine.lines.shells import from_input, powershell, script, shell, windows
from assent.engine.programs.program import Input
from assent.engine.programs.word import HOLE, Word
from tests.engine.bash.spelled import command


def run(line: str) -> Carried | None:
    given = command(line)
    return shell(given.program, given)


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
    found = run(line)

    assert found is not None
    assert (found.texts, found.transparent, found.certain) == ((Word("ls"),), transparent, True)


def test_its_text_is_the_first_operand() -> None:
    assert run("bash -c 'ls a' b c") == Carried(texts=(Word("ls a"),), at=2, transparent=True)
    assert run("bash -c") is None
    assert run("bash +c ls") is None


@pytest.mark.proves("T-20")
def test_a_start_file_that_is_not_known_is_computed() -> None:
    found = run("bash --rcfile ${X} -c ls")

    assert found is not None
    assert (found.computed, found.texts) == (True, (Word("ls"),))
    assert run("bash --rcfile a -i") is None
    assert run("bash --rcfile /dev/fd/63 -i") == Carried(at=4, computed=True)
    assert run("bash --rcfile") is None


@pytest.mark.proves("T-20")
def test_an_option_with_a_hole_may_be_any_option() -> None:
    found = run("bash -${X} a -c ls")

    assert found == Carried(texts=(Word("ls"),), at=4, certain=False)
    assert run("bash --new a") is None
    assert run("bash --new --c") is None
    assert run("bash --new") is None


def test_a_file_that_this_line_lists_is_no_secret() -> None:
    listed = Command((Word("bash"), Word(HOLE, listed=True)))

    assert shell("bash", listed) is None
    assert shell("bash", Command((Word("bash"), Word(HOLE)))) == Carried(at=1, computed=True)


@pytest.mark.parametrize(
    ("line", "unknown", "found"),
    [
        ("| python a", 0, None),
        ("| python a", 1, Carried(at=2, computed=True)),
        ("| python a b", 1, None),
        ("| python a -", 1, Carried(at=2 + 1, computed=True)),
        ("python ${X}", 0, Carried(at=1, computed=True)),
        ("python a ${X}", 0, None),
    ],
)
def test_an_unknown_option_may_have_taken_the_script_for_its_value(
    line: str, unknown: int, found: Carried | None
) -> None:
    assert script(command(line), 1, reads=Input.CODE, unknown=unknown) == found


def test_data_is_never_run() -> None:
    piped = command("| cat")._replace(redirects=(Redirect(Access.TEXT, Word("rm x")),))

    assert from_input(piped, Input.DATA) is None
    assert from_input(piped, Input.CODE) == Carried(at=1, computed=True)
    assert from_input(piped, Input.SHELL) == Carried(texts=(Word("rm x"),), at=1, computed=True)
    assert from_input(command("cat"), Input.SHELL) is None


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
    found = powershell(command(line))

    assert found is not None
    assert ([one.text for one in found.texts], found.at) == ([text], at)


def test_powershell_without_text_runs_its_input() -> None:
    assert powershell(command("pwsh -enc cgBt")) == Carried(at=1, computed=True)
    assert powershell(command("pwsh -ec cgBt")) == Carried(at=1, computed=True)
    assert powershell(command("pwsh -NoLogo")) is None
    assert powershell(command("pwsh -")) is None
    assert powershell(command("| pwsh -c -")) == Carried(at=3, computed=True)


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    ("line", "texts", "at"),
    [("cmd /c rm x", ["rm x"], 2), ("cmd /crm x", ["rm x"], 2), ("cmd /s /K 'rm x'", ["rm x"], 3)],
)
def test_cmd_runs_what_follows_its_switch(line: str, texts: list[str], at: int) -> None:
    found = windows(command(line))

    assert found is not None
    assert ([one.text for one in found.texts], found.at) == (texts, at)


def test_cmd_without_a_command_runs_its_input() -> None:
    assert windows(command("cmd /c")) is None
    assert windows(command("cmd")) is None
    assert windows(command("| cmd")) == Carried(at=1, computed=True)
