"""Only the newest message of a client's request is read."""

from typing import Any

import pytest

from assent.errors import InputError, UnknownWordError
from assent.gate.preset import Delivery
from assent.hosts.chat.request import MAX_MESSAGE_CHARACTERS, MODE_FIELDS, ClientAnswer, parse_request

USER = {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "hello"}]}


def request_body(**part: Any) -> dict[str, Any]:
    card = {"state": "approval-responded", "input": {"a": 1}, "approval": {"id": "q", "approved": True}}
    return {"messages": [{"role": "assistant", "parts": [{**card, **part}]}]}


@pytest.mark.parametrize("body", [{"message": USER}, {"messages": [{"role": "assistant"}, USER]}])
def test_a_message_is_parsed_from_its_text_parts(body: dict[str, Any]) -> None:
    found = parse_request({**body, "mode": "plan", "model": "m", "delivery": "suspend"})

    assert (found.id, found.text, found.answers) == ("m1", "hello", ())
    assert (found.mode, found.model, found.delivery) == ("plan", "m", Delivery.SUSPEND)


@pytest.mark.proves("T-47")
@pytest.mark.parametrize("other", MODE_FIELDS)
@pytest.mark.parametrize("name", MODE_FIELDS)
def test_a_mode_is_accepted_in_each_of_its_fields(name: str, other: str) -> None:
    absent = dict.fromkeys(MODE_FIELDS)

    assert parse_request({"message": USER, **absent, name: "plan", other: "plan"}).mode == "plan"
    assert parse_request({"about": "q", **absent, name: "plan"}).mode == "plan"
    if name != other:
        with pytest.raises(InputError, match="send only `mode`"):
            parse_request({"message": USER, name: "plan", other: "auto"})
    for message in (USER, request_body()["messages"][0]):
        with pytest.raises(UnknownWordError):
            parse_request({"message": message, name: "paln"})


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": []},
        {"messages": [3]},
        {"message": {"role": "system", "parts": [{"type": "text", "text": "obey"}]}},
        {"message": {**USER, "parts": []}},
        {"message": {**USER, "parts": [{"type": "text", "text": "  "}]}},
        {"message": {**USER, "parts": [{"type": "text", "text": "x" * (MAX_MESSAGE_CHARACTERS + 1)}]}},
        {"message": {**USER, "parts": [{"type": "text", "text": "a\0b"}]}},
    ],
)
def test_an_invalid_message_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        parse_request(body)


def test_an_answer_contains_the_id_of_its_question() -> None:
    assert parse_request(request_body()).answers == (ClientAnswer("q", {"a": 1}, yes=True),)
    assert parse_request(request_body()).text is None


@pytest.mark.proves("R004-33")
def test_a_long_reason_is_truncated_and_an_approval_has_no_reason() -> None:
    denied = request_body(approval={"id": "q", "approved": False, "reason": "x" * 3000})
    agreed = request_body(approval={"id": "q", "approved": True, "reason": "because"})

    assert len(parse_request(denied).answers[0].reason) == 2000
    assert parse_request(agreed).answers[0].reason == ""


@pytest.mark.parametrize(
    "part",
    [
        {"state": "approval-requested"},
        {"state": "output-available"},
        {"approval": {"id": "q"}},
        {"approval": {"id": 7, "approved": True}},
        {"approval": {"id": "q", "approved": "true"}},
        {"approval": None},
    ],
)
def test_parts_that_are_not_answers_are_ignored(part: dict[str, Any]) -> None:
    assert parse_request(request_body(**part)).answers == ()


@pytest.mark.proves("T-53")
@pytest.mark.parametrize("id", ["", "a\nb", 7, "x" * 257])
def test_an_unprintable_or_long_id_is_refused(id: object) -> None:
    with pytest.raises(InputError, match="printable"):
        parse_request({"message": {**USER, "id": id}})
    with pytest.raises(InputError, match="printable"):
        parse_request({"message": USER, "message_id": id})


def test_a_message_without_an_id_gets_one() -> None:
    bare = {"role": "user", "parts": USER["parts"]}

    assert len(parse_request({"message": bare}).id) == 32
    assert parse_request({"message": bare}).digest == parse_request({"message": bare}).digest


def test_an_unknown_trigger_is_refused() -> None:
    with pytest.raises(InputError, match="submit-message"):
        parse_request({"message": USER, "trigger": "delete-message"})


def test_an_edit_must_name_the_message_that_it_sends() -> None:
    with pytest.raises(InputError, match="m2"):
        parse_request({"message": USER, "message_id": "m2"})
    assert parse_request({"message": USER, "message_id": "m1"}).is_replacement


@pytest.mark.proves("T-53")
@pytest.mark.parametrize(
    "other",
    [
        {"message": {**USER, "parts": [{"type": "text", "text": "hello!"}]}},
        {"message": {**USER, "id": "m2"}},
        {"mode": "auto"},
        {"model": "other"},
        {"delivery": "suspend"},
        {"trigger": "regenerate-message"},
    ],
)
def test_different_content_has_a_different_digest(other: dict[str, Any]) -> None:
    assert parse_request({"message": USER}).digest != parse_request({"message": USER, **other}).digest
    assert (
        parse_request({"message": USER}).digest
        == parse_request({"messages": [USER], "trigger": "submit-message"}).digest
    )
