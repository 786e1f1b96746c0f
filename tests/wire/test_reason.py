"""Reasons as JSON: a reason from another version is shown as its sentence."""

import pytest

from assent.engine.base.reason import ReasonCode, make_reason, text_reason
from assent.wire.reason import reason_from_json, reason_to_json

GRANTED = make_reason(ReasonCode.GRANT, rule="sh(ls *)")


def test_a_reason_is_parsed_to_the_original() -> None:
    assert reason_to_json(GRANTED) == {"code": "grant", "values": {"rule": "sh(ls *)"}}
    assert reason_from_json(reason_to_json(GRANTED), "granted before") == GRANTED


def test_a_reason_that_is_only_a_text_has_no_code() -> None:
    assert reason_to_json(text_reason("why")) == {}
    assert reason_from_json({}, "why") == text_reason("why")


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {"code": "grant"},
        {"code": "grant", "values": ["rule"]},
        {"code": "grant", "values": {"rule": 1}},
        {"code": "from-the-future", "values": {"rule": "x"}},
        {"code": ["grant"], "values": {}},
    ],
)
def test_a_reason_of_another_version_is_its_sentence(data: object) -> None:
    assert reason_from_json(data, "its sentence") == text_reason("its sentence")
