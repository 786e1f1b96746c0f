"""What is current is a value: two that say the same are the same, and nothing is nothing."""

from dataclasses import FrozenInstanceError

import pytest

from assent.gate.current import About, Current, Pin
from tests.gate.samples import NOW


def test_an_empty_policy_allows_and_knows_nothing() -> None:
    empty = Current(version=0, at=NOW)

    assert (empty.tiers, empty.rules, empty.grants, empty.pins) == ({}, (), (), {})
    assert empty.conversation is None


def test_each_value_has_its_own_empty_tables() -> None:
    assert Current(version=0, at=NOW).pins is not Current(version=0, at=NOW).pins


def test_it_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Current(version=0, at=NOW).version = 1  # type: ignore[misc]


def test_whose_policy_it_is_can_be_a_key() -> None:
    assert len({About("ana", "clerk", "c1"), About("ana", "clerk", "c1"), About("ana", "clerk", "c2")}) == 2
    assert Pin("shop", "t", "x") != Pin("evil", "t", "x")
