"""The merged policy is one value; without files it equals the preset `assent`."""

from dataclasses import replace

import pytest

from assent.config.layers import policy_from_preset
from assent.config.policy import SHIPPED_POLICY, Origin, Policy
from assent.config.preset import load_preset
from assent.config.tools import KNOWN_TOOLS
from assent.engine.base.tool import Tool
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import Layer, RuleList, parse_rule
from assent.engine.policy.snapshot import Tier, TierSetting
from assent.engine.policy.verdict import Verdict
from assent.errors import AssentError, UnknownWordError


def test_the_default_policy_equals_the_shipped_preset() -> None:
    assert policy_from_preset(load_preset("assent"), Origin(Layer.SHIPPED)) == SHIPPED_POLICY == Policy()


def test_the_snapshot_contains_the_whole_policy() -> None:
    rule = parse_rule("Bash(rm *)")
    policy = Policy(rules={RuleList.DENY: (rule,)}, mode=Mode.PLAN, fallback=Verdict.RUN, attended=False)

    snapshot = policy.snapshot()

    assert snapshot.rules.lists[RuleList.DENY] == (rule,)
    assert (snapshot.mode, snapshot.fallback, snapshot.attended) == (Mode.PLAN, Verdict.RUN, False)
    assert snapshot.tools is KNOWN_TOOLS


def test_the_word_of_a_mode_is_kept_as_written() -> None:
    policy = SHIPPED_POLICY.with_mode("autonomous", Origin("flag", "--mode"))

    assert (policy.mode, policy.mode_word) == (Mode.AUTO, "autonomous")
    assert policy.origin("mode") == Origin("flag", "--mode")
    assert policy.origin("fallback") == Origin(Layer.SHIPPED)


def test_an_unknown_mode_is_an_error() -> None:
    with pytest.raises(UnknownWordError):
        SHIPPED_POLICY.with_mode("turbo", Origin("flag"))


@pytest.mark.proves("R001-1", "R000-52")
@pytest.mark.parametrize(
    ("preset", "mode", "offered"),
    [
        ("chat", "accept_edits", "offers default, plan, auto"),
        ("propose", "plan", "offers approve, auto"),
        ("fleet", "auto", "offers accept_edits"),
        ("tiers", "default", "has no modes"),
    ],
)
def test_a_mode_that_the_preset_does_not_offer_is_refused(preset: str, mode: str, offered: str) -> None:
    policy = policy_from_preset(load_preset(preset), Origin(Layer.SHIPPED))

    with pytest.raises(AssentError) as caught:
        policy.with_mode(mode, Origin("flag", "--mode"))

    assert str(caught.value) == f"mode `{mode}` (flag --mode) cannot be used: the preset `{preset}` {offered}"


def test_a_preset_may_show_a_mode_under_another_name() -> None:
    propose = policy_from_preset(load_preset("propose"), Origin(Layer.SHIPPED))

    assert propose.with_mode("default", Origin("flag")).mode is Mode.DEFAULT
    assert (propose.mode, propose.mode_word) == (Mode.DEFAULT, "approve")


@pytest.mark.proves("R004-6", "R004-7", "R004-8")
@pytest.mark.parametrize(
    ("tool", "tier"),
    [
        ("create_task", Tier.NEEDS_APPROVAL),
        ("update_task", Tier.NEEDS_APPROVAL),
        ("delete_task", Tier.NEEDS_APPROVAL),
        ("mcp__github__list_issues", Tier.NEEDS_APPROVAL),
        ("list_tasks", Tier.ALWAYS_ALLOW),
        ("search_tasks", Tier.ALWAYS_ALLOW),
        ("recreate_task", Tier.ALWAYS_ALLOW),
        ("Create_task", Tier.ALWAYS_ALLOW),
    ],
)
def test_a_tool_that_a_file_adds_gets_a_tier_by_its_name(tool: str, tier: Tier) -> None:
    preset = policy_from_preset(load_preset("tiers"), Origin(Layer.SHIPPED))
    added = replace(preset, tools={tool: Tool(name=tool)})
    said = replace(added, tiers={("clerk", tool): TierSetting(Tier.BLOCKED)})

    assert added.snapshot("clerk").tiers == {("clerk", tool): TierSetting(tier, explicit=False)}
    assert said.snapshot("clerk").tiers == {("clerk", tool): TierSetting(Tier.BLOCKED)}
    assert replace(added, mode=Mode.AUTO).snapshot("clerk").tiers == {}
