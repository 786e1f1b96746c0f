"""`assent claude` needs the program and a server, and starts nothing without them."""

import subprocess
from pathlib import Path

from tests.cli.running import ASSENT_PROGRAM, CommandSandbox
from tests.serving import environment, server


def test_a_program_that_is_missing_is_an_error(tmp_path: Path) -> None:
    done = CommandSandbox(tmp_path).run("claude", "--program", "no-such-claude", "--", "-p", "x")

    assert done.status == 2
    assert "`no-such-claude` is not installed" in done.err


def test_without_a_server_nothing_starts(tmp_path: Path) -> None:
    done = CommandSandbox(tmp_path).run("claude", "--program", "true", "--", "-p", "x")

    assert done.status == 2
    assert "no server uses" in done.err


def test_outside_of_every_workspace_it_says_how_to_register_the_directory(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    def start_in(directory: Path) -> str:
        words = [
            "claude",
            "--program",
            "true",
            "--database",
            str(running.data / "assent.db"),
            "--",
            "-p",
            "x",
        ]
        run = subprocess.run(
            [ASSENT_PROGRAM, *words],
            cwd=directory,
            env=environment(tmp_path),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
        )
        return run.stderr

    with server(tmp_path, name="assent") as running:
        told, at_home = start_in(elsewhere), start_in(tmp_path / "project")

    advice = "each read in it asks; register it: assent workspace add --agent claude"
    assert told == f"note: {elsewhere} is in no workspace, so {advice}\n"
    assert at_home == ""
