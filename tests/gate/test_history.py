"""What was counted in small parts is added up."""

from datetime import UTC, datetime, timedelta

import pytest

from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State, without_arguments
from assent.gate.history import (
    BucketSize,
    CallRecord,
    Cause,
    Medians,
    QuestionCount,
    QuestionEnd,
    VerdictCount,
    call_record,
    tally,
)
from assent.wire.excerpt import excerpt_of
from tests.gate.samples import ANA, an_approval, in_state
from tests.gate.scene import DENY, PUT, Scene, asked

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = AT + timedelta(hours=1)
MODE, RULE = Cause("mode"), Cause("ask-rule", "r1")
FEW = [
    QuestionCount(AT, "mail.send", MODE, QuestionEnd.YES, 2),
    QuestionCount(LATER, "mail.send", RULE, QuestionEnd.NO),
    QuestionCount(LATER, "note.put", RULE, QuestionEnd.OPEN),
]
MEDIANS = Medians(3.0, {"mail.send": 2.0}, {MODE: 1.0})


def test_parts_are_added_up_by_each_of_their_names() -> None:
    found = tally(
        [VerdictCount(AT, "ask", 2), VerdictCount(LATER, "ask", 2), VerdictCount(AT, "run", 5)], FEW, MEDIANS
    )

    assert found.decisions == {"run": 5, "ask": 4, "deny": 0, "absent": 0}
    assert (found.total.questions[QuestionEnd.YES], found.total.median) == (2, 3.0)
    assert [(tool, sum(load.questions.values()), load.median) for tool, load in found.tools] == [
        ("mail.send", 3, 2.0),
        ("note.put", 1, None),
    ]
    assert [(cause, sum(load.questions.values()), load.median) for cause, load in found.causes] == [
        (RULE, 2, None),
        (MODE, 2, 1.0),
    ]


def test_buckets_come_in_order_and_only_where_something_happened() -> None:
    found = tally([VerdictCount(LATER, "deny"), VerdictCount(AT, "ask")], FEW, MEDIANS)

    assert [(one.at, one.decisions["deny"], one.questions[QuestionEnd.NO]) for one in found.buckets] == [
        (AT, 0, 0),
        (LATER, 1, 1),
    ]


def test_a_day_is_twenty_four_hours() -> None:
    assert BucketSize.DAY.seconds == 24 * BucketSize.HOUR.seconds


EDITED = Answer(say=Say.ONCE, args={"key": "a", "value": 2})


@pytest.mark.parametrize(
    ("approval", "ran"),
    [
        (an_approval(), None),
        (in_state(State.DENIED), None),
        (in_state(State.DONE), {"command": "npm publish"}),
        (in_state(State.FAILED, answer=Answer(say=Say.ONCE, args={"command": "ls"})), {"command": "ls"}),
    ],
)
def test_a_record_says_what_was_asked_and_what_ran(approval: Approval, ran: dict[str, object] | None) -> None:
    assert call_record(excerpt_of(approval)) == CallRecord({"command": "npm publish"}, ran)


@pytest.mark.proves("T-39", "T-49")
def test_what_was_scrubbed_is_not_told() -> None:
    assert call_record(excerpt_of(without_arguments(in_state(State.DONE)))) is None


@pytest.mark.proves("T-49")
async def test_the_rows_of_an_edited_call_hold_both_digests_and_no_argument(scene: Scene) -> None:
    turn = await scene.turn()
    question = await asked(turn, PUT)
    await scene.answer(question, EDITED)
    run = await turn.resume(question.id)
    await scene.gate.report(question.id, run.claim)  # type: ignore[union-attr]
    await scene.store.flush_audit()

    links, _ = await scene.store.audit(limit=10)

    rows = [one.entry for one in links if one.entry.approval]
    assert [one.decision for one in rows] == ["approved", "claimed", "executed"]
    assert {one.asked_digest for one in rows} == {question.call_digest}
    assert len({one.ran_digest for one in rows} | {question.call_digest}) == 2
    assert all(one.is_edited for one in rows)
    assert "value" not in repr(rows)


async def test_a_call_that_ran_as_it_was_asked_has_one_digest_and_a_denied_one_ran_none(scene: Scene) -> None:
    turn = await scene.turn()
    question = await asked(turn, PUT)
    await scene.answer(question, DENY, ANA)
    await scene.store.flush_audit()

    links, _ = await scene.store.audit(limit=10)

    [row] = [one.entry for one in links if one.entry.approval]
    assert (row.asked_digest, row.ran_digest, row.is_edited) == (question.call_digest, "", False)
