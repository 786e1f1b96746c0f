"""A cached policy decides like the one that was read from files, and never outlives a change of them."""

import os
from pathlib import Path

import pytest

from assent.config.layers import load_policy
from assent.config.paths import ConfigPaths
from assent.config.policy import Policy
from assent.config.policy_cache import load_cached_policy, read_cache_inputs, save_cached_policy
from assent.config.repository import load_trust
from assent.engine.base.value import replace

POLICY = """
mode = "plan"
allow = ["Bash(ls *)"]

[[deny]]
rule = "Bash(touch *)"
why = "files are made elsewhere"

[tools."mail.send"]
effect = "destructive"
description = "Send a message."

[tiers.claude]
WebFetch = "blocked"
"""


@pytest.fixture
def paths(tmp_path: Path) -> ConfigPaths:
    (tmp_path / "config").mkdir(mode=0o700)
    (tmp_path / "root" / ".assent").mkdir(parents=True)
    found = ConfigPaths(
        root=str(tmp_path / "root"),
        cwd=str(tmp_path / "root"),
        home=str(tmp_path),
        managed=str(tmp_path / "managed"),
        user=str(tmp_path / "config"),
        data=str(tmp_path / "data"),
    )
    write_policy_file(found.user_file, POLICY)
    return found


def write_policy_file(path: str, text: str) -> None:
    Path(path).write_text(text, "utf-8")
    Path(path).chmod(0o600)


def save_policy(paths: ConfigPaths) -> Policy:
    policy = load_policy(paths, load_trust(paths.trust_file), {})
    inputs = read_cache_inputs(paths)
    assert inputs is not None
    save_cached_policy(paths, inputs, policy)
    return policy


def load_from_cache(paths: ConfigPaths) -> Policy | None:
    inputs = read_cache_inputs(paths)
    return None if inputs is None else load_cached_policy(paths, inputs)


def test_a_cached_policy_is_the_policy(paths: ConfigPaths) -> None:
    policy = save_policy(paths)
    cached = load_from_cache(paths)

    assert cached is not None
    assert replace(cached, rules={}, modes=policy.modes) == replace(policy, rules={})
    assert {kind: rules for kind, rules in cached.rules.items() if rules} == {
        kind: rules for kind, rules in policy.rules.items() if rules
    }


def test_without_a_cache_there_is_none(paths: ConfigPaths) -> None:
    assert load_from_cache(paths) is None


@pytest.mark.parametrize("name", ["user_file", "project_file", "local_file", "trust_file"])
def test_a_changed_file_is_noticed(paths: ConfigPaths, name: str) -> None:
    save_policy(paths)
    write_policy_file(getattr(paths, name), '{"files": {}, "repositories": {}}')

    assert load_from_cache(paths) is None


def test_a_change_within_the_same_moment_and_size_is_noticed(paths: ConfigPaths) -> None:
    save_policy(paths)
    write_policy_file(paths.user_file, POLICY.replace("touch", "chmod"))

    assert load_from_cache(paths) is None


def test_a_settings_file_of_the_client_counts(paths: ConfigPaths) -> None:
    save_policy(paths)
    Path(paths.claude_files[1]).parent.mkdir()
    write_policy_file(paths.claude_files[1], "{}")

    assert load_from_cache(paths) is None


def test_a_file_that_others_may_change_is_noticed(paths: ConfigPaths) -> None:
    save_policy(paths)
    Path(paths.user_file).chmod(0o666)

    assert load_from_cache(paths) is None


def test_the_cache_of_another_root_is_not_used(paths: ConfigPaths) -> None:
    save_policy(paths)

    assert load_from_cache(replace(paths, root=f"{paths.root}-other")) is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"inputs": 1, "policy": {}}', "\xff"])
def test_a_damaged_cache_is_not_used(paths: ConfigPaths, text: str) -> None:
    save_policy(paths)
    (cache,) = Path(paths.data, "policy-cache").iterdir()
    cache.write_text(text, "latin-1")

    assert load_from_cache(paths) is None


def test_a_cache_that_others_can_read_or_write_is_not_used(paths: ConfigPaths) -> None:
    save_policy(paths)
    (cache,) = Path(paths.data, "policy-cache").iterdir()
    assert cache.stat().st_mode & 0o777 == 0o600
    cache.chmod(0o666)

    assert load_from_cache(paths) is None


def test_presets_besides_the_shipped_ones_are_not_cached(paths: ConfigPaths) -> None:
    Path(paths.user, "presets").mkdir()

    assert read_cache_inputs(paths) is None


def test_a_file_that_would_block_is_not_opened(paths: ConfigPaths) -> None:
    os.mkfifo(paths.project_file)
    inputs = read_cache_inputs(paths)

    assert inputs is not None
    assert inputs[paths.project_file] == ["", "irregular"]


def test_a_large_file_is_read_anew_each_time(paths: ConfigPaths) -> None:
    write_policy_file(paths.user_file, "#" * 300_000)

    assert read_cache_inputs(paths) is None


def test_a_directory_that_cannot_be_written_is_no_failure(paths: ConfigPaths) -> None:
    write_policy_file(paths.data, "a file in place of the directory")
    save_policy(paths)

    assert load_from_cache(paths) is None
