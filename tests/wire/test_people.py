"""Tests of people and credentials as JSON."""

from assent.gate.access import Kind
from assent.gate.conversation import Conversation
from assent.gate.people import Credential, Person, Purpose
from assent.wire.people import conversation_to_json, credential_to_json, person_to_json
from tests.gate.samples import NOW
from tests.wire.broken_json import to_and_from_json

PERSON = Person(id="ana", name="Ana ñ", identity="https://id.example|42", disabled_at=NOW, added_at=NOW)
CREDENTIAL = Credential(
    id="k1", purpose=Purpose.TOKEN, kind=Kind.AGENT, principal_id="clerk", on_behalf="ana", expires_at=NOW
)


def test_every_field_is_written_under_its_own_name() -> None:
    assert list(person_to_json(PERSON)) == list(Person.__dataclass_fields__)
    assert list(credential_to_json(CREDENTIAL)) == list(Credential.__dataclass_fields__)


def test_the_json_can_be_serialized() -> None:
    for written in (person_to_json(PERSON), credential_to_json(CREDENTIAL)):
        assert to_and_from_json(written) == written


def test_every_field_of_a_conversation_is_written_under_its_own_name() -> None:
    whole = Conversation(
        id="c1",
        owner="ana",
        agent="clerk",
        preset="assent",
        mode="acceptEdits",
        title="Trip",
        model="m1",
        at=NOW,
    )

    assert list(conversation_to_json(whole)) == list(Conversation.__dataclass_fields__)
