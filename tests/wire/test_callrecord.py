"""A call record as JSON."""

from assent.gate.history import CallRecord
from assent.wire.audit import record_to_json


def test_what_was_asked_and_what_ran() -> None:
    assert record_to_json(CallRecord({"a": 1}, {"a": 2})) == {
        "asked": {"a": 1},
        "ran": {"a": 2},
        "clipped": False,
    }
    assert record_to_json(CallRecord({"a": 1}, None, clipped=True))["ran"] is None
