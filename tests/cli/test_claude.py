"""`assent claude` needs the program and a server, and starts nothing without them."""

from pathlib import Path

from tests.cli.running import CommandSandbox


def test_a_program_that_is_missing_is_an_error(tmp_path: Path) -> None:
    done = CommandSandbox(tmp_path).run("claude", "--program", "no-such-claude", "--", "-p", "x")

    assert done.status == 2
    assert "`no-such-claude` is not installed" in done.err


def test_without_a_server_nothing_starts(tmp_path: Path) -> None:
    done = CommandSandbox(tmp_path).run("claude", "--program", "true", "--", "-p", "x")

    assert done.status == 2
    assert "no server uses" in done.err
