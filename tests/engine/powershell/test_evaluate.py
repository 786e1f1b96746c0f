"""What an expression holds is found, wherever in it that stands."""

import pytest

from assent.engine.powershell.evaluate import MOST_COMMANDS, is_plain_variable
from assent.engine.powershell.reader import read_powershell
from assent.engine.powershell.syntax import Text, Variable
from tests.engine.powershell.deciding import read


@pytest.mark.parametrize(
    ("name", "own"),
    [("x", True), ("script:x", True), ("env:x", False), ("c:x", False), ("PSDefaultParameterValues", False)],
)
def test_a_variable_of_ones_own(name: str, own: bool) -> None:
    assert is_plain_variable(Variable(name)) is own


def test_only_variables_are_ones_own() -> None:
    assert not is_plain_variable(Text("x"))


def test_there_is_a_limit_to_what_is_collected() -> None:
    assert len(read_powershell("a;" * MOST_COMMANDS).commands) == MOST_COMMANDS
    assert (
        read_powershell("a;" * (MOST_COMMANDS + 1)).unreadable == f"holds more than {MOST_COMMANDS} commands"
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
    assert "rm z" in read(expression.format("(rm z)"))
