"""An answer as JSON, from a store and from a person."""

import pytest

from assent.errors import InputError
from assent.gate.answer import Answer, Say
from assent.gate.preset import Lifetime, Scope
from assent.wire.approval import answer_from_json, answer_to_json
from tests.gate.samples import ALWAYS, NO, NOW, YES
from tests.wire.spoiling import demanded, through_json, unnoticed

WHOLE = Answer(
    say=Say.ALWAYS,
    by="ana",
    reason="as agreed",
    rules=("t(x)", "t(y)"),
    scope=Scope.USER_AGENT,
    lifetime=Lifetime.UNTIL,
    until=NOW,
    uses=3,
    args={"a": [1]},
    released_by="q7",
)
DATA = answer_to_json(WHOLE)


@pytest.mark.parametrize("answer", [WHOLE, YES, NO, ALWAYS, *(Answer(say=say) for say in Say)])
def test_an_answer_comes_back_as_it_was(answer: Answer) -> None:
    assert answer_from_json(through_json(answer_to_json(answer))) == answer


def test_every_field_is_written_under_its_own_name() -> None:
    assert list(DATA) == list(Answer.__dataclass_fields__)


def test_a_wrong_type_is_an_error_that_names_the_field() -> None:
    empty = answer_to_json(YES)

    assert unnoticed(empty, "answer", answer_from_json) == []
    assert demanded(empty, "answer", answer_from_json) == {"say"}


@pytest.mark.parametrize("say", ["yes", "", "ONCE", "allow", True, None, 1])
def test_only_our_own_words_are_an_answer(say: object) -> None:
    with pytest.raises(InputError, match=r"`answer\.say`"):
        answer_from_json({"say": say})


def test_a_field_that_a_newer_version_added_is_no_reason_to_fail() -> None:
    assert answer_from_json({"say": "once", "mood": "good"}) == YES


def test_a_stored_answer_that_left_its_limits_to_the_preset_names_none() -> None:
    assert answer_from_json({"say": "always", "scope": "choice", "lifetime": "choice"}) == Answer(
        say=Say.ALWAYS
    )
