"""A rule that names a tool nobody declared is reported, with the name that was probably meant."""

import pytest

from assent.gate.unknown_tools import is_declared, unknown_tool_message, unknown_tool_warnings

KNOWN = ("Bash", "Read", "mail.send", "mcp__arch__send_message")


@pytest.mark.parametrize(
    ("tool", "declared"),
    [
        ("Bash", True),
        ("bash", False),
        ("mail.*", True),
        ("mcp__x__y", True),
        ("mail.sent", False),
        ("", False),
    ],
)
def test_a_tool_is_declared_by_its_own_name(tool: str, declared: bool) -> None:
    assert is_declared(tool, KNOWN) is declared


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("Bsh", "no tool is called `Bsh`; did you mean `Bash`?"),
        ("mail.sent", "no tool is called `mail.sent`; did you mean `mail.send`?"),
        ("frobnicate", "no tool is called `frobnicate`"),
        ("arch__send_message", "no tool is called `arch__send_message`"),
    ],
)
def test_it_says_what_was_meant_and_never_a_word_of_a_preset(tool: str, said: str) -> None:
    assert unknown_tool_message(tool, KNOWN) == said


def test_each_rule_is_reported_once_and_one_that_cannot_be_read_is_not() -> None:
    texts = ["Bsh(ls *)", "Bash(ls)", "Bsh(ls *)", "Bash(", "mcp__x__y"]

    assert unknown_tool_warnings(texts, KNOWN) == [
        "rule `Bsh(ls *)`: no tool is called `Bsh`; did you mean `Bash`?"
    ]
