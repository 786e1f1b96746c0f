"""`assent config` shows the layer of every value, and only a person at a terminal can trust files."""

import json
import stat
import subprocess

import pytest

from tests.cli.running import CommandPlace


def explained_values(place: CommandPlace, **environ: str) -> dict[str, tuple[str, str, str]]:
    found = json.loads(place.run("config", "explain", "--json", **environ).out)
    return {row["name"]: (row["value"], row["layer"], row["source"]) for row in found["values"]}


def test_without_a_file_every_value_comes_from_the_shipped_policy(place: CommandPlace) -> None:
    values = explained_values(place)

    assert values["mode"] == ("default", "shipped", "")
    assert values["preset"] == ("assent", "shipped", "")
    assert values["workspace"] == (str(place.root), "found", "from the current directory")


def test_explain_names_the_layer_of_each_value(place: CommandPlace) -> None:
    user = place.write_user_file('mode = "acceptEdits"\n\n[options]\nreads_bypass_rules = true\n')
    project = place.write_file(".assent/config.toml", 'fallback = "ask"\n[tiers.clerk]\nBash = "blocked"\n')

    values = explained_values(place)
    moved = explained_values(place, ASSENT_MODE="plan")

    assert values["mode"] == ("acceptEdits", "user", f"{user}, line 1")
    assert values["reads_bypass_rules"] == ("true", "user", f"{user}, line 4")
    assert values["fallback"] == ("ask", "project", f"{project}, line 1")
    assert values["tier"] == ("clerk, Bash: blocked", "files", "")
    assert moved["mode"] == ("plan", "environment", "ASSENT_MODE")


def test_rules_are_listed_with_file_and_line(place: CommandPlace) -> None:
    user = place.write_user_file('deny = [\n  "Read(.env)",\n]\n')

    ran = place.run("config", "explain")

    assert any(line.split() == ["deny", "Read(.env)", "user", f"{user},", "line", "2"] for line in ran.lines)


@pytest.mark.proves("T-12")
def test_explain_shows_settings_that_are_held_back(place: CommandPlace) -> None:
    place.write_file(".assent/config.toml", 'allow = ["Bash"]\n')

    ran = place.run("config", "explain")

    assert ran.lines[-1] == "held back: allow Bash"
    assert json.loads(place.run("config", "explain", "--json").out)["held_back"] == ["allow Bash"]


def test_explain_fails_for_an_invalid_policy(place: CommandPlace) -> None:
    place.write_user_file("mode = ")

    assert place.run("config", "explain").status == 2


# ---- trust --------------------------------------------------------------------------------------


@pytest.mark.proves("T-5", "T-12", "T-29")
@pytest.mark.parametrize("stdin", ["", "y\ny\n"])
def test_trust_cannot_be_given_without_a_terminal(place: CommandPlace, stdin: str) -> None:
    place.write_file(".assent/config.toml", 'allow = ["Bash"]\n')

    ran = place.run("config", "trust", stdin=stdin)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "assent: only a person at a terminal can trust a repository; run this in a terminal\n"
    assert place.run("check", "Bash(make)").status == 4


@pytest.mark.proves("T-12")
def test_a_person_sees_what_a_file_would_loosen_and_confirms(place: CommandPlace) -> None:
    path = place.write_file(".assent/config.toml", 'mode = "auto"\nallow = ["Bash(make *)"]\n')

    status, shown = place.run_at_terminal("config", "trust", typed="y\n")

    assert status == 0
    assert f"{path} would loosen:" in shown
    assert "  allow Bash(make *)" in shown
    assert "  mode auto" in shown
    assert place.run("check", "Bash(make)").status == 0


@pytest.mark.proves("T-12")
def test_a_changed_file_must_be_trusted_again(place: CommandPlace) -> None:
    path = place.write_file(".assent/config.toml", 'allow = ["Bash(make *)"]\n')
    place.run_at_terminal("config", "trust", typed="y\n")
    assert place.run("check", "Bash(make)").status == 0

    path.write_text('allow = ["Bash(make *)", "Bash(curl *)"]\n')

    assert place.run("check", "Bash(make)").status == 4


@pytest.mark.parametrize("typed", ["n\n", "\n", "\x04"])
def test_any_reply_except_yes_means_no(place: CommandPlace, typed: str) -> None:
    place.write_file(".assent/config.toml", 'allow = ["Bash(make *)"]\n')

    place.run_at_terminal("config", "trust", typed=typed)

    assert place.run("check", "Bash(make)").status == 4


@pytest.mark.proves("T-32", "T-19")
def test_a_repository_is_trusted_until_its_configuration_changes(place: CommandPlace) -> None:
    subprocess.run(["git", "init", "-q", str(place.root)], check=True)
    assert place.run("check", "Bash(git status)").status == 4

    status, shown = place.run_at_terminal("config", "trust", typed="y\n")

    trust = place.home / ".local" / "share" / "assent" / "trust.json"
    assert (status, "can name programs that Git runs" in shown) == (0, True)
    assert stat.S_IMODE(trust.stat().st_mode) == 0o600
    assert place.run("check", "Bash(git status)").status == 0
    subprocess.run(["git", "-C", str(place.root), "config", "core.fsmonitor", "./evil"], check=True)
    assert place.run("check", "Bash(git status)").status == 4


@pytest.mark.proves("T-32")
def test_another_repository_inside_a_trusted_one_is_not_trusted(place: CommandPlace) -> None:
    subprocess.run(["git", "init", "-q", str(place.root)], check=True)
    place.run_at_terminal("config", "trust", typed="y\n")
    (place.root / "src").mkdir()
    assert place.run("check", "Bash(cd src && git status)").status == 0

    subprocess.run(["git", "init", "-q", "--bare", str(place.root / "src")], check=True)

    assert place.run("check", "Bash(cd src && git status)").status == 4


def test_a_file_that_only_makes_the_policy_stricter_needs_no_trust(place: CommandPlace) -> None:
    place.write_file(".assent/config.toml", 'deny = ["Bash(rm *)"]\n')

    _, shown = place.run_at_terminal("config", "trust")

    assert shown.strip() == "nothing new is trusted"


def test_trust_asks_nothing_if_everything_is_trusted(place: CommandPlace) -> None:
    status, shown = place.run_at_terminal("config", "trust")

    assert (status, shown.strip()) == (0, "nothing new is trusted")


def test_init_writes_a_commented_file_and_its_schema(place: CommandPlace) -> None:
    ran = place.run("init")

    directory = place.root / ".assent"
    text = (directory / "config.toml").read_text()
    assert (ran.status, ran.err) == (0, "")
    assert ran.lines == [
        f"wrote {directory / name}" for name in ("config.toml", "assent.schema.json", ".gitignore")
    ]
    assert text.startswith("#:schema ./assent.schema.json\n")
    assert text.endswith("# end\n")
    assert json.loads((directory / "assent.schema.json").read_text())["title"] == "Assent policy file"
    assert (directory / ".gitignore").read_text() == "config.local.toml\n"


def test_the_file_of_init_is_valid_and_changes_no_setting(place: CommandPlace) -> None:
    before = place.run("check", "Bash(make)", "--json").out
    place.run("init")

    after = place.run("check", "Bash(make)", "--json")

    assert (after.out, after.err) == (before, "")


def test_init_overwrites_an_existing_file_only_with_force(place: CommandPlace) -> None:
    path = place.write_file(".assent/config.toml", 'mode = "plan"\n')

    refused = place.run("init")
    assert (refused.status, path.read_text()) == (2, 'mode = "plan"\n')
    assert refused.err == f"assent: cannot use {path}: it exists already; `--force` overwrites it\n"

    assert place.run("init", "--force").status == 0
    assert path.read_text() != 'mode = "plan"\n'


def test_init_writes_to_the_root_of_the_repository(place: CommandPlace) -> None:
    (place.root / ".git").mkdir()
    (place.root / "deep" / "down").mkdir(parents=True)

    place.run("init", cwd=place.root / "deep" / "down")

    assert (place.root / ".assent" / "config.toml").exists()


def test_the_users_file_can_be_changed_only_by_the_user(place: CommandPlace) -> None:
    assert place.run("init", "--user").status == 0

    path = place.user / "config.toml"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert place.run("check", "Bash(ls)").status == 0
    assert not (place.root / ".assent").exists()


def test_an_unwritable_directory_is_a_clear_error(place: CommandPlace) -> None:
    place.write_file(".assent", "a file in the way")

    ran = place.run("init")

    assert ran.status == 2
    assert "cannot be written" in ran.err
