"""A run of another process is taken only when that process was not heard of for long enough."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from assent.errors import ConflictError
from assent.gate.conversation import LogKind, LogLine, RunStatus
from assent.stores.sqlite.database import open_sqlite
from tests.stores.promises.chat import RUN
from tests.stores.promises.given import SetClock

LONG = timedelta(seconds=10)


async def test_a_silent_process_loses_its_run_and_writes_no_more(tmp_path: Path) -> None:
    clock = SetClock()
    first = await open_sqlite(str(tmp_path / "assent.db"), clock=clock)
    second = await open_sqlite(str(tmp_path / "assent.db"), clock=clock)
    await first.begin_run(RUN)
    clock.advance(timedelta(seconds=5))
    early = await second.take_over_run("r1", LONG), await second.stale_runs(LONG)
    clock.advance(timedelta(seconds=6))
    await second.record_heartbeat()
    restless = await second.stale_runs(LONG)
    taken = await second.take_over_run("r1", LONG)

    with pytest.raises(ConflictError):
        await first.note("r1", [LogLine(0, LogKind.CALLED, "late")])
    assert early == (None, [])
    assert [one.id for one in restless] == ["r1"]
    assert taken == replace(restless[0], boot=second.boot)
    assert (await second.note("r1", [LogLine(0, LogKind.CALLED, "x")], RunStatus.DONE)).length == 1
    await first.close()
    await second.close()


@pytest.mark.parametrize("how", ["begun", "taken"])
async def test_a_process_that_was_idle_is_heard_of_as_soon_as_it_has_a_run(tmp_path: Path, how: str) -> None:
    clock = SetClock()
    first = await open_sqlite(str(tmp_path / "assent.db"), clock=clock)
    second = await open_sqlite(str(tmp_path / "assent.db"), clock=clock)
    if how == "taken":
        await first.begin_run(RUN)
        await first.note("r1", [], RunStatus.SUSPENDED)
    clock.advance(2 * LONG)
    if how == "taken":
        await first.take_over_run("r1", LONG)
    else:
        await first.begin_run(RUN)

    assert await second.stale_runs(LONG) == []
    assert await second.take_over_run("r1", LONG) is None
    await first.close()
    await second.close()
