"""A grant counts for as long as its lifetime says, and reaches exactly whom it names."""

from dataclasses import FrozenInstanceError
from itertools import product

import pytest

from assent.engine.model import Call
from assent.engine.policy.grants import GrantSet
from assent.engine.policy.rule import Layer
from assent.errors import RuleSyntaxError
from assent.gate.preset import Lifetime
from assent.gate.stored_policy import Pin, PolicyKey, StoredPolicy
from tests.gate.samples import CALL, DAY, NOW, SECOND, a_grant

NAMES = {"conversation": ("c1", "c2"), "agent": ("clerk", "cook"), "user": ("ana", "ben")}


@pytest.mark.parametrize(
    ("changes", "counts"),
    [
        ({"lifetime": Lifetime.FOREVER}, True),
        ({"lifetime": Lifetime.RESTART, "boot": "boot-1"}, True),
        ({"lifetime": Lifetime.RESTART, "boot": "boot-2"}, False),
        ({"lifetime": Lifetime.RESTART}, False),
        ({"lifetime": Lifetime.UNTIL, "until": NOW + SECOND}, True),
        ({"lifetime": Lifetime.UNTIL, "until": NOW}, False),
        ({"lifetime": Lifetime.UNTIL, "until": NOW - DAY}, False),
        ({"lifetime": Lifetime.UNTIL}, False),
        ({"lifetime": Lifetime.USES, "uses": 1}, True),
        ({"lifetime": Lifetime.USES, "uses": 0}, False),
        ({"lifetime": Lifetime.USES, "uses": -1}, False),
        ({"lifetime": Lifetime.USES}, False),
        ({"lifetime": Lifetime.USES, "uses": 1, "until": NOW}, False),
        ({"lifetime": Lifetime.UNTIL, "uses": 0, "until": NOW + SECOND}, False),
        ({"lifetime": Lifetime.RESTART, "boot": "boot-1", "uses": 0}, False),
        ({"lifetime": Lifetime.RESTART, "boot": "boot-1", "until": NOW}, False),
        ({"lifetime": Lifetime.FOREVER, "until": NOW}, False),
    ],
)
def test_a_grant_counts_while_its_lifetime_lasts_and_never_by_absence(
    changes: dict[str, object], counts: bool
) -> None:
    assert a_grant(**changes).is_active(at=NOW, boot="boot-1") is counts


def test_a_process_without_a_mark_has_no_grants_until_restart() -> None:
    unmarked = a_grant(lifetime=Lifetime.RESTART, boot="")

    assert not unmarked.is_active(at=NOW, boot="")


@pytest.mark.proves("T-9", "R000-26", "R002-21", "R004-11")
def test_a_grant_reaches_those_it_names_and_nobody_else() -> None:
    for conversation, agent, user in product(*((None, own) for own, _ in NAMES.values())):
        grants = GrantSet([a_grant(conversation=conversation, agent=agent, user=user).to_engine()])
        for other in product(*NAMES.values()):
            call = Call(tool="terminal.exec", args={}, conversation=other[0], agent=other[1], user=other[2])
            reaches = all(
                named in (None, own) for named, own in zip((conversation, agent, user), other, strict=True)
            )
            assert bool(grants.for_call(call)) is reaches


def test_the_engine_takes_it_as_a_rule_of_the_store() -> None:
    taken = a_grant(agent="clerk").to_engine()

    assert (taken.rule.text, taken.rule.layer) == ("terminal.exec(npm *)", Layer.STORE)
    assert (taken.conversation, taken.agent, taken.user) == (None, "clerk", None)
    assert GrantSet([taken]).for_call(CALL)


def test_a_pattern_that_is_no_rule_is_never_a_grant() -> None:
    with pytest.raises(RuleSyntaxError):
        a_grant(pattern="terminal.exec(").to_engine()


def test_an_empty_policy_allows_and_knows_nothing() -> None:
    empty = StoredPolicy(version=0, at=NOW)

    assert (empty.tiers, empty.rules, empty.grants, empty.pins) == ({}, (), (), {})
    assert empty.conversation is None


def test_each_value_has_its_own_empty_tables() -> None:
    assert StoredPolicy(version=0, at=NOW).pins is not StoredPolicy(version=0, at=NOW).pins


def test_it_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        StoredPolicy(version=0, at=NOW).version = 1  # type: ignore[misc]


def test_whose_policy_it_is_can_be_a_key() -> None:
    assert (
        len(
            {
                PolicyKey("ana", "clerk", "c1"),
                PolicyKey("ana", "clerk", "c1"),
                PolicyKey("ana", "clerk", "c2"),
            }
        )
        == 2
    )
    assert Pin("shop", "t", "x") != Pin("evil", "t", "x")
