"""The one switch reaches every process: what is not a read waits there, and goes on when it is turned back."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from assent.gate.approval import State
from assent.gate.ports import Moment
from assent.stores.batch import Add, Move, written
from assent.stores.postgres import is_postgres, open_postgres
from assent.stores.queries import moment_of
from assent.stores.questions import Questions
from assent.stores.sqlite import open_sqlite
from assent.stores.switches import paused, saved_setting, setting_of, unpaused
from tests.gate.samples import ADA, ANA, DAY, NOW, asking
from tests.gate.scene import DENY, ONCE, Scene
from tests.stores.database import transaction
from tests.stores.processes import another, said
from tests.stores.promises.given import MANY, SetClock, answering

pod = partial(another, module="tests.gate.pod")
"""Another process that makes calls."""


@asynccontextmanager
async def here(address: str) -> AsyncGenerator[Scene]:
    """A gate in this process."""
    store = await (open_postgres(address) if is_postgres(address) else open_sqlite(address))
    scene = Scene(store, SetClock())
    async with scene.gate:
        yield scene


async def asked_there(scene: Scene, process: Process) -> str:
    """The id of the question that another process waits for."""
    async with asyncio.timeout(60):
        while not (found := (await scene.gate.pending(ANA)).approvals):
            await asyncio.sleep(0.05)
    assert process.returncode is None
    return found[0].id


@pytest.mark.proves("T-14")
async def test_a_pause_here_holds_the_calls_of_another_process_until_it_is_over(address: str) -> None:
    async with here(address) as scene:
        await scene.gate.pause(ADA)
        async with pod(address, "auto", "read", "put") as other:
            assert [await said(other) for _ in range(3)] == ["calls read", "Run", "calls put"]
            id_ = await asked_there(scene, other)
            await asyncio.sleep(0.3)
            held = await scene.gate.approval(ANA, id_)

            await scene.gate.unpause(ADA)

            assert await said(other) == "Run"
            assert (held.state, held.decision.because) == (
                State.PENDING,
                "ada paused all agents: only reads continue",
            )
            assert (await scene.gate.approval(ANA, id_)).state is State.RUNNING


@pytest.mark.proves("T-14")
async def test_a_yes_given_here_while_paused_is_used_there_only_afterwards(address: str) -> None:
    async with here(address) as scene, pod(address, "default", "send", "put") as other:
        assert await said(other) == "calls send"
        id_ = await asked_there(scene, other)
        await scene.gate.pause(ADA)
        asked = await scene.gate.approval(ANA, id_)
        await scene.answer(asked, ONCE)
        await asyncio.sleep(0.5)
        kept = await scene.gate.approval(ANA, id_)

        await scene.gate.unpause(ADA)

        assert [await said(other) for _ in range(2)] == ["Run", "calls put"]
        assert (kept.state, (await scene.gate.approval(ANA, id_)).state) == (State.APPROVED, State.RUNNING)


async def test_a_denial_given_here_while_paused_is_heard_there_at_once(address: str) -> None:
    async with here(address) as scene, pod(address, "default", "send") as other:
        assert await said(other) == "calls send"
        id_ = await asked_there(scene, other)
        await scene.gate.pause(ADA)

        await scene.answer(await scene.gate.approval(ANA, id_), DENY)

        assert await said(other) == "Refuse"


def test_the_switch_is_turned_once_and_back_once(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        moment = Moment(NOW, 0)
        turned = [paused(connection, moment, who) for who in ("ada", "ben")]
        is_paused = moment_of(connection, lambda: NOW).paused
        back = [unpaused(connection, moment, Questions()) for _ in range(2)]

    assert [edited.policy for edited in (*turned, *back)] == [True, False, True, False]
    assert is_paused


def test_turning_it_back_gives_each_yes_its_whole_time_and_touches_nothing_else(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        questions = Questions()
        pieces = [Add("q1", asking(), MANY), Move("q1", answering()), Add("q2", asking("q2"), MANY)]
        written(connection, questions, lambda: NOW, pieces)
        before = questions.found(connection, ["q1", "q2"])
        paused(connection, Moment(NOW, 0), "ada")

        unpaused(connection, Moment(NOW + DAY, 1), questions)

        after = questions.found(connection, ["q1", "q2"])
    assert after["q1"].usable_until == NOW + DAY + before["q1"].usable_for
    assert after["q2"] == before["q2"]


def test_a_setting_that_is_not_there_is_none_and_removing_it_changes_nothing(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        moment = Moment(NOW, 0)

        assert setting_of(connection, "colour") is None
        assert not saved_setting(connection, moment, "colour", None, "ada").policy
        assert saved_setting(connection, moment, "colour", "red", "ada").policy
        assert setting_of(connection, "colour") == "red"
