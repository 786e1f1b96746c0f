"""`./dev` lists its commands and refuses unknown ones."""

import subprocess

import pytest

from tests.contracts.tree import ROOT

DEV_COMMANDS = [
    "setup", "run", "test", "lint", "bench", "chaos", "mutate", "web", "shots", "openapi", "spec", "lock",
    "help",
]  # fmt: skip


def run_dev(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROOT / "dev", *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", DEV_COMMANDS)
def test_help_names_every_command(command: str) -> None:
    assert f"\n  {command} " in run_dev("help").stdout


def test_an_unknown_command_is_a_usage_error() -> None:
    refused = run_dev("tset")

    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "dev: there is no command `tset`; ./dev help lists them\n"


def test_dev_is_a_posix_shell_script() -> None:
    checked = subprocess.run(["sh", "-n", ROOT / "dev"], capture_output=True, text=True, check=False)

    assert (ROOT / "dev").read_text("utf-8").startswith("#!/bin/sh\n")
    assert (checked.returncode, checked.stderr) == (0, "")
