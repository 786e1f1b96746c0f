"""The store in PostgreSQL keeps every promise of a store, and a few of its own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from assent.gate.ports import Store
from assent.stores.postgres import open_postgres
from tests.postgres import emptied
from tests.stores.conformance import Opening, SetClock, StoreConformance


class TestPostgresStore(StoreConformance):
    clocked = False

    @pytest.fixture
    def opening(self, postgres_url: str) -> Opening:
        is_first = True

        @asynccontextmanager
        async def opened(clock: SetClock) -> AsyncIterator[Store]:
            nonlocal is_first
            store = await open_postgres(postgres_url, upgrade=True)
            if is_first:
                await emptied(postgres_url)
                await store.beat()
            is_first = False
            try:
                yield store
            finally:
                await store.close()

        return opened
