"""An outcome is read strictly: a word that is not known is not a yes."""

import pytest

from assent.client.outcome import Outcome, What, outcome_of
from assent.errors import InputError


def test_a_run_carries_what_may_run_and_the_claim() -> None:
    said = {"outcome": "run", "turn": "t", "approval": "a", "claim": "c", "call": {"args": {"x": 1}}}

    assert outcome_of(said) == Outcome(what=What.RUN, turn="t", approval="a", claim="c", args={"x": 1})


def test_a_refusal_carries_its_code_and_message() -> None:
    said = {"outcome": "refuse", "turn": "t", "code": "permission_denied", "message": "no"}

    assert outcome_of(said) == Outcome(what=What.REFUSE, turn="t", code="permission_denied", message="no")


@pytest.mark.parametrize(
    "said", [{}, {"outcome": "yes"}, {"outcome": None}, [], {"outcome": "run", "call": 1}]
)
def test_anything_else_is_an_error(said: object) -> None:
    with pytest.raises(InputError):
        outcome_of(said)
