"""A call is shown on one line of a terminal, without hidden characters."""

import pytest

from assent.cli.base.call_view import (
    MAX_CALL_CHARACTERS,
    call_text,
    diff_lines,
    file_change_lines,
    irreversible_lines,
)
from assent.engine.base.tool import Call, Dialect, Tool
from assent.engine.irreversible.act import IrreversibleAct
from assent.engine.programs.losses import Loss
from assent.gate.file_preview import FilePreview, FileState

SHELL_TOOL = Tool(name="Bash", dialect=Dialect.SHELL)
TEXT_TOOL = Tool(name="mail.send")


def test_a_command_is_shown_as_it_was_written() -> None:
    assert call_text(Call(tool="Bash", args={"command": "npm pack"}), SHELL_TOOL) == "Bash(npm pack)"


def test_other_arguments_are_shown_by_their_names() -> None:
    call = Call(tool="mail.send", args={"to": "ana", "lines": 3, "copies": ["ben"]})

    assert call_text(call, TEXT_TOOL) == 'mail.send(to=ana, lines=3, copies=["ben"])'


def test_a_command_with_more_arguments_shows_them_all() -> None:
    call = Call(tool="Bash", args={"command": "npm pack", "timeout": 5})

    assert call_text(call, SHELL_TOOL) == "Bash(command=npm pack, timeout=5)"


@pytest.mark.parametrize("args", [{"comand": "ls"}, {"command": None}, {"command": ["ls"]}])
def test_an_argument_that_is_not_the_command_does_not_look_like_it(args: dict[str, object]) -> None:
    (name,) = args

    assert call_text(Call(tool="Bash", args=args), SHELL_TOOL).startswith(f"Bash({name}=")


def test_a_default_argument_does_not_hide_other_arguments() -> None:
    listing = Tool(name="Glob", dialect=Dialect.PATH, template="{path=.}")

    assert call_text(Call(tool="Glob", args={"into": "/etc"}), listing) == "Glob(into=/etc)"


def test_a_call_without_arguments_has_empty_parentheses() -> None:
    assert call_text(Call(tool="mail.send", args={}), TEXT_TOOL) == "mail.send()"


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
def test_hidden_characters_are_shown_as_escapes(hidden: str, shown: str) -> None:
    assert call_text(Call(tool="Bash", args={"command": hidden}), SHELL_TOOL) == f"Bash({shown})"
    assert call_text(Call(tool="mail.send", args={hidden: [hidden]}), TEXT_TOOL).isprintable()
    assert call_text(Call(tool=hidden, args={}), TEXT_TOOL) == f"{shown}()"


@pytest.mark.proves("R002-29")
def test_a_long_call_is_shortened_in_the_middle_with_the_number_of_characters() -> None:
    exact = call_text(Call(tool="Bash", args={"command": "x" * MAX_CALL_CHARACTERS}), SHELL_TOOL)
    cut = call_text(Call(tool="Bash", args={"command": "a" * 1000 + "z" * 1000}), SHELL_TOOL)

    assert exact == f"Bash({'x' * MAX_CALL_CHARACTERS})"
    assert cut == f"Bash({'a' * 150} … 1700 more characters … {'z' * 150})"


CHANGED_FILE = FilePreview(
    path="a.txt",
    state=FileState.CHANGED,
    digest="d",
    diff="@@ -1,2 +1,2 @@\n a\n-b\n+\x1b[2Jc",
    added=1,
    removed=1,
    lines=2,
)


@pytest.mark.parametrize(
    ("file", "lines"),
    [
        (None, []),
        (CHANGED_FILE, ["a.txt: +1 -1 of 2 lines"]),
        (
            FilePreview(
                path="n.ipynb", state=FileState.CHANGED, digest="d", lines=9, within="cell 2", changes=1
            ),
            [
                "n.ipynb: +0 -0 of 9 lines in cell 2",
                "the file changed after a person looked at it: this asks again",
            ],
        ),
        (
            FilePreview(path="a.txt", state=FileState.NEW, digest="absent", added=3),
            ["a.txt: new file, 3 lines"],
        ),
        (
            FilePreview(path=".env", state=FileState.SECRET, digest="secret", why="it is secret"),
            [".env: not compared: it is secret"],
        ),
    ],
)
def test_the_summary_says_how_the_file_would_change(file: FilePreview | None, lines: list[str]) -> None:
    assert file_change_lines(file) == lines


@pytest.mark.proves("T-49")
def test_each_diff_line_shows_hidden_characters() -> None:
    assert diff_lines(CHANGED_FILE)[:3] == ["@@ -1,2 +1,2 @@", " a", "-b"]
    assert "\x1b" not in diff_lines(CHANGED_FILE)[3]
    assert diff_lines(None) == []


def test_a_warning_shows_hidden_characters() -> None:
    (line,) = irreversible_lines([IrreversibleAct(Loss.DELETES, "", "a\u202eb\x1b[31m")])

    assert line == "cannot be undone: deletes `a\\u202eb\\u001b[31m`"
