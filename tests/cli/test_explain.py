"""The text of a decision contains all steps, and marks the deciding step."""

from pathlib import Path

import pytest

from assent.cli.base.decider import CheckedCall, LocalDecider
from assent.cli.explain import decision_explanation, decision_summary
from assent.config.policy import Policy
from assent.config.workspace import directories_on_disk
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import RuleList, parse_rule
from assent.engine.policy.snapshot import Tier, TierSetting


@pytest.fixture(autouse=True)
def without_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


def decide_text(root: Path, text: str, policy: Policy) -> CheckedCall:
    standpoint = LocalDecider(
        policy=policy,
        snapshot=policy.snapshot(),
        directories=directories_on_disk(str(root), [str(root)], "/home/user"),
        trusts=lambda _: True,
        load_pins=dict,
        agent="clerk",
    )
    return standpoint.decide_typed_call(text)


def test_a_summary_is_one_line(tmp_path: Path) -> None:
    found = decide_text(tmp_path, "Bash(make)", Policy())

    assert (
        decision_summary("Bash(make)", found.decision) == "ask  Bash(make)  `make` runs this project's code"
    )


def test_every_step_is_shown_and_the_deciding_step_is_marked(tmp_path: Path) -> None:
    rules = {
        RuleList.ASK: (parse_rule("Bash(make *)", source="policy.toml, line 1"),),
        RuleList.ALLOW: (parse_rule("Bash"),),
    }

    lines = list(decision_explanation("Bash(make)", decide_text(tmp_path, "Bash(make)", Policy(rules=rules))))

    assert lines == [
        "ask  Bash(make)",
        "     ask rule `Bash(make *)` (policy.toml, line 1)",
        "",
        "> ask     ask-rule    ask rule `Bash(make *)` (policy.toml, line 1)",
        "                      part: make",
        "  run     allow-rule  allow rule `Bash`",
        "",
        "no rule can avoid this question",
    ]


def test_a_question_that_only_a_grant_can_avoid_offers_a_grant(tmp_path: Path) -> None:
    policy = Policy(tiers={("clerk", "WebSearch"): TierSetting(Tier.NEEDS_APPROVAL)}, mode=Mode.AUTO)

    lines = list(decision_explanation("WebSearch(x)", decide_text(tmp_path, "WebSearch(x)", policy)))

    assert lines[-2:] == ["this would have avoided the question:", "  grant WebSearch(x)"]


@pytest.mark.parametrize("text", ["Bash(ls)", "nobody(x)"])
def test_a_decision_that_does_not_ask_suggests_no_rule(tmp_path: Path, text: str) -> None:
    lines = list(decision_explanation(text, decide_text(tmp_path, text, Policy())))

    assert [line for line in lines if "avoid" in line] == []
    assert (
        [line[0] for line in lines].count(">") == 1
        if all(lines)
        else any(line.startswith(">") for line in lines)
    )
