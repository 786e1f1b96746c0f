"""Grants, rules, tiers and conversations survive their way into a row and back."""

from dataclasses import replace

import pytest

from assent.engine.policy.tiers import Tier, TierSetting
from assent.gate.conversation import Conversation
from assent.gate.current import Pin
from assent.gate.ports import Tiering
from assent.gate.preset import Lifetime
from assent.stores.policy_rows import (
    CONVERSATION,
    GRANT,
    RULE,
    TIER,
    conversation_of,
    conversation_row,
    grant_of,
    grant_row,
    pin_row,
    rule_of,
    rule_row,
    tier_row,
    tiering_of,
)
from tests.gate.samples import NOW, a_grant
from tests.stores.promises.given import a_rule


@pytest.mark.parametrize("lifetime", Lifetime)
def test_a_grant(lifetime: Lifetime) -> None:
    grant = a_grant(
        lifetime=lifetime, boot="b", until=NOW, uses=3, conversation="c", agent="a", user="u", override=True
    )
    row = grant_row(grant, NOW)

    assert grant_of([row[column.name] for column in GRANT]) == replace(grant, at=NOW)


def test_a_rule() -> None:
    rule = a_rule(conversation="c", agent="a", user="u", why="reviewed", approval="q1")
    row = rule_row(rule, NOW)

    assert rule_of([row[column.name] for column in RULE]) == replace(rule, at=NOW)


@pytest.mark.parametrize("explicit", [True, False])
@pytest.mark.parametrize("tier", Tier)
def test_a_tier(tier: Tier, explicit: bool) -> None:
    tiering = Tiering("clerk", "mail.send", TierSetting(tier, explicit), "mcp", "ana")
    row = tier_row(tiering, NOW)

    assert tiering_of([row[column.name] for column in TIER]) == tiering
    assert row["source"] == ("explicit" if explicit else "pattern")


def test_a_conversation() -> None:
    talk = Conversation(
        id="c", owner="ana", agent="a", preset="chat", mode="acceptEdits", title="t", model="m"
    )
    row = conversation_row(talk, NOW)

    assert conversation_of([row[column.name] for column in CONVERSATION]) == replace(talk, at=NOW)


def test_a_pin_says_who_accepted_it() -> None:
    row = pin_row(Pin("mcp", "t", "d"), "ana", NOW)

    assert (row["origin"], row["tool_name"], row["digest"], row["accepted_by"]) == ("mcp", "t", "d", "ana")
