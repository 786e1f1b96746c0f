"""A run of another process is taken over only if that process sent no heartbeat for some time."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from assent.errors import ConflictError
from assent.gate.conversation import LogKind, LogLine, RunStatus
from assent.stores.sqlite.database import open_sqlite
from tests.stores.promises.chat import RUN
from tests.stores.promises.given import SetClock

SILENCE = timedelta(seconds=10)


async def test_a_silent_process_loses_its_run_and_can_no_longer_write(tmp_path: Path) -> None:
    clock = SetClock()
    first = await open_sqlite(str(tmp_path / "assent.db"), clock=clock)
    second = await open_sqlite(str(tmp_path / "assent.db"), clock=clock)
    await first.begin_run(RUN)
    clock.advance(timedelta(seconds=5))
    early = await second.take_over_run("r1", SILENCE), await second.stale_runs(SILENCE)
    clock.advance(timedelta(seconds=6))
    await second.record_heartbeat()
    restless = await second.stale_runs(SILENCE)
    taken = await second.take_over_run("r1", SILENCE)

    with pytest.raises(ConflictError):
        await first.append_lines("r1", [LogLine(0, LogKind.CALLED, "late")])
    assert early == (None, [])
    assert [one.id for one in restless] == ["r1"]
    assert taken == replace(restless[0], boot=second.boot)
    assert (await second.append_lines("r1", [LogLine(0, LogKind.CALLED, "x")], RunStatus.DONE)).length == 1
    await first.close()
    await second.close()


@pytest.mark.parametrize("how", ["begun", "taken"])
async def test_an_idle_process_sends_a_heartbeat_when_it_gets_a_run(tmp_path: Path, how: str) -> None:
    clock = SetClock()
    first = await open_sqlite(str(tmp_path / "assent.db"), clock=clock)
    second = await open_sqlite(str(tmp_path / "assent.db"), clock=clock)
    if how == "taken":
        await first.begin_run(RUN)
        await first.append_lines("r1", [], RunStatus.SUSPENDED)
    clock.advance(2 * SILENCE)
    if how == "taken":
        await first.take_over_run("r1", SILENCE)
    else:
        await first.begin_run(RUN)

    assert await second.stale_runs(SILENCE) == []
    assert await second.take_over_run("r1", SILENCE) is None
    await first.close()
    await second.close()
