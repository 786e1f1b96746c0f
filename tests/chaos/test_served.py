"""A real server over HTTP, to which everything happens: what its clients saw keeps every promise.

The short form of `./dev chaos served`.
"""

from typing import Any

import pytest

from chaos.forms import FORMS
from chaos.history import Act
from chaos.invariants import OK, TAKEN, stories
from chaos.served import ended_by_a_move, unrecorded
from chaos.visitors import Diary
from tests.chaos.conftest import SEED
from tests.chaos.test_storms import silent, well


@pytest.mark.proves("R-1", "R-10", "R-33")
def test_whatever_happens_to_a_server_its_clients_see_every_call_end_once(store: str) -> None:
    report = FORMS["served"].tried(store, SEED, silent, short=True)

    assert well(report)
    assert report.missed == []
    assert report.tally is not None
    assert report.tally.ran > 0


def test_only_a_call_that_was_approved_before_a_move_may_end_by_it() -> None:
    diary = Diary()
    diary.tell(Act.ANSWER, "s1", "c1", approval="q1", say="once", by="ana")
    diary.tell(Act.ANSWER, "s1", "c1", approval="q1", say="once", by="ana", outcome=OK)
    diary.tell(Act.TAKE, "s2", "c1", approval="q1")
    diary.tell(Act.TAKE, "s2", "c1", approval="q1", outcome=TAKEN)
    (story,) = stories(diary.events, diary.effects)
    first, last = diary.events[0].at, diary.events[-1].at

    assert ended_by_a_move(story, [(first, last)])
    assert not ended_by_a_move(story, [(last + 1, last + 2)])
    assert not ended_by_a_move(story, [(first - 2, first - 1)])
    assert not ended_by_a_move(story, [])


def test_an_answer_that_the_audit_lacks_is_found() -> None:
    diary = Diary()
    for number, (say, outcome) in enumerate([("once", OK), ("deny", OK), ("once", "error")]):
        told = {"approval": f"q{number}", "say": say, "by": "ana"}
        diary.tell(Act.ANSWER, f"s{number}", f"c{number}", **told)
        diary.tell(Act.ANSWER, f"s{number}", f"c{number}", outcome=outcome, **told)

    assert unrecorded(diary, [row("q0", "approved"), row("q1", "denied")]) == []
    assert unrecorded(diary, [row("q0", "denied")]) == ["q0", "q1"]


def row(approval: str, decision: str) -> dict[str, Any]:
    return {"entry": {"approval": approval, "decision": decision}}
