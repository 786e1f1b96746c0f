"""The calls behind rows of the audit: for those who may see them, until they are scrubbed."""

import pytest

from assent.gate.approval import Answer, Approval, Say, State, scrubbed
from assent.gate.callrecord import CallRecord, record_of
from assent.wire.excerpt import excerpt_of
from tests.gate.samples import ANA, an_approval, in_state
from tests.gate.scene import DENY, PUT, Scene, asked

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
    assert record_of(excerpt_of(approval)) == CallRecord({"command": "npm publish"}, ran)


@pytest.mark.proves("T-39", "T-49")
def test_what_was_scrubbed_is_not_told() -> None:
    assert record_of(excerpt_of(scrubbed(in_state(State.DONE)))) is None


@pytest.mark.proves("T-49")
async def test_the_rows_of_an_edited_call_hold_both_digests_and_no_argument(scene: Scene) -> None:
    turn = await scene.turn()
    question = await asked(turn, PUT)
    await scene.answer(question, EDITED)
    run = await turn.resume(question.id)
    await scene.gate.report(question.id, run.claim)  # type: ignore[union-attr]
    await scene.store.recorded()

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
    await scene.store.recorded()

    links, _ = await scene.store.audit(limit=10)

    [row] = [one.entry for one in links if one.entry.approval]
    assert (row.asked_digest, row.ran_digest, row.is_edited) == (question.call_digest, "", False)
