"""A conversation as JSON."""

from assent.gate.conversation import Conversation
from assent.wire.conversation import conversation_to_json
from tests.gate.samples import NOW

WHOLE = Conversation(
    id="c1", owner="ana", agent="clerk", preset="assent", mode="acceptEdits", title="Trip", model="m1", at=NOW
)


def test_every_field_is_written_under_its_own_name() -> None:
    assert list(conversation_to_json(WHOLE)) == list(Conversation.__dataclass_fields__)
