"""The one switch reaches every process: what is not a read waits there, and goes on when it is turned back."""

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
from assent.stores.admin.connections import read, write
from assent.stores.audit.verify import read_time
from assent.stores.postgres.database import is_postgres, open_postgres
from assent.stores.sql.approvals import ApprovalReader
from assent.stores.sql.batch import Add, Move, run_batch
from assent.stores.sql.live import POD_TIMEOUT, pause, read_pods, read_setting, resume, save_setting
from assent.stores.sql.policy import read_moment
from assent.stores.sql.statement import span_to_micros
from assent.stores.sqlite.database import open_sqlite
from assent.stores.store import SqlStore
from tests.gate.samples import ADA, ANA, DAY, NOW, make_question
from tests.gate.scene import DENY, ONCE, Scene
from tests.stores.database import transaction
from tests.stores.processes import read_word, start_process
from tests.stores.promises.given import MANY, SetClock, answer_change
from tests.waiting import allow_time_for_errors, wait_until_async

pod = partial(start_process, module="tests.gate.pod")
"""Another process that makes calls."""


@asynccontextmanager
async def open_gate(address: str) -> AsyncGenerator[Scene]:
    """A gate in this process."""
    store = await (open_postgres(address) if is_postgres(address) else open_sqlite(address))
    scene = Scene(store, SetClock())
    async with scene.gate:
        yield scene


async def wait_for_question(scene: Scene, process: Process) -> str:
    """Wait for the question of another process; return its id."""

    async def find() -> Sequence[Approval]:
        return (await scene.gate.pending(ANA)).approvals

    found = await wait_until_async(find)
    assert process.returncode is None
    return found[0].id


@pytest.mark.proves("T-14")
async def test_a_pause_here_holds_the_calls_of_another_process_until_it_is_over(address: str) -> None:
    async with open_gate(address) as scene:
        await scene.gate.pause(ADA)
        async with pod(address, "auto", "read", "put") as other:
            assert [await read_word(other) for _ in range(3)] == ["calls read", "Run", "calls put"]
            id_ = await wait_for_question(scene, other)
            await allow_time_for_errors()
            held = await scene.gate.approval(ANA, id_)

            await scene.gate.resume(ADA)

            assert await read_word(other) == "Run"
            assert (held.state, held.decision.because) == (
                State.PENDING,
                "ada paused all agents: only reads continue",
            )
            assert (await scene.gate.approval(ANA, id_)).state is State.RUNNING


@pytest.mark.proves("T-14")
async def test_a_yes_given_here_while_paused_is_used_there_only_afterwards(address: str) -> None:
    async with open_gate(address) as scene, pod(address, "default", "send", "put") as other:
        assert await read_word(other) == "calls send"
        id_ = await wait_for_question(scene, other)
        await scene.gate.pause(ADA)
        asked = await scene.gate.approval(ANA, id_)
        await scene.answer(asked, ONCE)
        await allow_time_for_errors()
        kept = await scene.gate.approval(ANA, id_)

        await scene.gate.resume(ADA)

        assert [await read_word(other) for _ in range(2)] == ["Run", "calls put"]
        assert (kept.state, (await scene.gate.approval(ANA, id_)).state) == (State.APPROVED, State.RUNNING)


async def test_a_denial_given_here_while_paused_is_heard_there_at_once(address: str) -> None:
    async with open_gate(address) as scene, pod(address, "default", "send") as other:
        assert await read_word(other) == "calls send"
        id_ = await wait_for_question(scene, other)
        await scene.gate.pause(ADA)

        await scene.answer(await scene.gate.approval(ANA, id_), DENY)

        assert await read_word(other) == "Refuse"


def test_the_switch_is_turned_once_and_back_once(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        moment = Moment(NOW, 0)
        turned = [pause(connection, moment, who) for who in ("ada", "ben")]
        is_paused = read_moment(connection, lambda: NOW).paused
        back = [resume(connection, moment, ApprovalReader()) for _ in range(2)]

    assert [edited.policy for edited in (*turned, *back)] == [True, False, True, False]
    assert is_paused


def test_turning_it_back_gives_each_yes_its_whole_time_and_touches_nothing_else(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        questions = ApprovalReader()
        pieces = [
            Add("q1", make_question(), MANY),
            Move("q1", answer_change()),
            Add("q2", make_question("q2"), MANY),
        ]
        run_batch(connection, questions, lambda: NOW, pieces)
        before = questions.read(connection, ["q1", "q2"])
        pause(connection, Moment(NOW, 0), "ada")

        resume(connection, Moment(NOW + DAY, 1), questions)

        after = questions.read(connection, ["q1", "q2"])
    assert after["q1"].usable_until == NOW + DAY + before["q1"].usable_for
    assert after["q2"] == before["q2"]


def test_a_setting_that_is_not_there_is_none_and_removing_it_changes_nothing(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        moment = Moment(NOW, 0)

        assert read_setting(connection, "colour") is None
        assert not save_setting(connection, moment, "colour", None, "ada").policy
        assert save_setting(connection, moment, "colour", "red", "ada").policy
        assert read_setting(connection, "colour") == "red"


ONE = Pod(workspace="/srv/a", policy_digest="111", version="0.1.0")
TWO = Pod(workspace="/srv/b", policy_digest="222", version="0.2.0")


async def opened(address: str) -> SqlStore:
    return await (open_postgres(address) if is_postgres(address) else open_sqlite(address))


async def live_pods(address: str) -> tuple[Pod, ...]:
    return await read(address, lambda connection: read_pods(connection, read_time(connection)))


@pytest.mark.proves("R-35")
async def test_whoever_joins_hears_of_the_others_and_they_hear_of_it(address: str) -> None:
    first, second = await opened(address), await opened(address)

    alone = await first.join(ONE)
    joining = await second.join(TWO)
    again = await first.join(ONE)
    both = await live_pods(address)
    await second.leave()
    left = await first.join(ONE)

    assert (alone, joining, again, left) == ((), (ONE,), (TWO,), ())
    assert set(both) == {ONE, TWO}
    await first.close()
    await second.close()


@pytest.mark.proves("R-35")
async def test_a_process_that_shows_no_sign_of_life_is_forgotten(address: str) -> None:
    first, second = await opened(address), await opened(address)
    await second.join(TWO)
    silent = span_to_micros(POD_TIMEOUT + timedelta(seconds=1))
    await write(
        address,
        lambda connection: connection.core.exec_driver_sql(
            f"UPDATE processes SET seen_at = seen_at - {silent} WHERE boot = '{second.boot}'"
        ),
    )

    assert await first.join(ONE) == ()
    assert await live_pods(address) == (ONE,)
    await first.close()
    await second.close()
