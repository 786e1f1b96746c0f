"""An event as JSON."""

import pytest

from assent.gate.live import Event, What
from assent.wire.event import event_from_json, event_to_json
from tests.gate.samples import NOW
from tests.wire.spoiling import demanded, refusal, through_json, unnoticed

WHOLE = Event(
    cursor="0.7.3", at=NOW, kind=What.ASKED, approval="q1", owner="ana", conversation="c1", agent="clerk"
)


@pytest.mark.parametrize("event", [WHOLE, *(Event(cursor="1", at=NOW, kind=kind) for kind in What)])
def test_an_event_comes_back_as_it_was(event: Event) -> None:
    assert event_from_json(through_json(event_to_json(event))) == event


def test_every_field_is_written_under_its_own_name() -> None:
    assert list(event_to_json(WHOLE)) == list(Event.__dataclass_fields__)


def test_a_wrong_type_is_an_error_that_names_the_field() -> None:
    data = event_to_json(WHOLE)

    assert unnoticed(data, "event", event_from_json) == []
    assert "`event.kind`" in refusal(event_from_json, {**data, "kind": "sneezed"})
    assert demanded(data, "event", event_from_json) == {"cursor", "at", "kind"}
