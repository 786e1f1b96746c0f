"""One server on SQLite is killed and stopped repeatedly under load: nothing is lost, and nothing runs twice."""

import threading
from pathlib import Path

import pytest

from assent.gate.approval import State
from chaos.server_process import find_port
from tests.faults.callers import Caller
from tests.serving import MAX_WAIT_SECONDS, start_server

CALLERS = 4
CALLS = 12
RESTARTS = 3


@pytest.mark.proves("R-1", "R-23")
def test_a_server_that_is_restarted_under_load_loses_no_call(tmp_path: Path) -> None:
    port = str(find_port())
    running = start_server(tmp_path, "--port", port)
    callers = [Caller([running]) for _ in range(CALLERS)]
    asked: list[str] = []
    threads = [
        threading.Thread(target=_make_calls, args=(caller, number, asked))
        for number, caller in enumerate(callers)
    ]
    for thread in threads:
        thread.start()
    for number in range(RESTARTS):
        if number % 2:
            assert running.stop() == 0
        else:
            running.kill()
        running.close()
        running = start_server(tmp_path, "--port", port)
    for thread in threads:
        thread.join(MAX_WAIT_SECONDS)
    client = running.client()
    states = [client.approval(one).state for one in asked]
    running.close()
    for caller in callers:
        caller.close()

    ran = [call for caller in callers for call in caller.ran]
    unknown = [call for caller in callers for call in caller.unknown]
    assert [caller.refused for caller in callers] == [[]] * CALLERS
    assert len(asked) == len(set(asked)) == CALLERS * CALLS
    assert sorted([*ran, *unknown]) == sorted(asked)
    assert states.count(State.DONE) == len(ran)
    assert len(unknown) <= CALLERS * RESTARTS


def _make_calls(caller: Caller, number: int, asked: list[str]) -> None:
    name = f"agent {number}"
    asked.extend(caller.complete_call(f"call {number} {count}", agent=name) for count in range(CALLS))
