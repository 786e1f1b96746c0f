"""A real server over HTTP with all mishaps: the events that its clients recorded break no invariant.

The short form of `./dev chaos served`.
"""

from typing import Any

import pytest

from chaos.clients import ClientLog
from chaos.effects import Effect
from chaos.forms import SCENARIOS
from chaos.history import Act
from chaos.invariants import OK
from chaos.served import missing_audit_rows, seconds_until_first_answers
from tests.chaos.conftest import SEED
from tests.chaos.test_storms import is_clean, no_progress


@pytest.mark.proves("R-1", "R-10", "R-33", "R-36")
def test_clients_see_every_call_end_once_during_all_mishaps(store: str) -> None:
    report = SCENARIOS["served"].run(store, SEED, no_progress, short=True)

    assert is_clean(report)
    # How long it takes is for a calm machine.
    assert [text for text in report.missed if "p99 over" not in text] == []
    assert report.tally is not None
    assert report.tally.ran > 0


def test_an_answer_or_run_that_is_not_exactly_once_in_the_audit_is_reported() -> None:
    client_log = ClientLog()
    for number, (say, outcome) in enumerate([("once", OK), ("deny", OK), ("once", "error")]):
        told = {"approval": f"q{number}", "say": say, "by": "ana"}
        client_log.record(Act.ANSWER, f"s{number}", f"c{number}", **told)
        client_log.record(Act.ANSWER, f"s{number}", f"c{number}", outcome=outcome, **told)
    client_log.record_effect(Effect("c0", "q0", "d", "s9"))
    whole = [audit_row("q0", "approved"), audit_row("q0", "claimed"), audit_row("q1", "denied")]

    assert missing_audit_rows(client_log, whole) == []
    assert missing_audit_rows(client_log, [audit_row("q0", "denied")]) == [
        "q0 approved",
        "q1 denied",
        "q0 claimed",
    ]
    assert missing_audit_rows(client_log, whole[1:]) == ["q0 approved"]
    assert missing_audit_rows(client_log, [*whole, audit_row("q1", "denied")]) == ["q1 denied"]


def test_the_first_answer_after_a_kill_was_sent_after_the_kill() -> None:
    client_log = ClientLog()
    client_log.record(Act.ANSWER, "early", "c0", say="once")
    client_log.record(Act.ANSWER, "lost", "c1", say="once")
    killed = client_log.events[-1].at
    client_log.record(Act.ANSWER, "early", "c0", say="once", outcome=OK)
    client_log.record(Act.ANSWER, "lost", "c1", say="once", outcome="error")
    client_log.record(Act.ANSWER, "first", "c1", say="once")
    client_log.record(Act.ANSWER, "first", "c1", say="once", outcome=OK)

    assert seconds_until_first_answers(client_log, [killed]) == [client_log.events[-1].at - killed]
    assert seconds_until_first_answers(client_log, [client_log.events[-1].at]) == []


def audit_row(approval: str, decision: str) -> dict[str, Any]:
    return {"entry": {"approval": approval, "decision": decision}}
