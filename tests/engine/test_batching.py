"""Which questions may be answered together."""

import pytest

from assent.engine.batching import batch_key
from assent.engine.irreversible_acts import irreversible
from assent.engine.model import Call
from tests.engine import given


def key(call: Call) -> str:
    snapshot = given.policy()
    tool = snapshot.tools[call.tool]
    return batch_key(call, tool, given.decided(call, snapshot), irreversible(call, tool))


@pytest.mark.proves("T-49")
def test_commands_of_one_program_and_sub_command_go_together() -> None:
    assert key(given.run("npm run a")) == key(given.run("npm run b -- c")) == "terminal.exec execute npm run"
    assert key(given.run("npm test")) == "terminal.exec execute npm test"
    assert key(given.run("make")) == "terminal.exec execute make"


@pytest.mark.proves("T-49")
def test_calls_of_one_tool_and_effect_go_together() -> None:
    assert key(given.on_path(given.SAVE_FILE, "a.txt")) == "files.save edit"


@pytest.mark.proves("T-49")
@pytest.mark.parametrize(
    "line",
    [
        "npm run a; npm run b", "timeout 5 npm run a", "A=1 npm run a", "npm run a > out.txt", "npm run $X",
        "git -C x push", "npm $X", "$X", "X=1", "git push --force", "rm -rf ~/", "npm run 'a",
        "echo a | npm run a", "echo $(npm run a)", "npm ''", "npm " + "x" * 120,
    ],
)  # fmt: skip
def test_what_is_held_for_or_of_no_one_kind_is_answered_by_itself(line: str) -> None:
    expected = "terminal.exec execute npm run" if line == "npm run $X" else ""

    assert key(given.run(line)) == expected


def test_a_call_that_destroys_or_cannot_be_read_is_answered_by_itself() -> None:
    assert key(Call(tool=given.DROP_TABLE.name, args={"table": "users"})) == ""
    assert key(Call(tool=given.SHELL.name, args={})) == ""
