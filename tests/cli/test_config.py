"""`assent config` shows the layer of every value, and only a person at a terminal can trust files."""

import json
import stat
import subprocess

import pytest

from tests.cli.running import CommandSandbox


def explained_values(sandbox: CommandSandbox, **environ: str) -> dict[str, tuple[str, str, str]]:
    found = json.loads(sandbox.run("config", "explain", "--json", **environ).out)
    return {row["name"]: (row["value"], row["layer"], row["source"]) for row in found["values"]}


def test_without_a_file_every_value_comes_from_the_shipped_policy(sandbox: CommandSandbox) -> None:
    values = explained_values(sandbox)

    assert values["mode"] == ("default", "shipped", "")
    assert values["preset"] == ("assent", "shipped", "")
    assert values["workspace"] == (str(sandbox.root), "found", "from the current directory")


def test_explain_names_the_layer_of_each_value(sandbox: CommandSandbox) -> None:
    user = sandbox.write_user_file('mode = "acceptEdits"\n\n[options]\nreads_bypass_rules = true\n')
    project = sandbox.write_file(".assent/config.toml", 'fallback = "ask"\n[tiers.clerk]\nBash = "blocked"\n')

    values = explained_values(sandbox)
    moved = explained_values(sandbox, ASSENT_MODE="plan")

    assert values["mode"] == ("acceptEdits", "user", f"{user}, line 1")
    assert values["reads_bypass_rules"] == ("true", "user", f"{user}, line 4")
    assert values["fallback"] == ("ask", "project", f"{project}, line 1")
    assert values["tier"] == ("clerk, Bash: blocked", "files", "")
    assert moved["mode"] == ("plan", "environment", "ASSENT_MODE")


def test_rules_are_listed_with_file_and_line(sandbox: CommandSandbox) -> None:
    user = sandbox.write_user_file('deny = [\n  "Read(.env)",\n]\n')

    ran = sandbox.run("config", "explain")

    assert any(line.split() == ["deny", "Read(.env)", "user", f"{user},", "line", "2"] for line in ran.lines)


@pytest.mark.proves("T-12")
def test_explain_shows_settings_that_are_held_back(sandbox: CommandSandbox) -> None:
    sandbox.write_file(".assent/config.toml", 'allow = ["Bash"]\n')

    ran = sandbox.run("config", "explain")

    assert ran.lines[-1] == "held back: allow Bash"
    assert json.loads(sandbox.run("config", "explain", "--json").out)["held_back"] == ["allow Bash"]


def test_explain_fails_for_an_invalid_policy(sandbox: CommandSandbox) -> None:
    sandbox.write_user_file("mode = ")

    assert sandbox.run("config", "explain").status == 2


# ---- trust --------------------------------------------------------------------------------------


@pytest.mark.proves("T-5", "T-12", "T-29")
@pytest.mark.parametrize("stdin", ["", "y\ny\n"])
def test_trust_cannot_be_given_without_a_terminal(sandbox: CommandSandbox, stdin: str) -> None:
    sandbox.write_file(".assent/config.toml", 'allow = ["Bash"]\n')

    ran = sandbox.run("config", "trust", stdin=stdin)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "assent: only a person at a terminal can trust a repository; run this in a terminal\n"
    assert sandbox.run("check", "Bash(make)").status == 4


@pytest.mark.proves("T-12")
def test_a_person_sees_what_a_file_would_loosen_and_confirms(sandbox: CommandSandbox) -> None:
    path = sandbox.write_file(".assent/config.toml", 'mode = "auto"\nallow = ["Bash(make *)"]\n')

    status, shown = sandbox.run_at_terminal("config", "trust", typed="y\n")

    assert status == 0
    assert f"{path} would loosen:" in shown
    assert "  allow Bash(make *)" in shown
    assert "  mode auto" in shown
    assert sandbox.run("check", "Bash(make)").status == 0


@pytest.mark.proves("T-12")
def test_a_changed_file_must_be_trusted_again(sandbox: CommandSandbox) -> None:
    path = sandbox.write_file(".assent/config.toml", 'allow = ["Bash(make *)"]\n')
    sandbox.run_at_terminal("config", "trust", typed="y\n")
    assert sandbox.run("check", "Bash(make)").status == 0

    path.write_text('allow = ["Bash(make *)", "Bash(curl *)"]\n')

    assert sandbox.run("check", "Bash(make)").status == 4


@pytest.mark.parametrize("typed", ["n\n", "\n", "\x04"])
def test_any_reply_except_yes_means_no(sandbox: CommandSandbox, typed: str) -> None:
    sandbox.write_file(".assent/config.toml", 'allow = ["Bash(make *)"]\n')

    sandbox.run_at_terminal("config", "trust", typed=typed)

    assert sandbox.run("check", "Bash(make)").status == 4


@pytest.mark.proves("T-32", "T-19")
def test_a_repository_is_trusted_until_its_configuration_changes(sandbox: CommandSandbox) -> None:
    subprocess.run(["git", "init", "-q", str(sandbox.root)], check=True)
    subprocess.run(["git", "-C", str(sandbox.root), "config", "core.fsmonitor", "./good"], check=True)
    assert sandbox.run("check", "Bash(git status)").status == 4

    status, shown = sandbox.run_at_terminal("config", "trust", typed="y\n")

    trust = sandbox.home / ".local" / "share" / "assent" / "trust.json"
    assert (status, "can name programs that Git runs" in shown) == (0, True)
    assert stat.S_IMODE(trust.stat().st_mode) == 0o600
    assert sandbox.run("check", "Bash(git status)").status == 0
    subprocess.run(["git", "-C", str(sandbox.root), "config", "core.fsmonitor", "./evil"], check=True)
    assert sandbox.run("check", "Bash(git status)").status == 4


@pytest.mark.proves("T-32")
def test_another_repository_inside_a_trusted_one_is_not_trusted(sandbox: CommandSandbox) -> None:
    subprocess.run(["git", "init", "-q", str(sandbox.root)], check=True)
    sandbox.run_at_terminal("config", "trust", typed="y\n")
    (sandbox.root / "src").mkdir()
    assert sandbox.run("check", "Bash(cd src && git status)").status == 0

    subprocess.run(["git", "init", "-q", "--bare", str(sandbox.root / "src")], check=True)
    subprocess.run(["git", "-C", str(sandbox.root / "src"), "config", "core.pager", "./x"], check=True)

    assert sandbox.run("check", "Bash(cd src && git status)").status == 4


@pytest.mark.supports("T-32")
def test_a_file_that_names_code_is_trusted_until_its_content_changes(sandbox: CommandSandbox) -> None:
    subprocess.run(["git", "init", "-q", str(sandbox.root)], check=True)
    settings = sandbox.root / ".yarnrc.yml"
    settings.write_text("yarnPath: ./a.js\n", "utf-8")

    assert sandbox.run("check", "Bash(yarn --version)").status == 4
    sandbox.run_at_terminal("config", "trust", typed="y\nn\n")
    # Trust in the repository is trust in the settings of Git, not in those of other programs.
    assert sandbox.run("check", "Bash(yarn --version)").status == 4
    status, shown = sandbox.run_at_terminal("config", "trust", typed="y\n")
    assert status == 0
    assert ".yarnrc.yml can make programs run code: it contains `yarnPath`." in shown
    assert sandbox.run("check", "Bash(yarn --version)").status == 0
    settings.write_text("yarnPath: ./b.js\n", "utf-8")
    assert sandbox.run("check", "Bash(yarn --version)").status == 4


def test_a_file_that_only_makes_the_policy_stricter_needs_no_trust(sandbox: CommandSandbox) -> None:
    sandbox.write_file(".assent/config.toml", 'deny = ["Bash(rm *)"]\n')

    _, shown = sandbox.run_at_terminal("config", "trust")

    assert shown.strip() == "nothing new is trusted"


def test_trust_asks_nothing_if_everything_is_trusted(sandbox: CommandSandbox) -> None:
    status, shown = sandbox.run_at_terminal("config", "trust")

    assert (status, shown.strip()) == (0, "nothing new is trusted")


def test_init_writes_a_commented_file_and_its_schema(sandbox: CommandSandbox) -> None:
    ran = sandbox.run("init")

    directory = sandbox.root / ".assent"
    text = (directory / "config.toml").read_text()
    assert (ran.status, ran.err) == (0, "")
    assert ran.lines == [
        f"wrote {directory / name}" for name in ("config.toml", "assent.schema.json", ".gitignore")
    ]
    assert text.startswith("#:schema ./assent.schema.json\n")
    assert text.endswith("# end\n")
    assert json.loads((directory / "assent.schema.json").read_text())["title"] == "Assent policy file"
    assert (directory / ".gitignore").read_text() == "config.local.toml\n"


def test_the_file_of_init_is_valid_and_changes_no_setting(sandbox: CommandSandbox) -> None:
    before = sandbox.run("check", "Bash(make)", "--json").out
    sandbox.run("init")

    after = sandbox.run("check", "Bash(make)", "--json")

    assert (after.out, after.err) == (before, "")


def test_init_overwrites_an_existing_file_only_with_force(sandbox: CommandSandbox) -> None:
    path = sandbox.write_file(".assent/config.toml", 'mode = "plan"\n')

    refused = sandbox.run("init")
    assert (refused.status, path.read_text()) == (2, 'mode = "plan"\n')
    assert refused.err == f"assent: cannot use {path}: it exists already; `--force` overwrites it\n"

    assert sandbox.run("init", "--force").status == 0
    assert path.read_text() != 'mode = "plan"\n'


def test_init_writes_to_the_root_of_the_repository(sandbox: CommandSandbox) -> None:
    (sandbox.root / ".git").mkdir()
    (sandbox.root / "deep" / "down").mkdir(parents=True)

    sandbox.run("init", cwd=sandbox.root / "deep" / "down")

    assert (sandbox.root / ".assent" / "config.toml").exists()


def test_the_users_file_can_be_changed_only_by_the_user(sandbox: CommandSandbox) -> None:
    assert sandbox.run("init", "--user").status == 0

    path = sandbox.user / "config.toml"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert sandbox.run("check", "Bash(ls)").status == 0
    assert not (sandbox.root / ".assent").exists()


def test_an_unwritable_directory_is_a_clear_error(sandbox: CommandSandbox) -> None:
    sandbox.write_file(".assent", "a file in the way")

    ran = sandbox.run("init")

    assert ran.status == 2
    assert "cannot be written" in ran.err
