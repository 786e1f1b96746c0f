"""A grant as JSON."""

import pytest

from assent.gate.preset import Lifetime
from assent.gate.stored_policy import StoredGrant
from assent.wire.policy import grant_from_json, grant_to_json
from tests.gate.samples import NOW, a_grant
from tests.wire.spoiling import demanded, through_json, unnoticed

WHOLE = a_grant(
    conversation="c1",
    agent="clerk",
    user="ana",
    lifetime=Lifetime.UNTIL,
    boot="b1",
    until=NOW,
    uses=3,
    approval="q1",
    override=True,
    at=NOW,
)


@pytest.mark.parametrize("grant", [WHOLE, *(a_grant(lifetime=lifetime) for lifetime in Lifetime)])
def test_a_grant_comes_back_as_it_was(grant: StoredGrant) -> None:
    assert grant_from_json(through_json(grant_to_json(grant))) == grant


def test_every_field_is_written_under_its_own_name() -> None:
    assert list(grant_to_json(WHOLE)) == list(StoredGrant.__dataclass_fields__)


def test_a_wrong_type_is_an_error_that_names_the_field() -> None:
    assert unnoticed(grant_to_json(a_grant()), "grant", grant_from_json) == []


def test_a_scope_that_is_left_out_does_not_mean_everybody() -> None:
    assert demanded(grant_to_json(WHOLE), "grant", grant_from_json) == {
        "id", "pattern", "conversation", "agent", "user", "lifetime", "by",
    }  # fmt: skip
