"""An answer as JSON, from a store and from a person."""

from dataclasses import replace

import pytest

from assent.errors import InputError
from assent.gate.approval import Answer, Say
from assent.gate.preset import Lifetime, Scope
from assent.wire.answer import FROM_A_PERSON, answer_from_json, answer_from_person, answer_to_json
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


def test_a_person_says_everything_but_who_they_are() -> None:
    said = {name: DATA[name] for name in FROM_A_PERSON}

    assert answer_from_person(said) == replace(WHOLE, by="", released_by="")


@pytest.mark.proves("T-4")
@pytest.mark.parametrize("field", ["by", "released_by", "digest", "state", "untill"])
def test_a_person_hands_in_no_field_that_is_not_theirs(field: str) -> None:
    with pytest.raises(InputError, match=rf"unknown field `answer\.{field}`"):
        answer_from_person({"say": "once", field: "ana"})


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("scope", "conversation, agent, user_agent, user, everyone"),
        ("lifetime", "restart, until, uses, forever"),
    ],
)
@pytest.mark.parametrize("word", ["choice", "day"])
def test_a_person_is_told_the_words_of_answers_and_none_of_presets(name: str, words: str, word: str) -> None:
    with pytest.raises(InputError) as caught:
        answer_from_person({"say": "always", name: word})

    assert str(caught.value) == f"field `answer.{name}` must be one of {words}"


def test_a_stored_answer_that_left_its_limits_to_the_preset_names_none() -> None:
    assert answer_from_json({"say": "always", "scope": "choice", "lifetime": "choice"}) == Answer(
        say=Say.ALWAYS
    )
