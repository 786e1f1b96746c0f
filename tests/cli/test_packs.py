"""`assent rules packs` and `assent rules add-pack`."""

import tomllib
from pathlib import Path

import pytest

from assent.cli.packs import (
    add_allow_rule,
    count_avoided_questions,
    describe_fitting_packs,
    remove_allow_rule,
    save_pack_rule,
    unapproved_tasks,
)
from assent.config.paths import find_config_paths
from assent.config.task_files import add_pins, fitting_packs
from tests.cli.running import CommandSandbox


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("", ["Bash(@go)"]),
        ('mode = "plan"\n', ["Bash(@go)"]),
        ('allow = ["Read"]\n', ["Bash(@go)", "Read"]),
        ("allow = [\n]\n", ["Bash(@go)"]),
        ('allow = ["Bash(@go)"]\n', ["Bash(@go)"]),
        ('[options]\n\n[[allow]]\nrule = "Read"\n', ["Bash(@go)", "Read"]),
    ],
)
def test_a_rule_is_added_once_to_every_kind_of_file(text: str, rules: list[str]) -> None:
    found = tomllib.loads(add_allow_rule(text, "Bash(@go)"))["allow"]

    assert [one if isinstance(one, str) else one["rule"] for one in found] == rules


def test_a_pack_fits_where_its_files_are(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("", "utf-8")
    (tmp_path / "Makefile").write_text("", "utf-8")

    assert fitting_packs(str(tmp_path)) == ["go", "make"]


def test_the_rule_is_saved_in_the_users_file(tmp_path: Path) -> None:
    paths = find_config_paths(str(tmp_path), {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)})

    path = save_pack_rule(paths, "go")

    assert tomllib.loads(Path(path).read_text("utf-8")) == {"allow": ["Bash(@go)"]}
    assert not Path(f"{path}.new").exists()


def test_only_a_person_at_a_terminal_turns_on_a_pack(sandbox: CommandSandbox) -> None:
    result = sandbox.run("rules", "add-pack", "go")

    assert result.status == 2
    assert not (sandbox.user / "config.toml").exists()
    assert "only a person at a terminal can turn on a pack" in result.err


def test_the_packs_are_listed(sandbox: CommandSandbox) -> None:
    result = sandbox.run("rules", "packs")

    assert result.status == 0
    assert result.out.splitlines()[0].startswith("go      build, test, lint and format Go")


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ('allow = ["Bash(@go)"]\n', []),
        ('allow = ["Bash(@go)", "Read"]\n', ["Read"]),
        ('allow = ["Read", "Bash(@go)"]\n', ["Read"]),
        ('allow = [\n  "Read",\n  "Bash(@go)",\n  "Edit",\n]\n', ["Read", "Edit"]),
        ('[[allow]]\nrule = "Bash(@go)"\nwhy = "x"\n\n[[allow]]\nrule = "Read"\n', ["Read"]),
        ('allow = ["Read"]\n', ["Read"]),
    ],
)
def test_a_rule_is_removed_from_every_kind_of_file(text: str, rules: list[str]) -> None:
    found = tomllib.loads(remove_allow_rule(text, "Bash(@go)"))["allow"]

    assert [one if isinstance(one, str) else one["rule"] for one in found] == rules


def test_a_pack_is_removed_without_a_terminal(sandbox: CommandSandbox) -> None:
    path = sandbox.user / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('allow = ["Bash(@go)", "Read"]\n', "utf-8")
    path.chmod(0o600)

    result = sandbox.run("rules", "remove-pack", "go")
    again = sandbox.run("rules", "remove-pack", "go")

    assert (result.status, again.status) == (0, 0)
    assert tomllib.loads(path.read_text("utf-8")) == {"allow": ["Read"]}
    assert "is not in" in again.out


def test_the_questions_that_a_pack_would_have_avoided_are_counted() -> None:
    assert count_avoided_questions("go", ["go test ./...", "go install x", "ls"]) == 1


def test_the_task_files_of_a_pack_are_approved_once(tmp_path: Path) -> None:
    paths = find_config_paths(str(tmp_path), {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")})
    (tmp_path / "Makefile").write_text("a:\n", "utf-8")

    first = unapproved_tasks(paths, "make")
    add_pins(paths.pins_file, first)

    assert list(first) == [str(tmp_path / "Makefile")]
    assert unapproved_tasks(paths, "make") == {}
    assert unapproved_tasks(paths, "git") == {}


def test_fitting_packs_are_offered_with_the_warning(tmp_path: Path, sandbox: CommandSandbox) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (tmp_path / "go.mod").write_text("", "utf-8")

    assert describe_fitting_packs(str(empty)) == ""
    assert "`go`; `assent rules add-pack NAME`" in describe_fitting_packs(str(tmp_path))
    assert "run code that it may just have edited, with your rights" in describe_fitting_packs(str(tmp_path))
