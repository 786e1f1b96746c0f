"""A call on one line of a terminal, with nothing hidden in it."""

import pytest

from assent.cli.specifier import LONGEST, shown_call
from assent.engine.model import Call, Dialect, Tool

SHELL = Tool(name="Bash", dialect=Dialect.SHELL)
TEXT = Tool(name="mail.send")


def test_a_command_is_shown_as_it_was_written() -> None:
    assert shown_call(Call(tool="Bash", args={"command": "npm pack"}), SHELL) == "Bash(npm pack)"


def test_other_arguments_are_shown_by_their_names() -> None:
    call = Call(tool="mail.send", args={"to": "ana", "lines": 3, "copies": ["ben"]})

    assert shown_call(call, TEXT) == 'mail.send(to=ana, lines=3, copies=["ben"])'


def test_a_command_with_more_arguments_shows_them_all() -> None:
    call = Call(tool="Bash", args={"command": "npm pack", "timeout": 5})

    assert shown_call(call, SHELL) == "Bash(command=npm pack, timeout=5)"


@pytest.mark.parametrize("args", [{"comand": "ls"}, {"command": None}, {"command": ["ls"]}])
def test_what_is_not_read_as_a_command_does_not_look_like_one(args: dict[str, object]) -> None:
    (name,) = args

    assert shown_call(Call(tool="Bash", args=args), SHELL).startswith(f"Bash({name}=")


def test_what_a_missing_argument_means_hides_no_other_one() -> None:
    listing = Tool(name="Glob", dialect=Dialect.PATH, template="{path=.}")

    assert shown_call(Call(tool="Glob", args={"into": "/etc"}), listing) == "Glob(into=/etc)"


def test_no_arguments_are_no_arguments() -> None:
    assert shown_call(Call(tool="mail.send", args={}), TEXT) == "mail.send()"


@pytest.mark.proves("T-10")
@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("\x1b[2J", "\\u001b[2J"),
        ("\x9b31m", "\\u009b31m"),
        ("\u202egnp", "\\u202egnp"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\u200b", "\\u200b"),
    ],
)
def test_what_is_hidden_is_spelled_out(hidden: str, shown: str) -> None:
    assert shown_call(Call(tool="Bash", args={"command": hidden}), SHELL) == f"Bash({shown})"
    assert shown_call(Call(tool="mail.send", args={hidden: [hidden]}), TEXT).isprintable()
    assert shown_call(Call(tool=hidden, args={}), TEXT) == f"{shown}()"


@pytest.mark.proves("R002-29")
def test_what_is_long_is_cut_in_its_middle_and_says_by_how_much() -> None:
    exact = shown_call(Call(tool="Bash", args={"command": "x" * LONGEST}), SHELL)
    cut = shown_call(Call(tool="Bash", args={"command": "a" * 1000 + "z" * 1000}), SHELL)

    assert exact == f"Bash({'x' * LONGEST})"
    assert cut == f"Bash({'a' * 150} … 1700 more characters … {'z' * 150})"
