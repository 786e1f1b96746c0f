"""Two servers on one PostgreSQL act as one gate: every change on one takes effect on the other."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from assent.client.client import OutcomeKind
from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from assent.stores.migrations import HEAD
from tests.faults.callers import Caller
from tests.serving import MAX_WAIT_SECONDS, RunningServer, server, start_server
from tests.surfaces.http.sockets import open_live_socket
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pods")


@pytest.fixture(scope="module")
def pods(home: Path, database: str) -> Iterator[tuple[RunningServer, RunningServer]]:
    words = ("--database", database)
    with server(home, *words, name="a") as one, server(home, *words, name="b") as two:
        yield one, two


class LongPoll:
    """A long poll in its own thread."""

    def __init__(self, pod: RunningServer, approval: str) -> None:
        self.outcomes: list[Any] = []
        self._pod = pod
        self._approval = approval
        self._thread = threading.Thread(target=self._poll_repeatedly)
        self._thread.start()

    def _poll_repeatedly(self) -> None:
        try:
            self.outcomes.append(self._pod.client().wait(self._approval, 60))
        except Exception as error:  # noqa: BLE001 - what it was is for the test to say
            self.outcomes.append(error)

    def wait_for_outcome(self) -> Any:
        self._thread.join(MAX_WAIT_SECONDS)
        return self.outcomes[0]


def submit_call(pod: RunningServer, id: str, **more: object) -> str:
    outcome = pod.client().submit("Bash", {"command": "make"}, id=id, **({"agent": "clerk"} | more))
    assert outcome.kind is OutcomeKind.WAIT, outcome
    return outcome.approval


def answer_call(pod: RunningServer, id: str, say: Say = Say.ONCE) -> None:
    client = pod.client()
    client.answer(id, client.approval(id).digest, Answer(say=say))


@pytest.mark.proves("R-2")
def test_an_answer_on_one_pod_wakes_a_caller_on_the_other(
    pods: tuple[RunningServer, RunningServer],
) -> None:
    one, two = pods
    approval = submit_call(one, "woken")
    polling = LongPoll(one, approval)
    answer_call(two, approval)
    outcome = polling.wait_for_outcome()

    assert (outcome.kind, outcome.args) == (OutcomeKind.RUN, {"command": "make"})


def test_a_mode_that_is_changed_on_one_pod_applies_to_the_next_turn_on_the_other(
    pods: tuple[RunningServer, RunningServer],
) -> None:
    one, two = pods
    made: Any = one.client().request("POST", "/v1/conversations", {"agent": "clerk"}, tries=1)
    origin = {"conversation": made["id"], "agent": "clerk"}
    before = two.client().submit("Bash", {"command": "make"}, id="before", **origin).kind
    one.client().request("PATCH", f"/v1/conversations/{made['id']}", {"mode": "plan"})
    after = two.client().submit("Bash", {"command": "make"}, id="after", **origin).code

    assert (before, after) == (OutcomeKind.WAIT, "blocked_in_plan_mode")


@pytest.mark.proves("T-14")
def test_a_tool_that_is_blocked_on_one_pod_does_not_run_by_an_approval_on_the_other(
    pods: tuple[RunningServer, RunningServer],
) -> None:
    one, two = pods
    approval = submit_call(two, "blocked", agent="barred")
    polling = LongPoll(two, approval)
    blocked = {"tools": [{"toolName": "Bash", "providerKey": "ops", "status": "blocked"}]}
    one.client().request("PUT", "/v1/agents/barred/tools", blocked)
    answer_call(two, approval)
    outcome = polling.wait_for_outcome()

    assert (outcome.kind, outcome.code) == (OutcomeKind.REFUSE, "unknown_tool")
    assert one.client().approval(approval).state is State.REFUSED


@pytest.mark.proves("T-14")
def test_a_grant_that_is_revoked_on_one_pod_no_longer_applies_on_the_other(
    pods: tuple[RunningServer, RunningServer],
) -> None:
    one, two = pods
    approval = submit_call(one, "always", agent="eased")
    answer_call(one, approval, Say.ALWAYS)
    eased = two.client().submit("Bash", {"command": "make"}, id="eased", agent="eased").kind
    for rule in one.client().rules():
        one.client().revoke(rule.id)
    again = two.client().submit("Bash", {"command": "make"}, id="again", agent="eased").kind

    assert (eased, again) == (OutcomeKind.RUN, OutcomeKind.WAIT)


@pytest.mark.proves("T-14")
def test_a_pause_on_one_pod_stops_the_other(pods: tuple[RunningServer, RunningServer]) -> None:
    one, two = pods
    auto = {"mode": "auto", "agent": "busy"}
    before = two.client().submit("Bash", {"command": "make"}, id="1", **auto).kind
    one.client().request("POST", "/v1/switch", {"paused": True})
    paused = two.client().submit("Bash", {"command": "make"}, id="2", **auto)
    reads = two.client().submit("Bash", {"command": "ls"}, id="3", **auto).kind
    polling = LongPoll(two, paused.approval)
    one.client().request("POST", "/v1/switch", {"paused": False})
    after = polling.wait_for_outcome().kind

    assert (before, paused.kind, reads, after) == (
        OutcomeKind.RUN,
        OutcomeKind.WAIT,
        OutcomeKind.RUN,
        OutcomeKind.RUN,
    )


@pytest.mark.proves("R-7", "R-24")
async def test_events_of_one_pod_are_delivered_on_the_other_and_after_a_change_of_pods(
    pods: tuple[RunningServer, RunningServer],
) -> None:
    one, two = pods
    async with open_live_socket(two) as socket:
        await socket.receive_until("ready")
        approval = await asyncio.to_thread(submit_call, one, "told", agent="told")
        (told,) = await socket.receive_until("asked")
    await asyncio.to_thread(answer_call, two, approval)
    async with open_live_socket(one, socket.cursor) as again:
        missed = await again.receive_until("answered")

    assert told["id"] == approval
    assert [(message["type"], message.get("id")) for message in missed] == [
        ("ready", None),
        ("answered", approval),
    ]


@pytest.mark.proves("R-2", "R-24")
def test_a_caller_whose_pod_is_killed_continues_on_another(home: Path, database: str) -> None:
    with server(home, "--database", database, name="c") as stays:
        dies = start_server(home, "--database", database, name="d")
        approval = submit_call(dies, "orphan")
        polling = LongPoll(dies, approval)
        dies.kill()
        answer_call(stays, approval)
        outcome = stays.client().wait(approval, 30)
        lost = polling.wait_for_outcome()
        dies.close()

    assert isinstance(lost, Exception)
    assert outcome.kind is OutcomeKind.RUN


@pytest.mark.proves("R-23")
def test_a_rolling_upgrade_fails_no_request(home: Path, postgres_url: str, database: str) -> None:
    assert postgres_url == database
    old = start_server(home, "--database", database, name="old")
    callers = [Caller([old]) for _ in range(4)]
    stop = threading.Event()
    threads = [threading.Thread(target=_make_calls, args=(one, n, stop)) for n, one in enumerate(callers)]
    for thread in threads:
        thread.start()
    _wait_until_each_ran(callers, 1)
    asyncio.run(_upgrade_schema(database))
    new = start_server(home, "--database", database, name="new")
    for caller in callers:
        caller.pods.insert(0, new)
    _wait_until_each_ran(callers, 2)
    status = old.stop()
    stop.set()
    for thread in threads:
        thread.join(MAX_WAIT_SECONDS)
    asyncio.run(_restore_schema(database))
    ran = [call for caller in callers for call in caller.ran]
    for one in (old, new):
        one.close()
    for caller in callers:
        caller.close()

    assert status == 0
    assert [caller.refused for caller in callers] == [[]] * 4
    assert [caller.unknown for caller in callers] == [[]] * 4
    assert len(ran) == len(set(ran)) > 8


def _wait_until_each_ran(callers: list[Caller], least: int) -> None:
    """Wait until each caller has run at least this number of calls."""
    wait_until(lambda: all(len(caller.ran) >= least for caller in callers))


def _make_calls(caller: Caller, number: int, stop: threading.Event) -> None:
    """Make calls one after the other, and one more after the upgrade."""
    count = 0
    while True:
        is_last = stop.is_set()
        caller.complete_call(f"rolling {number} {count}", agent=f"agent {number}")
        count += 1
        if is_last:
            return


async def _upgrade_schema(url: str) -> None:
    """Change the schema like the next version: only additions."""
    generation, _, step = HEAD.partition(".")
    await _execute_sql(url, "ALTER TABLE approvals ADD COLUMN later_version text")
    await _execute_sql(url, f"UPDATE alembic_version SET version_num = '{generation}.{int(step) + 1}'")


async def _restore_schema(url: str) -> None:
    await _execute_sql(url, "ALTER TABLE approvals DROP COLUMN later_version")
    await _execute_sql(url, f"UPDATE alembic_version SET version_num = '{HEAD}'")


async def _execute_sql(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
