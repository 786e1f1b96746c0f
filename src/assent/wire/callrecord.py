"""A call record as JSON."""

from assent.gate.callrecord import CallRecord
from assent.wire import shapes


def record_to_json(record: CallRecord) -> shapes.CallRecordShown:
    """What was asked and what ran."""
    return {
        "asked": dict(record.asked),
        "ran": None if record.ran is None else dict(record.ran),
        "clipped": record.clipped,
    }
