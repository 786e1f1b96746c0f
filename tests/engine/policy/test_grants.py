"""A grant applies to the calls of its conversation, agent and user, and to no others."""

from dataclasses import replace

import pytest

from assent.engine.base.tool import Call
from assent.engine.policy.grants import NO_GRANTS, GrantedRule, GrantSet
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import parse_rule
from assent.engine.policy.tiers import Tier, TierSetting
from assent.engine.policy.verdict import Stage, Verdict
from tests.engine import given

CALL = Call(tool="mail.send", args={"to": "ana"}, agent="clerk", conversation="c1", user="ana")


def grant(pattern: str = "mail.send", **scope: str) -> GrantedRule:
    return GrantedRule(rule=parse_rule(pattern), **scope)


@pytest.mark.parametrize(
    ("scope", "counts"),
    [
        ({}, True),
        ({"conversation": "c1"}, True),
        ({"conversation": "c2"}, False),
        ({"agent": "clerk"}, True),
        ({"agent": "other"}, False),
        ({"user": "ana", "agent": "clerk"}, True),
        ({"user": "bob", "agent": "clerk"}, False),
        ({"user": "ana", "agent": "other"}, False),
        ({"user": "ana", "agent": "clerk", "conversation": "c2"}, False),
    ],
    ids=str,
)
@pytest.mark.proves("R000-26", "R002-21", "R002-22", "R004-10", "R004-11", "T-9")
def test_a_grant_counts_in_its_scope_and_nowhere_else(scope: dict[str, str], counts: bool) -> None:
    snapshot = replace(given.policy(), grants=GrantSet([grant(**scope)]))

    decision = given.decided(CALL, snapshot)

    assert (decision.verdict is Verdict.RUN) is counts
    assert (decision.stage is Stage.GRANT) is counts


@pytest.mark.proves("R000-27", "R003-31")
def test_a_granted_tool_is_still_refused_in_plan() -> None:
    snapshot = replace(given.policy(mode=Mode.PLAN), grants=GrantSet([grant()]))

    assert given.decided(CALL, snapshot).stage is Stage.PLAN


@pytest.mark.proves("R004-10", "R004-12")
def test_a_grant_lifts_a_tier_that_asks_but_never_one_that_blocks() -> None:
    granted = replace(given.policy(), grants=GrantSet([grant(user="ana", agent="clerk")]))
    asks, blocks = (
        replace(granted, tiers={("clerk", "mail.send"): TierSetting(tier)})
        for tier in (Tier.NEEDS_APPROVAL, Tier.BLOCKED)
    )

    assert given.decided(CALL, asks).stage is Stage.GRANT
    assert given.decided(CALL, blocks).stage is Stage.BLOCKED


def test_one_grant_more_counts_at_once_in_a_known_and_in_a_new_scope() -> None:
    first = GrantSet([grant("wiki.*", conversation="c1")])
    more = first.with_grant(grant("mail.send(to=bob)", conversation="c1")).with_grant(grant(user="ana"))

    assert len(first.for_call(CALL)) == 1
    assert len(more.for_call(CALL)) == 2
    assert given.decided(CALL, replace(given.policy(), grants=first)).verdict is Verdict.ASK
    assert given.decided(CALL, replace(given.policy(), grants=more)).verdict is Verdict.RUN
    assert NO_GRANTS.for_call(CALL) == ()


@pytest.mark.proves("R000-20", "R002-20")
def test_a_grant_on_a_tool_covers_it_with_any_arguments_and_no_other_tool() -> None:
    snapshot = replace(given.policy(), grants=GrantSet([grant()]))

    assert given.decided(given.mail(to="somebody else"), snapshot).verdict is Verdict.RUN
    assert given.decided(given.run("make"), snapshot).verdict is Verdict.ASK


@pytest.mark.proves("R004-14")
def test_without_the_grant_the_question_is_back() -> None:
    tiers = {("clerk", "mail.send"): TierSetting(Tier.NEEDS_APPROVAL)}
    granted = replace(given.policy(tiers=tiers), grants=GrantSet([grant()]))

    assert given.decided(CALL, granted).verdict is Verdict.RUN
    assert given.decided(CALL, replace(granted, grants=NO_GRANTS)).stage is Stage.TIER
