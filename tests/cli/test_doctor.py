"""`assent doctor` checks everything that Assent needs, and gives advice."""

import json
import re
import tomllib
from importlib.metadata import packages_distributions

import pytest

from assent.cli.doctor import EXTRA_MODULES
from assent.stores.migrations import HEAD
from tests.cli.questions import ask_questions
from tests.cli.running import Command, CommandSandbox
from tests.contracts.tree import ROOT


def doctor_findings(sandbox: CommandSandbox) -> dict[str, str]:
    return {found["what"]: found["state"] for found in json.loads(sandbox.run("doctor", "--json").out)}


def test_a_new_directory_has_no_failures(sandbox: CommandSandbox) -> None:
    ran = sandbox.run("doctor")

    assert (ran.status, ran.err) == (0, "")
    assert doctor_findings(sandbox)["the engine can parse shell lines"] == "ok"
    assert doctor_findings(sandbox)["no policy file: the shipped policy is used"] == "note"
    assert "`assent init` writes one" in ran.out


@pytest.mark.proves("R-13")
def test_a_broken_policy_fails_with_its_reason(sandbox: CommandSandbox) -> None:
    path = sandbox.write_user_file("mode = ")

    ran = sandbox.run("doctor")

    assert ran.status == 1
    assert f"fail  policy: cannot use {path}, line 1: invalid value" in ran.out


@pytest.mark.proves("T-19")
def test_a_policy_that_other_users_can_write_fails_with_advice(sandbox: CommandSandbox) -> None:
    path = sandbox.write_user_file('mode = "plan"\n', mode=0o666)

    ran = sandbox.run("doctor")

    assert ran.status == 1
    assert f"run `chmod go-w {path}`" in ran.out


def test_an_untrusted_repository_is_a_note(sandbox: CommandSandbox) -> None:
    sandbox.write_file(".assent/config.toml", 'allow = ["Bash"]\n')

    ran = sandbox.run("doctor")

    assert ran.status == 0
    assert (
        "note  policy: mode default, preset assent, 0 rule(s); the repository's own files are not trusted"
        in ran.out
    )
    assert "`assent config trust` shows what they would loosen" in ran.out


def test_an_invalid_trust_file_is_a_failure(sandbox: CommandSandbox) -> None:
    directory = sandbox.home / ".local" / "share" / "assent"
    directory.mkdir(parents=True, mode=0o700)
    (directory / "trust.json").write_text("{")

    ran = sandbox.run("doctor")

    assert ran.status == 1
    assert "remove it to trust nothing" in ran.out


def test_a_missing_database_is_no_failure(sandbox: CommandSandbox, command: Command) -> None:
    ran = command("doctor")

    assert f"ok    database {sandbox.home}/.local/share/assent/assent.db does not exist yet" in ran.out
    assert ran.status == 0


async def test_the_database_of_the_commands_is_checked(sandbox: CommandSandbox, command: Command) -> None:
    await ask_questions(sandbox, ["npm pack"])

    assert f"ok    database assent.db: schema {HEAD}, 1 open question(s)" in command("doctor").out


async def test_a_database_that_other_users_can_read_is_a_note(
    sandbox: CommandSandbox, command: Command
) -> None:
    await ask_questions(sandbox, [])
    (sandbox.root / "assent.db").chmod(0o644)

    ran = command("doctor")

    assert "note  other users may read assent.db\n      run `chmod 600 assent.db`" in ran.out
    assert ran.status == 0


def test_an_unreachable_server_fails_without_showing_its_password(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSENT_DATABASE", "postgresql://ana:hunter2@127.0.0.1:1/assent")

    ran = command("doctor")

    assert ran.status == 1
    assert "fail  database: cannot use postgresql://ana:***@127.0.0.1:1/assent: the server" in ran.out
    assert "hunter2" not in ran.out


def test_a_file_that_is_not_a_database_fails(sandbox: CommandSandbox, command: Command) -> None:
    sandbox.write_file("assent.db", "dear diary").chmod(0o600)

    assert "fail  database: cannot use assent.db: it is not an SQLite database" in command("doctor").out


def required_distributions(extra: str, extras: dict[str, list[str]]) -> set[str]:
    """The distributions that an extra requires, also through other extras of Assent."""
    found: set[str] = set()
    for text in extras[extra]:
        if included := re.fullmatch(r"assent\[(.+)\]", text):
            found |= {
                name for other in included[1].split(",") for name in required_distributions(other, extras)
            }
        else:
            found.add(re.split(r"[\[>=]", text)[0].replace("-", "_"))
    return found


def test_each_extra_is_found_by_modules_that_it_installs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    required = {extra: required_distributions(extra, extras) for extra in extras}
    distributions = packages_distributions()

    for extra, modules in EXTRA_MODULES.items():
        for module in modules:
            names = {name.lower().replace("-", "_") for name in distributions[module]}
            assert names & {*required[extra], "pydantic_ai_slim", "opentelemetry_api"}, (extra, module)
