"""A tier of an agent and a tool as JSON."""

import pytest

from assent.engine.policy.tiers import Tier, TierSetting
from assent.gate.ports import Tiering
from assent.wire.tiering import tiering_from_json, tiering_to_json
from tests.wire.spoiling import demanded, refusal, through_json, unnoticed

WHOLE = Tiering("clerk", "mail.send", TierSetting(Tier.BLOCKED, explicit=False), "mcp", "ada")


@pytest.mark.parametrize("tiering", [WHOLE, *(Tiering("a", "t", TierSetting(tier)) for tier in Tier)])
def test_a_tier_comes_back_as_it_was(tiering: Tiering) -> None:
    assert tiering_from_json(through_json(tiering_to_json(tiering))) == tiering


def test_a_wrong_type_or_word_is_an_error_that_names_the_field() -> None:
    data = tiering_to_json(WHOLE)

    assert unnoticed(data, "tiering", tiering_from_json) == []
    assert "`tiering.tier`" in refusal(tiering_from_json, {**data, "tier": "maybe"})
    assert demanded(data, "tiering", tiering_from_json) == {"agent", "tool", "tier"}
