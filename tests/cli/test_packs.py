"""`assent rules packs` and `assent rules add-pack`."""

import tomllib
from pathlib import Path

import pytest

from assent.cli.packs import add_allow_rule, fitting_packs, save_pack_rule
from assent.config.paths import find_config_paths
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
