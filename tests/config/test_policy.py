"""The policy of a place is one value, and without any file it is what the preset `assent` says."""

import pytest

from assent.config.layers import from_preset
from assent.config.policy import SHIPPED, Origin, Policy
from assent.config.preset import load_preset
from assent.config.tools import KNOWN
from assent.engine.modes import Mode
from assent.engine.rule import Layer, RuleList, parse_rule
from assent.engine.verdict import Verdict
from assent.errors import AssentError, UnknownWordError


def test_what_holds_without_a_file_is_what_the_shipped_preset_says() -> None:
    assert from_preset(load_preset("assent"), Origin(Layer.SHIPPED)) == SHIPPED == Policy()


def test_the_engine_gets_all_of_it() -> None:
    rule = parse_rule("Bash(rm *)")
    policy = Policy(rules={RuleList.DENY: (rule,)}, mode=Mode.PLAN, fallback=Verdict.RUN, attended=False)

    snapshot = policy.snapshot()

    assert snapshot.rules.lists[RuleList.DENY] == (rule,)
    assert (snapshot.mode, snapshot.fallback, snapshot.attended) == (Mode.PLAN, Verdict.RUN, False)
    assert snapshot.tools is KNOWN


def test_a_mode_is_kept_as_it_was_spelled() -> None:
    policy = SHIPPED.in_mode("autonomous", Origin("flag", "--mode"))

    assert (policy.mode, policy.mode_word) == (Mode.AUTO, "autonomous")
    assert policy.origin("mode") == Origin("flag", "--mode")
    assert policy.origin("fallback") == Origin(Layer.SHIPPED)


def test_an_unknown_mode_is_an_error() -> None:
    with pytest.raises(UnknownWordError):
        SHIPPED.in_mode("turbo", Origin("flag"))


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
    policy = from_preset(load_preset(preset), Origin(Layer.SHIPPED))

    with pytest.raises(AssentError) as caught:
        policy.in_mode(mode, Origin("flag", "--mode"))

    assert str(caught.value) == f"mode `{mode}` (flag --mode) cannot be used: the preset `{preset}` {offered}"


def test_a_preset_may_show_a_mode_under_another_name() -> None:
    propose = from_preset(load_preset("propose"), Origin(Layer.SHIPPED))

    assert propose.in_mode("default", Origin("flag")).mode is Mode.DEFAULT
    assert (propose.mode, propose.mode_word) == (Mode.DEFAULT, "approve")
