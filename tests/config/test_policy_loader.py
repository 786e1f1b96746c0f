"""A running process reloads changed policy files, and keeps the last policy if a file is invalid."""

from pathlib import Path

import pytest

from assent.config.paths import find_config_paths
from assent.config.policy_loader import PolicyLoader
from assent.engine.policy.rule import RuleList
from assent.errors import ConfigError, RuleSyntaxError


class PolicyFiles:
    """The policy files of one user, and a loader for them."""

    def __init__(self, base: Path) -> None:
        self.file = base / "config" / "assent" / "config.toml"
        self.file.parent.mkdir(parents=True, mode=0o700)
        environ = {"XDG_CONFIG_HOME": str(base / "config"), "XDG_DATA_HOME": str(base / "data")}
        self.where = find_config_paths(str(base), environ)
        self.environ = environ

    def write(self, text: str) -> None:
        self.file.write_text(f"{text}\n", "utf-8")
        self.file.chmod(0o600)

    def load_policy(self, preset: str | None = None) -> PolicyLoader:
        return PolicyLoader(self.where, self.environ, preset=preset)


@pytest.fixture
def policy_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PolicyFiles:
    monkeypatch.setenv("HOME", str(tmp_path))
    return PolicyFiles(tmp_path)


def deny_texts(policy: PolicyLoader, preset: str = "") -> list[str]:
    return [rule.text for rule in policy(preset).rules.get(RuleList.DENY, ())]


def test_a_changed_file_takes_effect_after_a_reload(policy_files: PolicyFiles) -> None:
    policy_files.write('deny = ["Bash(rm *)"]')
    policy = policy_files.load_policy()
    before = policy.version
    policy_files.write('deny = ["Bash(mv *)"]')

    assert policy.has_changed()
    assert deny_texts(policy) == ["Bash(rm *)"]
    assert policy.reload()
    assert deny_texts(policy) == ["Bash(mv *)"]
    assert (policy.has_changed(), policy.error) == (False, "")
    assert policy.version != before
    assert policy("").version == policy.version


@pytest.mark.proves("R-13")
@pytest.mark.parametrize("text", ['deny = ["Bash(mv', "", "mode = 1", 'deny = ["NoSuchTool"]', "\x00"])
def test_an_invalid_file_changes_only_the_error(policy_files: PolicyFiles, text: str) -> None:
    policy_files.write('deny = ["Bash(rm *)"]')
    policy = policy_files.load_policy()
    before = (policy.version, deny_texts(policy), policy.files)
    policy_files.write(text)

    assert not policy.reload()
    assert (policy.version, deny_texts(policy), policy.files) == before
    assert str(policy_files.file) in policy.error
    assert not policy.has_changed()


@pytest.mark.proves("R-13")
def test_an_invalid_file_at_the_start_is_an_error(policy_files: PolicyFiles) -> None:
    policy_files.write('deny = ["Bash(mv"]')

    with pytest.raises((ConfigError, RuleSyntaxError)):
        policy_files.load_policy()


def test_a_corrected_file_takes_effect_again(policy_files: PolicyFiles) -> None:
    policy_files.write('deny = ["Bash(rm *)"]')
    policy = policy_files.load_policy()
    policy_files.write("broken")
    policy.reload()
    policy_files.write('deny = ["Bash(mv *)"]')

    assert policy.reload()
    assert (policy.error, deny_texts(policy)) == ("", ["Bash(mv *)"])


def test_the_same_files_have_the_same_version(policy_files: PolicyFiles) -> None:
    policy_files.write('deny = ["Bash(rm *)"]')
    policy = policy_files.load_policy()
    policy_files.file.touch()

    assert policy.has_changed()
    assert not policy.reload()
    assert policy_files.load_policy().version == policy.version


def test_all_presets_use_the_same_loaded_files(policy_files: PolicyFiles) -> None:
    policy_files.write('deny = ["Bash(rm *)"]')
    policy = policy_files.load_policy()
    policy_files.write('deny = ["Bash(mv *)"]')

    assert deny_texts(policy, "fleet")[-1:] == ["Bash(rm *)"]
    assert policy("fleet").preset.name == "fleet"
    assert policy("") is policy("assent")


def test_a_requested_preset_becomes_the_default(policy_files: PolicyFiles) -> None:
    policy = policy_files.load_policy("tiers")

    assert policy("").preset.name == "tiers"
    assert policy.files == ()


def test_presets_of_the_user_are_listed_with_the_shipped_ones(policy_files: PolicyFiles) -> None:
    presets = policy_files.file.parent / "presets"
    presets.mkdir(mode=0o700)
    (presets / "mine.toml").write_text("purpose = 'mine'\n", "utf-8")

    assert policy_files.load_policy().presets == (
        "assent",
        "chat",
        "fleet",
        "mine",
        "propose",
        "tiers",
        "workbench",
    )


def test_a_changed_preset_of_the_user_is_noticed(policy_files: PolicyFiles) -> None:
    presets = policy_files.file.parent / "presets"
    presets.mkdir(mode=0o700)
    policy = policy_files.load_policy()
    (presets / "mine.toml").write_text("purpose = 'mine'\n", "utf-8")

    assert policy.has_changed()
    assert policy.reload()
