"""A store checks that writes work: by a recent commit, or by at most one probe per second."""

import asyncio
from pathlib import Path

import pytest

from assent.errors import StoreError
from assent.stores.sql import waiting as readiness
from assent.stores.sql.waiting import CommitStatus, WriteProbe
from assent.stores.sqlite.database import open_sqlite
from tests.stores.promises.given import list_all_links


class CountingWrites:
    """Counts the writes of a probe; a test can make them fail or hang."""

    def __init__(self, commits: CommitStatus) -> None:
        self.count = 0
        self.error: StoreError | None = None
        self.going = asyncio.Event()
        self.going.set()
        self._commits = commits

    async def __call__(self) -> None:
        self.count += 1
        await self.going.wait()
        if self.error is not None:
            raise self.error
        self._commits.record_success()


def sample_probe() -> tuple[CommitStatus, CountingWrites, WriteProbe]:
    commits = CommitStatus()
    writes = CountingWrites(commits)
    return commits, writes, WriteProbe(writes, commits, "a.db")


@pytest.mark.proves("R-33")
async def test_concurrent_checks_share_one_probe_and_a_recent_commit_needs_none() -> None:
    commits, writes, probe = sample_probe()

    await asyncio.gather(*(probe.check() for _ in range(100)))
    probed = writes.count
    commits.record_success()
    await probe.check()

    assert (probed, writes.count) == (1, 1)


@pytest.mark.proves("R-33")
async def test_a_failed_probe_fails_all_checks_and_is_not_repeated_within_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, writes, probe = sample_probe()
    writes.error = StoreError("cannot use a.db: the disk is full", reason="the disk is full")

    found = await asyncio.gather(*(probe.check() for _ in range(20)), return_exceptions=True)
    with pytest.raises(StoreError, match="the disk is full"):
        await probe.check()
    tried = writes.count
    writes.error = None
    monkeypatch.setattr(readiness, "RECENT_SECONDS", 0.0)
    await probe.check()

    assert (set(found), tried, writes.count) == ({found[0]}, 1, 2)


@pytest.mark.proves("R-33")
async def test_a_probe_that_hangs_fails_with_the_error_of_the_last_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    commits, writes, probe = sample_probe()
    monkeypatch.setattr(readiness, "PROBE_TIMEOUT", 0.01)
    writes.going.clear()

    with pytest.raises(StoreError, match=r"cannot use a\.db: no write was committed within"):
        await probe.check()
    commits.record_failure(StoreError("cannot use a.db: the server cannot be reached"))
    with pytest.raises(StoreError, match="the server cannot be reached"):
        await probe.check()
    writes.going.set()
    await probe.check()

    assert (writes.count, commits.fault) == (1, None)


@pytest.mark.proves("R-33")
async def test_a_probe_writes_no_event_and_no_row_of_the_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await open_sqlite(str(tmp_path / "a.db"))
    monkeypatch.setattr(readiness, "RECENT_SECONDS", 0.0)
    before = await store.latest_cursor(), await list_all_links(store), store.change_count

    await store.check_writable()
    await store.flush_audit()

    assert (await store.latest_cursor(), await list_all_links(store), store.change_count) == before
    await store.close()
