"""Grants, rules, tiers and conversations survive their way into a row and back."""

from dataclasses import replace

import pytest

from assent.engine.tiers import Assignment, Tier
from assent.gate.conversation import Conversation
from assent.gate.current import Pin
from assent.gate.ports import Tiering
from assent.gate.preset import Lifetime
from assent.stores.sql.policy import (
    CONVERSATION_COLUMNS,
    GRANT_COLUMNS,
    RULE_COLUMNS,
    TIER_COLUMNS,
    conversation_from_row,
    conversation_to_row,
    grant_from_row,
    grant_to_row,
    pin_to_row,
    rule_from_row,
    rule_to_row,
    tiering_from_row,
    tiering_to_row,
)
from tests.gate.samples import NOW, a_grant
from tests.stores.promises.given import a_rule


@pytest.mark.parametrize("lifetime", Lifetime)
def test_a_grant(lifetime: Lifetime) -> None:
    grant = a_grant(
        lifetime=lifetime, boot="b", until=NOW, uses=3, conversation="c", agent="a", user="u", override=True
    )
    row = grant_to_row(grant, NOW)

    assert grant_from_row([row[column.name] for column in GRANT_COLUMNS]) == replace(grant, at=NOW)


def test_a_rule() -> None:
    rule = a_rule(conversation="c", agent="a", user="u", why="reviewed", approval="q1")
    row = rule_to_row(rule, NOW)

    assert rule_from_row([row[column.name] for column in RULE_COLUMNS]) == replace(rule, at=NOW)


@pytest.mark.parametrize("explicit", [True, False])
@pytest.mark.parametrize("tier", Tier)
def test_a_tier(tier: Tier, explicit: bool) -> None:
    tiering = Tiering("clerk", "mail.send", Assignment(tier, explicit), "mcp", "ana")
    row = tiering_to_row(tiering, NOW)

    assert tiering_from_row([row[column.name] for column in TIER_COLUMNS]) == tiering
    assert row["source"] == ("explicit" if explicit else "pattern")


def test_a_conversation() -> None:
    talk = Conversation(
        id="c", owner="ana", agent="a", preset="chat", mode="acceptEdits", title="t", model="m"
    )
    row = conversation_to_row(talk, NOW)

    assert conversation_from_row([row[column.name] for column in CONVERSATION_COLUMNS]) == replace(
        talk, at=NOW
    )


def test_a_pin_says_who_accepted_it() -> None:
    row = pin_to_row(Pin("mcp", "t", "d"), "ana", NOW)

    assert (row["origin"], row["tool_name"], row["digest"], row["accepted_by"]) == ("mcp", "t", "d", "ana")
