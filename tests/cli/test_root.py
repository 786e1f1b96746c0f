"""Commands are listed without importing their modules, and mistakes get helpful errors."""

import os
import signal
import subprocess
import sys

import click
import pytest

from assent import __version__
from assent.cli.root import COMMANDS, root_group
from assent.errors import AssentError
from tests.cli.running import ASSENT_PROGRAM, CommandSandbox


def test_the_version_is_that_of_the_package(sandbox: CommandSandbox) -> None:
    ran = sandbox.run("--version")

    assert (ran.status, ran.out) == (0, f"assent {__version__}\n")


@pytest.mark.parametrize("words", [("--help",), ("-h",), ()])
def test_help_lists_every_command(sandbox: CommandSandbox, words: tuple[str, ...]) -> None:
    ran = sandbox.run(*words)

    shown = ran.out + ran.err
    assert [name for name in COMMANDS if f"\n  {name} " not in shown] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_states_its_purpose(sandbox: CommandSandbox, name: str) -> None:
    ran = sandbox.run(name, "--help")

    assert ran.status == 0
    assert f"Usage: assent {name}" in ran.out


def test_the_table_of_commands_matches_the_commands() -> None:
    context = root_group.make_context("assent", ["--help"], resilient_parsing=True)

    assert [
        name for name in root_group.list_commands(context) if root_group.get_command(context, name) is None
    ] == []
    assert root_group.get_command(context, "nonsense") is None


@pytest.mark.parametrize("words", [("nonsense",), ("modes", "--nonsense"), ("rules",), ("rules", "test")])
def test_a_usage_error_is_status_2(sandbox: CommandSandbox, words: tuple[str, ...]) -> None:
    ran = sandbox.run(*words)

    assert (ran.status, ran.out) == (2, "")
    assert "Usage: assent" in ran.err


def test_a_misspelled_command_gets_a_suggestion(sandbox: CommandSandbox) -> None:
    assert sandbox.run("chek").err.endswith("assent: unknown command `chek`; did you mean `check`?\n")
    assert sandbox.run("user", "creat").err.endswith(
        "assent: unknown command `creat`; did you mean `create`?\n"
    )
    assert sandbox.run("hold").err.endswith("unknown command `hold`; `assent --help` lists the commands\n")
    assert sandbox.run("rules", "x").err.endswith(
        "unknown command `x`; `assent rules --help` lists the commands\n"
    )


@pytest.mark.parametrize("name", ["audit", "collections", "config", "db", "rules", "tiers", "token", "user"])
def test_a_group_without_a_command_lists_its_commands(sandbox: CommandSandbox, name: str) -> None:
    ran = sandbox.run(name)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == sandbox.run(name, "--help").out


def test_the_error_for_a_missing_option_value_has_no_empty_line(sandbox: CommandSandbox) -> None:
    assert sandbox.run("answer", "8c41", "deny", "--reason").err.startswith("assent: ")


def test_choices_are_listed_on_one_line(sandbox: CommandSandbox) -> None:
    ran = sandbox.run("answer", "8c41")

    assert ran.err.endswith("Choose from: once, chat, always, deny, later\n")


def test_ctrl_c_exits_with_status_130(sandbox: CommandSandbox) -> None:
    command = [ASSENT_PROGRAM, "check", "--batch", "-"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=sandbox.root,
        # A shell makes background processes and their children ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - nothing else
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b'{"tool": "x"}\n')
    process.stdin.flush()
    process.stdout.readline()

    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate()

    assert (process.returncode, said) == (130, b"")


def test_listing_the_commands_loads_none_of_them(sandbox: CommandSandbox) -> None:
    ran = sandbox.run("--help", PYTHONPROFILEIMPORTTIME="1")

    assert "assent.cli.root" in ran.err
    assert [name for name in ("doctor", "rules", "config", "init") if f"assent.cli.{name}" in ran.err] == []


def test_a_command_whose_extra_is_missing_fails_and_is_not_completed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "assent.cli.db", raising=False)
    monkeypatch.setitem(sys.modules, "assent.stores.admin.connections", None)
    monkeypatch.delattr("assent.stores.admin.maintenance", raising=False)
    completing = root_group.make_context("assent", ["--help"], resilient_parsing=True)
    calling = click.Context(root_group)

    assert root_group.get_command(completing, "db") is None
    with pytest.raises(AssentError, match=r"is not installed: pip install 'assent\[gate\]'"):
        root_group.get_command(calling, "db")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(sandbox: CommandSandbox, shell: str) -> None:
    ran = sandbox.run("completion", shell)

    assert ran.status == 0
    assert "_ASSENT_COMPLETE" in ran.out
    assert "assent" in ran.out


def test_another_shell_is_a_usage_error(sandbox: CommandSandbox) -> None:
    assert sandbox.run("completion", "tcsh").status == 2


def completed_words(sandbox: CommandSandbox, line: str) -> list[str]:
    words = line.split(" ")
    ran = sandbox.run(_ASSENT_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
    return [found.partition(",")[2] for found in ran.lines]


def test_commands_are_completed(sandbox: CommandSandbox) -> None:
    assert completed_words(sandbox, "assent co") == ["collections", "completion", "config"]
    assert completed_words(sandbox, "assent rules ") == [
        "add-pack",
        "explain",
        "packs",
        "remove-pack",
        "test",
    ]


def test_the_options_of_check_are_completed(sandbox: CommandSandbox) -> None:
    assert completed_words(sandbox, "assent check --ex") == ["--explain"]
    assert "--batch" in completed_words(sandbox, "assent check --")
