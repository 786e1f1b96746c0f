"""A stored rule as JSON."""

import pytest

from assent.engine.policy.rule import RuleList
from assent.gate.stored_policy import StoredRule
from assent.wire.policy import rule_from_json, rule_to_json
from tests.gate.samples import NOW
from tests.wire.spoiling import demanded, through_json, unnoticed

PLAIN = StoredRule(id="r1", list=RuleList.ALLOW, text="t(x)", by="ana")
WHOLE = StoredRule(
    id="r1",
    list=RuleList.DENY,
    text="t(x)",
    conversation="c1",
    agent="clerk",
    user="ana",
    by="ana",
    approval="q1",
    why="careful",
    at=NOW,
)


@pytest.mark.parametrize("rule", [PLAIN, WHOLE])
def test_a_rule_comes_back_as_it_was(rule: StoredRule) -> None:
    assert rule_from_json(through_json(rule_to_json(rule))) == rule


def test_every_field_is_written_under_its_own_name() -> None:
    assert list(rule_to_json(WHOLE)) == list(StoredRule.__dataclass_fields__)


def test_a_wrong_type_is_an_error_that_names_the_field() -> None:
    assert unnoticed(rule_to_json(PLAIN), "rule", rule_from_json) == []


def test_a_scope_that_is_left_out_does_not_mean_everybody() -> None:
    assert demanded(rule_to_json(WHOLE), "rule", rule_from_json) == {
        "id", "list", "text", "conversation", "agent", "user", "by",
    }  # fmt: skip
