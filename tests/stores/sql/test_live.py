"""Tests of the pause over several processes, of settings, and of pods."""

from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from assent.gate.approval import Approval, State
from assent.gate.events import Pod
from assent.gate.policy import Moment
from assent.stores.admin.connections import read_any_schema, write_any_schema
from assent.stores.audit.verify import read_time
from assent.stores.postgres.database import is_postgres, open_postgres
from assent.stores.sql.approvals import ApprovalReader
from assent.stores.sql.batch import AddApproval, ChangeApproval, run_batch
from assent.stores.sql.live import POD_TIMEOUT, pause, read_pods, read_setting, resume, save_setting
from assent.stores.sql.statement import read_moment, span_to_micros
from assent.stores.sqlite.database import open_sqlite
from assent.stores.store import SqlStore
from tests.gate.samples import ADA, ANA, DAY, NOW, make_question
from tests.gate.scene import DENY, ONCE, GateHarness
from tests.stores.database import transaction
from tests.stores.processes import read_word, start_process
from tests.stores.promises.given import MANY, SetClock, answer_change
from tests.waiting import allow_time_for_errors, wait_until_async

start_pod = partial(start_process, module="tests.gate.pod")
"""Starts another process that makes calls."""


@asynccontextmanager
async def open_gate(address: str) -> AsyncGenerator[GateHarness]:
    """A gate in this process."""
    store = await (open_postgres(address) if is_postgres(address) else open_sqlite(address))
    harness = GateHarness(store, SetClock())
    async with harness.gate:
        yield harness


async def wait_for_question(harness: GateHarness, process: Process) -> str:
    """Wait for the question of another process; return its id."""

    async def find_approvals() -> Sequence[Approval]:
        return (await harness.gate.pending_approvals(ANA)).approvals

    found = await wait_until_async(find_approvals)
    assert process.returncode is None
    return found[0].id


@pytest.mark.proves("T-14")
async def test_a_pause_delays_the_calls_of_another_process_until_its_end(address: str) -> None:
    async with open_gate(address) as harness:
        await harness.gate.pause(ADA)
        async with start_pod(address, "auto", "read", "put") as other:
            assert [await read_word(other) for _ in range(3)] == ["calls read", "Run", "calls put"]
            id_ = await wait_for_question(harness, other)
            await allow_time_for_errors()
            held = await harness.gate.approval(ANA, id_)

            await harness.gate.resume(ADA)

            assert await read_word(other) == "Run"
            assert (held.state, held.decision.because) == (
                State.PENDING,
                "ada paused all agents: only reads continue",
            )
            assert (await harness.gate.approval(ANA, id_)).state is State.RUNNING


@pytest.mark.proves("T-14")
async def test_an_approval_during_a_pause_is_used_in_another_process_only_afterwards(address: str) -> None:
    async with open_gate(address) as harness, start_pod(address, "default", "send", "put") as other:
        assert await read_word(other) == "calls send"
        id_ = await wait_for_question(harness, other)
        await harness.gate.pause(ADA)
        asked = await harness.gate.approval(ANA, id_)
        await harness.answer(asked, ONCE)
        await allow_time_for_errors()
        kept = await harness.gate.approval(ANA, id_)

        await harness.gate.resume(ADA)

        assert [await read_word(other) for _ in range(2)] == ["Run", "calls put"]
        assert (kept.state, (await harness.gate.approval(ANA, id_)).state) == (State.APPROVED, State.RUNNING)


async def test_a_denial_during_a_pause_reaches_another_process_immediately(address: str) -> None:
    async with open_gate(address) as harness, start_pod(address, "default", "send") as other:
        assert await read_word(other) == "calls send"
        id_ = await wait_for_question(harness, other)
        await harness.gate.pause(ADA)

        await harness.answer(await harness.gate.approval(ANA, id_), DENY)

        assert await read_word(other) == "Refuse"


def test_pausing_or_resuming_twice_has_no_further_effect(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        moment = Moment(NOW, 0)
        turned = [pause(connection, moment, who) for who in ("ada", "ben")]
        is_paused = read_moment(connection, lambda: NOW).paused
        back = [resume(connection, moment, ApprovalReader()) for _ in range(2)]

    assert [edited.policy for edited in (*turned, *back)] == [True, False, True, False]
    assert is_paused


def test_resuming_gives_each_approved_call_its_full_time(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        questions = ApprovalReader()
        pieces = [
            AddApproval("q1", make_question(), MANY),
            ChangeApproval("q1", answer_change()),
            AddApproval("q2", make_question("q2"), MANY),
        ]
        run_batch(connection, questions, lambda: NOW, pieces)
        before = questions.read_approvals(connection, ["q1", "q2"])
        pause(connection, Moment(NOW, 0), "ada")

        resume(connection, Moment(NOW + DAY, 1), questions)

        after = questions.read_approvals(connection, ["q1", "q2"])
    assert after["q1"].usable_until == NOW + DAY + before["q1"].usable_for
    assert after["q2"] == before["q2"]


def test_a_missing_setting_is_none_and_removing_it_changes_nothing(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        moment = Moment(NOW, 0)

        assert read_setting(connection, "colour") is None
        assert not save_setting(connection, moment, "colour", None, "ada").policy
        assert save_setting(connection, moment, "colour", "red", "ada").policy
        assert read_setting(connection, "colour") == "red"


FIRST_POD = Pod(workspace="/srv/a", policy_digest="111", version="0.1.0")
SECOND_POD = Pod(workspace="/srv/b", policy_digest="222", version="0.2.0")


async def open_store(address: str) -> SqlStore:
    return await (open_postgres(address) if is_postgres(address) else open_sqlite(address))


async def live_pods(address: str) -> tuple[Pod, ...]:
    return await read_any_schema(address, lambda connection: read_pods(connection, read_time(connection)))


@pytest.mark.proves("R-35")
async def test_a_registered_process_and_the_others_see_each_other(address: str) -> None:
    first, second = await open_store(address), await open_store(address)

    alone = await first.join(FIRST_POD)
    joining = await second.join(SECOND_POD)
    again = await first.join(FIRST_POD)
    both = await live_pods(address)
    await second.leave()
    left = await first.join(FIRST_POD)

    assert (alone, joining, again, left) == ((), (FIRST_POD,), (SECOND_POD,), ())
    assert set(both) == {FIRST_POD, SECOND_POD}
    await first.close()
    await second.close()


@pytest.mark.proves("R-35")
async def test_a_process_without_heartbeats_is_removed(address: str) -> None:
    first, second = await open_store(address), await open_store(address)
    await second.join(SECOND_POD)
    silent = span_to_micros(POD_TIMEOUT + timedelta(seconds=1))
    await write_any_schema(
        address,
        lambda connection: connection.core.exec_driver_sql(
            f"UPDATE processes SET seen_at = seen_at - {silent} WHERE boot = '{second.boot}'"
        ),
    )

    assert await first.join(FIRST_POD) == ()
    assert await live_pods(address) == (FIRST_POD,)
    await first.close()
    await second.close()
