"""The store in memory passes all conformance tests, except those that need a disk."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from assent.gate.store import Store
from assent.stores.memory.store import MemoryStore
from tests.stores.conformance import Opening, SetClock, StoreConformance


@asynccontextmanager
async def open_store(clock: SetClock) -> AsyncIterator[Store]:
    store = MemoryStore(clock=clock)
    yield store
    await store.close()


class TestMemoryStore(StoreConformance):
    shared = False

    @pytest.fixture
    def opening(self) -> Opening:
        return open_store


async def test_without_a_clock_the_store_uses_the_hosts_time() -> None:
    store = MemoryStore()

    first, second = await store.moment(), await store.moment()

    assert first.at <= second.at


def test_each_store_has_its_own_id_and_secret() -> None:
    one, other = MemoryStore(), MemoryStore()

    assert (one.boot != other.boot, one.secret != other.secret, len(one.secret)) == (True, True, 32)
