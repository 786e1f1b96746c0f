"""Two servers on one PostgreSQL are one gate: whatever is said on one holds on the other."""

import asyncio
import threading
import time
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
from tests.serving import PATIENCE, Running, server, started
from tests.surfaces.http.sockets import listening


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pods")


@pytest.fixture(scope="module")
def pods(home: Path, database: str) -> Iterator[tuple[Running, Running]]:
    words = ("--database", database)
    with server(home, *words, name="a") as one, server(home, *words, name="b") as two:
        yield one, two


class Polling:
    """A long poll on a thread of its own."""

    def __init__(self, pod: Running, approval: str) -> None:
        self.outcomes: list[Any] = []
        self._pod = pod
        self._approval = approval
        self._thread = threading.Thread(target=self._poll)
        self._thread.start()

    def _poll(self) -> None:
        try:
            self.outcomes.append(self._pod.client().wait(self._approval, 60))
        except Exception as error:  # noqa: BLE001 - what it was is for the test to say
            self.outcomes.append(error)

    def ended(self) -> Any:
        self._thread.join(PATIENCE)
        return self.outcomes[0]


def asked(pod: Running, id: str, **more: object) -> str:
    outcome = pod.client().submit("Bash", {"command": "make"}, id=id, **({"agent": "clerk"} | more))
    assert outcome.kind is OutcomeKind.WAIT, outcome
    return outcome.approval


def say_yes(pod: Running, id: str, say: Say = Say.ONCE) -> None:
    client = pod.client()
    client.answer(id, client.approval(id).digest, Answer(say=say))


@pytest.mark.proves("R-2")
def test_asked_on_one_answered_on_the_other_woken_on_the_first(pods: tuple[Running, Running]) -> None:
    one, two = pods
    approval = asked(one, "woken")
    polling = Polling(one, approval)
    say_yes(two, approval)
    outcome = polling.ended()

    assert (outcome.kind, outcome.args) == (OutcomeKind.RUN, {"command": "make"})


def test_a_mode_that_is_changed_on_one_is_the_next_turns_on_the_other(pods: tuple[Running, Running]) -> None:
    one, two = pods
    made: Any = one.client().request("POST", "/v1/conversations", {"agent": "clerk"}, tries=1)
    place = {"conversation": made["id"], "agent": "clerk"}
    before = two.client().submit("Bash", {"command": "make"}, id="before", **place).kind
    one.client().request("PATCH", f"/v1/conversations/{made['id']}", {"mode": "plan"})
    after = two.client().submit("Bash", {"command": "make"}, id="after", **place).code

    assert (before, after) == (OutcomeKind.WAIT, "blocked_in_plan_mode")


@pytest.mark.proves("T-14")
def test_a_tool_that_is_blocked_on_one_does_not_run_by_a_yes_on_the_other(
    pods: tuple[Running, Running],
) -> None:
    one, two = pods
    approval = asked(two, "blocked", agent="barred")
    polling = Polling(two, approval)
    blocked = {"tools": [{"toolName": "Bash", "providerKey": "ops", "status": "blocked"}]}
    one.client().request("PUT", "/v1/agents/barred/tools", blocked)
    say_yes(two, approval)
    outcome = polling.ended()

    assert (outcome.kind, outcome.code) == (OutcomeKind.REFUSE, "unknown_tool")
    assert one.client().approval(approval).state is State.REFUSED


@pytest.mark.proves("T-14")
def test_what_is_revoked_on_one_asks_again_on_the_other(pods: tuple[Running, Running]) -> None:
    one, two = pods
    approval = asked(one, "always", agent="eased")
    say_yes(one, approval, Say.ALWAYS)
    eased = two.client().submit("Bash", {"command": "make"}, id="eased", agent="eased").kind
    for rule in one.client().rules():
        one.client().revoke(rule.id)
    again = two.client().submit("Bash", {"command": "make"}, id="again", agent="eased").kind

    assert (eased, again) == (OutcomeKind.RUN, OutcomeKind.WAIT)


@pytest.mark.proves("T-14")
def test_the_switch_that_is_thrown_on_one_stops_the_other(pods: tuple[Running, Running]) -> None:
    one, two = pods
    auto = {"mode": "auto", "agent": "busy"}
    before = two.client().submit("Bash", {"command": "make"}, id="1", **auto).kind
    one.client().request("POST", "/v1/switch", {"paused": True})
    paused = two.client().submit("Bash", {"command": "make"}, id="2", **auto)
    reads = two.client().submit("Bash", {"command": "ls"}, id="3", **auto).kind
    polling = Polling(two, paused.approval)
    one.client().request("POST", "/v1/switch", {"paused": False})
    after = polling.ended().kind

    assert (before, paused.kind, reads, after) == (
        OutcomeKind.RUN,
        OutcomeKind.WAIT,
        OutcomeKind.RUN,
        OutcomeKind.RUN,
    )


@pytest.mark.proves("R-7", "R-24")
async def test_what_happens_on_one_is_told_on_the_other_and_to_who_comes_from_the_other(
    pods: tuple[Running, Running],
) -> None:
    one, two = pods
    async with listening(two) as socket:
        await socket.until("ready")
        approval = await asyncio.to_thread(asked, one, "told", agent="told")
        (told,) = await socket.until("asked")
    await asyncio.to_thread(say_yes, two, approval)
    async with listening(one, socket.cursor) as again:
        missed = await again.until("answered")

    assert told["id"] == approval
    assert [(message["type"], message.get("id")) for message in missed] == [
        ("ready", None),
        ("answered", approval),
    ]


@pytest.mark.proves("R-2", "R-24")
def test_a_caller_whose_pod_is_killed_goes_on_with_another(home: Path, database: str) -> None:
    with server(home, "--database", database, name="c") as stays:
        dies = started(home, "--database", database, name="d")
        approval = asked(dies, "orphan")
        polling = Polling(dies, approval)
        dies.kill()
        say_yes(stays, approval)
        outcome = stays.client().wait(approval, 30)
        lost = polling.ended()
        dies.close()

    assert isinstance(lost, Exception)
    assert outcome.kind is OutcomeKind.RUN


@pytest.mark.proves("R-23")
def test_a_rolling_upgrade_fails_no_request(home: Path, postgres_url: str, database: str) -> None:
    assert postgres_url == database
    old = started(home, "--database", database, name="old")
    callers = [Caller([old]) for _ in range(4)]
    stop = threading.Event()
    threads = [threading.Thread(target=_busy, args=(one, n, stop)) for n, one in enumerate(callers)]
    for thread in threads:
        thread.start()
    _each_ran(callers, 1)
    asyncio.run(_newer(database))
    new = started(home, "--database", database, name="new")
    for caller in callers:
        caller.pods.insert(0, new)
    _each_ran(callers, 2)
    status = old.stop()
    stop.set()
    for thread in threads:
        thread.join(PATIENCE)
    asyncio.run(_as_before(database))
    ran = [call for caller in callers for call in caller.ran]
    for one in (old, new):
        one.close()
    for caller in callers:
        caller.close()

    assert status == 0
    assert [caller.refused for caller in callers] == [[]] * 4
    assert [caller.unknown for caller in callers] == [[]] * 4
    assert len(ran) == len(set(ran)) > 8


def _each_ran(callers: list[Caller], least: int) -> None:
    """Wait until everybody was let run so many calls."""
    deadline = time.monotonic() + PATIENCE
    while any(len(caller.ran) < least for caller in callers):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _busy(caller: Caller, number: int, stop: threading.Event) -> None:
    """Calls, one after the other; and once more after everything has moved."""
    count = 0
    while True:
        is_last = stop.is_set()
        caller.see_through(f"rolling {number} {count}", agent=f"agent {number}")
        count += 1
        if is_last:
            return


async def _newer(url: str) -> None:
    """What the next version would do to the schema: it only adds."""
    generation, _, step = HEAD.partition(".")
    await _execute(url, "ALTER TABLE approvals ADD COLUMN later_version text")
    await _execute(url, f"UPDATE alembic_version SET version_num = '{generation}.{int(step) + 1}'")


async def _as_before(url: str) -> None:
    await _execute(url, "ALTER TABLE approvals DROP COLUMN later_version")
    await _execute(url, f"UPDATE alembic_version SET version_num = '{HEAD}'")


async def _execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
