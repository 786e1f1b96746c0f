"""The decider of the command line uses the policy and the trust of the current directory."""

from pathlib import Path

import pytest

from assent.cli.base.decider import load_current_policy, load_decider
from assent.config.paths import find_config_paths
from assent.config.policy import SHIPPED_POLICY
from assent.engine.base.tool import Call
from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Verdict
from assent.errors import AssentError


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("ASSENT_MODE", "ASSENT_PRESET", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "work").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def test_without_files_the_shipped_policy_applies(root: Path) -> None:
    assert load_current_policy(find_config_paths(str(root), {})) is SHIPPED_POLICY


def test_the_call_has_the_agent_of_the_decider(root: Path) -> None:
    decided = load_decider(agent="clerk").decide_call(Call(tool="Bash", args={"command": "ls"}))

    assert (decided.call.agent, decided.decision.verdict) == ("clerk", Verdict.RUN)


def test_with_mode_returns_a_decider_in_another_mode(root: Path) -> None:
    here = load_decider()
    there = here.with_other_mode("plan")

    assert (here.snapshot.mode, there.snapshot.mode, there.policy.mode_word) == (
        Mode.DEFAULT,
        Mode.PLAN,
        "plan",
    )


@pytest.mark.parametrize("preset", ["fleet", "tiers"])
def test_a_mode_must_be_one_that_the_preset_offers(root: Path, preset: str) -> None:
    with pytest.raises(AssentError, match="cannot be used"):
        load_decider(preset=preset).with_other_mode("plan")


def test_roots_of_the_policy_belong_to_the_workspace(root: Path, tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    (root / "policy.toml").write_text('[workspace]\nroots = ["../library"]\n')

    here = load_decider(policy_file="policy.toml")

    assert here.directories.roots == (str(root), str(tmp_path / "library"))
    assert here.decide_typed_call(f"Read({tmp_path}/library/x)").decision.verdict is Verdict.RUN
