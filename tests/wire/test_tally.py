"""What the audit adds up to in JSON."""

from datetime import UTC, datetime

from assent.gate.history import Cause, Medians, QuestionCount, QuestionEnd, RuleHits, VerdictCount, tally
from assent.wire.audit import hits_to_json, tally_to_json

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
NONE = {"run": 0, "ask": 0, "deny": 0, "absent": 0}
ENDED = {"asked": 3, "yes": 2, "no": 0, "released": 0, "expired": 0, "withdrawn": 0, "open": 1}


def test_a_tally_says_each_count_by_its_word() -> None:
    cause = Cause("ask-rule", "r1")
    questions = [
        QuestionCount(AT, "t", cause, QuestionEnd.YES, 2),
        QuestionCount(AT, "t", cause, QuestionEnd.OPEN),
    ]
    found = tally([VerdictCount(AT, "ask", 3)], questions, Medians(1.5, {"t": 1.5}, {cause: 1.5}))
    load = {"questions": ENDED, "median": 1.5}

    assert tally_to_json(found) == {
        "decisions": {**NONE, "ask": 3},
        **load,
        "buckets": [
            {"at": "2026-03-01T12:00:00.000000+00:00", "decisions": {**NONE, "ask": 3}, "questions": ENDED}
        ],
        "tools": [{"tool": "t", **load}],
        "rules": [{"stage": "ask-rule", "rule": "r1", **load}],
    }


def test_hits_say_when_last() -> None:
    assert hits_to_json(9, [RuleHits("r1", 7, AT)]) == {
        "decisions": 9,
        "items": [{"rule": "r1", "hits": 7, "last": "2026-03-01T12:00:00.000000+00:00"}],
    }
