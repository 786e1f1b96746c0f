"""The store in memory keeps every promise of a store, but for those that need a disk."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from assent.gate.store import Store
from assent.stores.memory.store import MemoryStore
from tests.stores.conformance import Opening, SetClock, StoreConformance


@asynccontextmanager
async def opened(clock: SetClock) -> AsyncIterator[Store]:
    store = MemoryStore(clock=clock)
    yield store
    await store.close()


class TestMemoryStore(StoreConformance):
    shared = False

    @pytest.fixture
    def opening(self) -> Opening:
        return opened


async def test_without_a_clock_it_takes_the_hosts() -> None:
    store = MemoryStore()

    first, second = await store.moment(), await store.moment()

    assert first.at <= second.at


def test_each_store_has_a_mark_and_a_secret_of_its_own() -> None:
    one, other = MemoryStore(), MemoryStore()

    assert (one.boot != other.boot, one.secret != other.secret, len(one.secret)) == (True, True, 32)
