"""The store in an SQLite file keeps every promise of a store, and a few of its own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from assent.gate.ports import Store
from assent.stores.sqlite import open_sqlite
from tests.stores.conformance import Opening, SetClock, StoreConformance


class TestSqliteStore(StoreConformance):
    shared = True

    @pytest.fixture
    def opening(self, tmp_path: Path) -> Opening:
        @asynccontextmanager
        async def opened(clock: SetClock) -> AsyncIterator[Store]:
            store = await open_sqlite(str(tmp_path / "assent.db"), clock=clock)
            try:
                yield store
            finally:
                await store.close()

        return opened
