"""Commands and variables are found anywhere in an expression."""

import pytest

from assent.engine.powershell.evaluate import MAX_COMMANDS, is_plain_variable
from assent.engine.powershell.language import parse_powershell
from assent.engine.powershell.syntax import TextConstant, Variable
from tests.engine.powershell.line_decisions import command_texts


@pytest.mark.parametrize(
    ("name", "own"),
    [("x", True), ("script:x", True), ("env:x", False), ("c:x", False), ("PSDefaultParameterValues", False)],
)
def test_a_plain_variable_is_recognized(name: str, own: bool) -> None:
    assert is_plain_variable(Variable(name)) is own


def test_other_targets_are_no_plain_variables() -> None:
    assert not is_plain_variable(TextConstant("x"))


def test_the_number_of_commands_is_limited() -> None:
    assert len(parse_powershell("a;" * MAX_COMMANDS).commands) == MAX_COMMANDS
    assert (
        parse_powershell("a;" * (MAX_COMMANDS + 1)).unreadable == f"holds more than {MAX_COMMANDS} commands"
    )


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    "expression",
    [
        "{} + 1",
        "1 -eq {}",
        "@(1, {})",
        "{}.Name",
        "{}[0]",
        "$x[{}]",
        "$x.({})",
        "$x.ToString({})",
        "[int]{}",
        "@{{ a = {} }}",
        "@{{ {} = 1 }}",
        "-not {}",
        "{} ? 1 : 2",
        "1 ? {} : 2",
        "1 ? 2 : {}",
        "$x ?? {}",
        "{} -and 1",
        "'a', {}",
        ", {}",
        "$x = {}",
        "$x.y = {}",
        "$x[{}] = 1",
        '"a${}"',
        "[math]::Max(1, {})",
        "$x.Where({{ {} }})",
    ],
)
def test_a_command_in_an_expression_is_found(expression: str) -> None:
    assert "rm z" in command_texts(expression.format("(rm z)"))
