"""Tiers that an administrator set, default tiers by tool name, and their effect on decisions."""

import pytest

from assent.engine.base.tool import Call, Tool
from assent.engine.policy.modes import Mode
from assent.engine.policy.tiers import Tier, TierSetting, default_tier, parse_tier
from assent.engine.policy.verdict import Stage, Verdict
from assent.errors import UnknownWordError
from tests.engine import given

MAIL = Call(tool="mail.send", args={}, agent="clerk")
LOOK_UP = Call(tool="wiki.look_up", args={}, agent="clerk")


@pytest.mark.parametrize(
    ("tool", "tier"),
    [
        ("create_invoice", Tier.NEEDS_APPROVAL),
        ("update_invoice", Tier.NEEDS_APPROVAL),
        ("delete_invoice", Tier.NEEDS_APPROVAL),
        ("mcp__github__list_issues", Tier.NEEDS_APPROVAL),
        ("list_invoices", Tier.ALWAYS_ALLOW),
        ("search_invoices", Tier.ALWAYS_ALLOW),
        ("send_mail", Tier.ALWAYS_ALLOW),
        ("Create_invoice", Tier.ALWAYS_ALLOW),
        ("recreate_invoice", Tier.ALWAYS_ALLOW),
    ],
)
@pytest.mark.proves("R004-6", "R004-7")
def test_a_tool_starts_with_the_tier_its_name_suggests(tool: str, tier: Tier) -> None:
    assert default_tier(tool) is tier


@pytest.mark.parametrize("tier", Tier)
@pytest.mark.proves("R004-1")
def test_a_tier_is_known_by_its_word(tier: Tier) -> None:
    assert parse_tier(tier.value) is tier


@pytest.mark.parametrize("word", ["allow", "", None, 1])
@pytest.mark.proves("R004-1")
def test_any_other_word_is_an_error(word: object) -> None:
    with pytest.raises(UnknownWordError, match="expected one of always_allow, needs_approval, blocked"):
        parse_tier(word)


def decide_with_tier(
    tier: Tier, call: Call = MAIL, *, explicit: bool = True, **more: object
) -> tuple[Verdict, Stage]:
    assigned = {("clerk", call.tool): TierSetting(tier, explicit)}
    decision = given.decided(call, given.policy(tiers=assigned, **more))
    return decision.verdict, decision.stage


@pytest.mark.proves("R004-2")
def test_always_allow_runs_at_once() -> None:
    assert decide_with_tier(Tier.ALWAYS_ALLOW) == (Verdict.RUN, Stage.TIER)


@pytest.mark.parametrize("mode", [Mode.DEFAULT, Mode.AUTO, None])
@pytest.mark.proves("R004-3")
def test_needs_approval_asks_in_any_mode_and_before_reads_too(mode: Mode | None) -> None:
    assert decide_with_tier(Tier.NEEDS_APPROVAL, mode=mode) == (Verdict.ASK, Stage.TIER)
    assert decide_with_tier(Tier.NEEDS_APPROVAL, LOOK_UP, mode=mode) == (Verdict.ASK, Stage.TIER)


@pytest.mark.proves("R004-3")
def test_an_allow_rule_does_not_lift_needs_approval() -> None:
    assert decide_with_tier(Tier.NEEDS_APPROVAL, allow=["mail.send"]) == (Verdict.ASK, Stage.TIER)


@pytest.mark.proves("R004-4", "R004-5")
def test_blocked_is_as_if_it_did_not_exist() -> None:
    assert decide_with_tier(Tier.BLOCKED, mode=Mode.AUTO) == (Verdict.ABSENT, Stage.BLOCKED)
    assert decide_with_tier(Tier.BLOCKED, LOOK_UP) == (Verdict.ABSENT, Stage.BLOCKED)


@pytest.mark.proves("R004-6", "R004-8")
def test_a_tier_from_a_name_counts_only_where_there_is_no_mode() -> None:
    asks, runs = Tier.NEEDS_APPROVAL, Tier.ALWAYS_ALLOW

    assert decide_with_tier(asks, explicit=False, mode=None, fallback=Verdict.RUN) == (
        Verdict.ASK,
        Stage.TIER,
    )
    assert decide_with_tier(runs, explicit=False, mode=None) == (Verdict.RUN, Stage.TIER)
    assert decide_with_tier(asks, explicit=False, mode=Mode.AUTO) == (Verdict.RUN, Stage.MODE)
    assert decide_with_tier(runs, explicit=False, mode=Mode.DEFAULT) == (Verdict.ASK, Stage.MODE)


@pytest.mark.proves("R004-13")
def test_without_any_tier_the_fallback_speaks() -> None:
    run = given.policy(mode=None, fallback=Verdict.RUN)

    assert given.decided(MAIL, run).stage is Stage.FALLBACK
    assert given.decided(MAIL, run).verdict is Verdict.RUN
    assert given.decided(MAIL, given.policy(mode=None)).verdict is Verdict.ASK


@pytest.mark.proves("R004-1", "R004-11")
def test_a_tier_is_for_one_agent_and_one_tool() -> None:
    snapshot = given.policy(
        tiers={("other", "mail.send"): TierSetting(Tier.BLOCKED), ("clerk", "x"): TierSetting(Tier.BLOCKED)}
    )

    assert given.decided(MAIL, snapshot).verdict is Verdict.ASK


@pytest.mark.supports("R004-1")
def test_a_policy_that_names_its_agent_needs_no_name_in_the_call() -> None:
    snapshot = given.policy(agent="clerk", tiers={("clerk", "mail.send"): TierSetting(Tier.BLOCKED)})

    assert given.decided(Call(tool="mail.send", args={}), snapshot).verdict is Verdict.ABSENT


def test_a_name_never_makes_a_tool_destructive() -> None:
    tool = Tool(name="delete_everything")

    assert (
        given.decided(Call(tool=tool.name, args={}), given.policy(tool, mode=Mode.AUTO)).verdict
        is Verdict.RUN
    )
