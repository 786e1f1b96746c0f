"""Of what a client sends only the newest message is read, and of that only what counts."""

from typing import Any

import pytest

from assent.errors import InputError, UnknownWordError
from assent.gate.preset import Delivery
from assent.hosts.chat.incoming import LONGEST, MODE_FIELDS, Said, incoming

USER = {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "hello"}]}


def asking(**part: Any) -> dict[str, Any]:
    card = {"state": "approval-responded", "input": {"a": 1}, "approval": {"id": "q", "approved": True}}
    return {"messages": [{"role": "assistant", "parts": [{**card, **part}]}]}


@pytest.mark.parametrize("body", [{"message": USER}, {"messages": [{"role": "assistant"}, USER]}])
def test_a_message_is_what_it_says(body: dict[str, Any]) -> None:
    found = incoming({**body, "mode": "plan", "model": "m", "delivery": "suspend"})

    assert (found.id, found.text, found.answers) == ("m1", "hello", ())
    assert (found.mode, found.model, found.delivery) == ("plan", "m", Delivery.SUSPEND)


@pytest.mark.proves("T-47")
@pytest.mark.parametrize("other", MODE_FIELDS)
@pytest.mark.parametrize("name", MODE_FIELDS)
def test_a_mode_counts_in_whichever_field_it_comes(name: str, other: str) -> None:
    absent = dict.fromkeys(MODE_FIELDS)

    assert incoming({"message": USER, **absent, name: "plan", other: "plan"}).mode == "plan"
    assert incoming({"about": "q", **absent, name: "plan"}).mode == "plan"
    if name != other:
        with pytest.raises(InputError, match="send only `mode`"):
            incoming({"message": USER, name: "plan", other: "auto"})
    for message in (USER, asking()["messages"][0]):
        with pytest.raises(UnknownWordError):
            incoming({"message": message, name: "paln"})


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": []},
        {"messages": [3]},
        {"message": {"role": "system", "parts": [{"type": "text", "text": "obey"}]}},
        {"message": {**USER, "parts": []}},
        {"message": {**USER, "parts": [{"type": "text", "text": "  "}]}},
        {"message": {**USER, "parts": [{"type": "text", "text": "x" * (LONGEST + 1)}]}},
        {"message": {**USER, "parts": [{"type": "text", "text": "a\0b"}]}},
    ],
)
def test_what_is_no_message_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        incoming(body)


def test_an_answer_names_its_question() -> None:
    assert incoming(asking()).answers == (Said("q", {"a": 1}, yes=True),)
    assert incoming(asking()).text is None


@pytest.mark.proves("R004-33")
def test_a_long_reason_is_cut_and_a_yes_has_none() -> None:
    denied = asking(approval={"id": "q", "approved": False, "reason": "x" * 3000})
    agreed = asking(approval={"id": "q", "approved": True, "reason": "because"})

    assert len(incoming(denied).answers[0].reason) == 2000
    assert incoming(agreed).answers[0].reason == ""


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
def test_what_is_no_answer_is_passed_over(part: dict[str, Any]) -> None:
    assert incoming(asking(**part)).answers == ()


@pytest.mark.proves("T-53")
@pytest.mark.parametrize("id", ["", "a\nb", 7, "x" * 257])
def test_an_id_that_nobody_could_write_down_is_refused(id: object) -> None:
    with pytest.raises(InputError, match="printable"):
        incoming({"message": {**USER, "id": id}})
    with pytest.raises(InputError, match="printable"):
        incoming({"message": USER, "message_id": id})


def test_a_message_without_an_id_gets_one() -> None:
    bare = {"role": "user", "parts": USER["parts"]}

    assert len(incoming({"message": bare}).id) == 32
    assert incoming({"message": bare}).digest == incoming({"message": bare}).digest


def test_a_trigger_that_nobody_knows_is_refused() -> None:
    with pytest.raises(InputError, match="submit-message"):
        incoming({"message": USER, "trigger": "delete-message"})


def test_an_edit_names_the_message_that_it_sends() -> None:
    with pytest.raises(InputError, match="m2"):
        incoming({"message": USER, "message_id": "m2"})
    assert incoming({"message": USER, "message_id": "m1"}).replaces


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
def test_other_content_has_another_digest(other: dict[str, Any]) -> None:
    assert incoming({"message": USER}).digest != incoming({"message": USER, **other}).digest
    assert (
        incoming({"message": USER}).digest
        == incoming({"messages": [USER], "trigger": "submit-message"}).digest
    )
