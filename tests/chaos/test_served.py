"""A real server over HTTP, to which everything happens: what its clients saw keeps every promise.

The short form of `./dev chaos served`.
"""

from typing import Any

import pytest

from chaos.effects import Effect
from chaos.forms import FORMS
from chaos.history import Act
from chaos.invariants import OK
from chaos.served import first_answers, unrecorded
from chaos.visitors import Diary
from tests.chaos.conftest import SEED
from tests.chaos.test_storms import silent, well


@pytest.mark.proves("R-1", "R-10", "R-33", "R-36")
def test_whatever_happens_to_a_server_its_clients_see_every_call_end_once(store: str) -> None:
    report = FORMS["served"].tried(store, SEED, silent, short=True)

    assert well(report)
    # How long it takes is for a calm machine.
    assert [text for text in report.missed if "p99 over" not in text] == []
    assert report.tally is not None
    assert report.tally.ran > 0


def test_an_answer_or_a_run_that_the_audit_does_not_have_exactly_once_is_found() -> None:
    diary = Diary()
    for number, (say, outcome) in enumerate([("once", OK), ("deny", OK), ("once", "error")]):
        told = {"approval": f"q{number}", "say": say, "by": "ana"}
        diary.tell(Act.ANSWER, f"s{number}", f"c{number}", **told)
        diary.tell(Act.ANSWER, f"s{number}", f"c{number}", outcome=outcome, **told)
    diary.leave(Effect("c0", "q0", "d", "s9"))
    whole = [row("q0", "approved"), row("q0", "claimed"), row("q1", "denied")]

    assert unrecorded(diary, whole) == []
    assert unrecorded(diary, [row("q0", "denied")]) == ["q0 approved", "q1 denied", "q0 claimed"]
    assert unrecorded(diary, whole[1:]) == ["q0 approved"]
    assert unrecorded(diary, [*whole, row("q1", "denied")]) == ["q1 denied"]


def test_the_first_answer_after_a_kill_is_one_that_was_sent_after_it() -> None:
    diary = Diary()
    diary.tell(Act.ANSWER, "early", "c0", say="once")
    diary.tell(Act.ANSWER, "lost", "c1", say="once")
    killed = diary.events[-1].at
    diary.tell(Act.ANSWER, "early", "c0", say="once", outcome=OK)
    diary.tell(Act.ANSWER, "lost", "c1", say="once", outcome="error")
    diary.tell(Act.ANSWER, "first", "c1", say="once")
    diary.tell(Act.ANSWER, "first", "c1", say="once", outcome=OK)

    assert first_answers(diary, [killed]) == [diary.events[-1].at - killed]
    assert first_answers(diary, [diary.events[-1].at]) == []


def row(approval: str, decision: str) -> dict[str, Any]:
    return {"entry": {"approval": approval, "decision": decision}}
