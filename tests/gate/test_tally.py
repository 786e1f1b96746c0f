"""What was counted in small parts is added up."""

from datetime import UTC, datetime, timedelta

from assent.gate.tally import Cause, End, Medians, Questions, Span, Verdicts, tally

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = AT + timedelta(hours=1)
MODE, RULE = Cause("mode"), Cause("ask-rule", "r1")
FEW = [
    Questions(AT, "mail.send", MODE, End.YES, 2),
    Questions(LATER, "mail.send", RULE, End.NO),
    Questions(LATER, "note.put", RULE, End.OPEN),
]
MEDIANS = Medians(3.0, {"mail.send": 2.0}, {MODE: 1.0})


def test_parts_are_added_up_by_each_of_their_names() -> None:
    found = tally([Verdicts(AT, "ask", 2), Verdicts(LATER, "ask", 2), Verdicts(AT, "run", 5)], FEW, MEDIANS)

    assert found.decisions == {"run": 5, "ask": 4, "deny": 0, "absent": 0}
    assert (found.every.questions[End.YES], found.every.median) == (2, 3.0)
    assert [(tool, sum(load.questions.values()), load.median) for tool, load in found.tools] == [
        ("mail.send", 3, 2.0),
        ("note.put", 1, None),
    ]
    assert [(cause, sum(load.questions.values()), load.median) for cause, load in found.causes] == [
        (RULE, 2, None),
        (MODE, 2, 1.0),
    ]


def test_buckets_come_in_order_and_only_where_something_happened() -> None:
    found = tally([Verdicts(LATER, "deny"), Verdicts(AT, "ask")], FEW, MEDIANS)

    assert [(one.at, one.decisions["deny"], one.questions[End.NO]) for one in found.buckets] == [
        (AT, 0, 0),
        (LATER, 1, 1),
    ]


def test_a_day_is_twenty_four_hours() -> None:
    assert Span.DAY.seconds == 24 * Span.HOUR.seconds
