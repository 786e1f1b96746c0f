"""With wrong clocks and slow people, no ended question becomes open again."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

import pytest

from assent.errors import StateError
from assent.gate.approval import Approval, State
from assent.gate.calls import Code, Refuse, Run, Wait
from assent.gate.store import ApprovalFilter
from assent.stores.sql import statement as clock
from assent.stores.sqlite.database import open_sqlite
from chaos.site import Site, open_site
from tests.gate.scene import ONCE, PUT, GateHarness
from tests.stores.promises.given import SetClock

DAY = timedelta(days=1)


class SkewedClock:
    """A host clock that is wrong by a given time."""

    by = timedelta(0)

    @classmethod
    def now(cls, zone: tzinfo | None = None) -> datetime:
        return datetime.now(zone) + cls.by


@pytest.fixture
def skewed_clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[SkewedClock]]:
    monkeypatch.setattr(clock, "datetime", SkewedClock)
    yield SkewedClock
    SkewedClock.by = timedelta(0)


@asynccontextmanager
async def start_process(
    site: Site, skewed_clock: type[SkewedClock], by: timedelta
) -> AsyncGenerator[GateHarness]:
    """A process that starts while the host's clock is wrong by this time."""
    skewed_clock.by = by
    async with open_site(site) as gate:
        yield GateHarness(gate.store, SetClock())


async def ask_with_preset(scene: GateHarness, preset: str) -> Approval:
    outcome = await (await scene.turn(preset)).submit(PUT)
    assert isinstance(outcome, Wait)
    return outcome.approval


@pytest.mark.proves("R-9", "T-43")
async def test_a_clock_set_back_by_a_day_reopens_no_question(
    sqlite_site: Site, skewed_clock: type[SkewedClock]
) -> None:
    async with start_process(sqlite_site, skewed_clock, timedelta(0)) as scene:
        question = await ask_with_preset(scene, "workbench")
    async with start_process(sqlite_site, skewed_clock, timedelta(minutes=6)) as scene:
        with pytest.raises(StateError, match="expired"):
            await scene.answer(question, ONCE)

    async with start_process(sqlite_site, skewed_clock, -DAY) as scene:
        with pytest.raises(StateError, match="expired"):
            await scene.answer(question, ONCE)


@pytest.mark.proves("R-9", "T-43")
@pytest.mark.parametrize("by", [-DAY, DAY], ids=["back", "forth"])
async def test_a_lapsed_approval_cannot_be_used_whatever_the_clock_shows(
    sqlite_site: Site, skewed_clock: type[SkewedClock], by: timedelta
) -> None:
    async with start_process(sqlite_site, skewed_clock, timedelta(0)) as scene:
        question = await ask_with_preset(scene, "assent")
        await scene.answer(question, ONCE)
    async with start_process(sqlite_site, skewed_clock, timedelta(minutes=16)):
        pass

    async with start_process(sqlite_site, skewed_clock, by) as scene:
        outcome = await (await scene.turn()).submit(PUT)

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.LAPSED


@pytest.mark.proves("R-9")
async def test_a_clock_that_jumps_while_a_process_runs_ends_nothing(
    sqlite_site: Site, skewed_clock: type[SkewedClock]
) -> None:
    async with start_process(sqlite_site, skewed_clock, timedelta(0)) as scene:
        question = await ask_with_preset(scene, "workbench")
        skewed_clock.by = DAY
        await scene.answer(question, ONCE)
        skewed_clock.by = -DAY
        outcome = await (await scene.turn("workbench")).submit(PUT)

    assert isinstance(outcome, Run)


@pytest.mark.proves("R-9")
@pytest.mark.parametrize("store", ["postgresql"], indirect=True)
async def test_pods_with_different_clocks_use_the_clock_of_the_database(
    site: Site, skewed_clock: type[SkewedClock]
) -> None:
    async with (
        start_process(site, skewed_clock, -DAY) as slow,
        start_process(site, skewed_clock, DAY) as fast,
    ):
        question = await ask_with_preset(slow, "workbench")
        answered = await fast.answer(question, ONCE)
        outcome = await (await slow.turn("workbench")).submit(PUT)

    assert answered.answered_at is not None
    assert timedelta(0) < answered.answered_at - question.asked_at < timedelta(minutes=1)
    assert isinstance(outcome, Run)


@pytest.mark.proves("R-11")
async def test_a_question_waits_for_a_week_of_daily_restarts_and_then_runs(tmp_path: Path) -> None:
    now = SetClock()
    for day in range(7):
        store = await open_sqlite(str(tmp_path / "assent.db"), clock=now)
        outcome = await (await GateHarness(store, now).turn("fleet")).submit(PUT)
        assert isinstance(outcome, Wait), day
        await store.close()
        now.advance(DAY)

    store = await open_sqlite(str(tmp_path / "assent.db"), clock=now)
    scene = GateHarness(store, now)
    await scene.answer(outcome.approval, ONCE)
    run = await (await scene.turn("fleet")).submit(PUT)
    await store.close()

    assert isinstance(run, Run)


@pytest.mark.proves("R-11")
async def test_a_question_that_nobody_answers_ends_after_a_day(tmp_path: Path) -> None:
    now = SetClock()
    store = await open_sqlite(str(tmp_path / "assent.db"), clock=now)
    scene = GateHarness(store, now)
    question = await ask_with_preset(scene, "assent")

    now.advance(DAY)
    await store.sweep(timedelta(days=30))

    assert (await store.approval(question.id)).state is State.EXPIRED
    assert (await store.approvals(ApprovalFilter(states=frozenset({State.PENDING})))).approvals == ()
    await store.close()
