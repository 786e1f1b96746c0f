"""A conversation as JSON."""

import pytest

from assent.gate.conversation import Conversation
from assent.wire.conversation import conversation_from_json, conversation_to_json
from tests.gate.samples import NOW
from tests.wire.spoiling import demanded, through_json, unnoticed

PLAIN = Conversation(id="c1", owner="ana", preset="assent")
WHOLE = Conversation(
    id="c1", owner="ana", agent="clerk", preset="assent", mode="acceptEdits", title="Trip", model="m1", at=NOW
)


@pytest.mark.parametrize("conversation", [PLAIN, WHOLE])
def test_a_conversation_comes_back_as_it_was(conversation: Conversation) -> None:
    assert conversation_from_json(through_json(conversation_to_json(conversation))) == conversation


def test_every_field_is_written_under_its_own_name() -> None:
    assert list(conversation_to_json(WHOLE)) == list(Conversation.__dataclass_fields__)


def test_a_wrong_type_is_an_error_that_names_the_field() -> None:
    data = conversation_to_json(PLAIN)

    assert unnoticed(data, "conversation", conversation_from_json) == []
    assert demanded(data, "conversation", conversation_from_json) == {"id", "owner", "preset"}
