"""Fixtures for the tests of the gate: a gate with test helpers on each kind of store."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from assent.stores.postgres.database import open_postgres
from tests.gate.scene import GateHarness, open_harness
from tests.postgres import clear_database, postgres_server, postgres_url
from tests.stores.promises.given import SetClock

__all__ = ["postgres_server", "postgres_url"]

EVERY_STORE = ("memory", "sqlite", "postgresql")


@pytest.fixture(params=["memory", "sqlite"])
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[GateHarness]:
    return open_harness(request.param, tmp_path)


@pytest.fixture
def memory_harness() -> AbstractAsyncContextManager[GateHarness]:
    return open_harness()


def harness_on_store(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AbstractAsyncContextManager[GateHarness]:
    """A harness on the store named by the fixture's parameter, one of `EVERY_STORE`."""
    if request.param == "postgresql":
        return _postgres_harness(request.getfixturevalue("postgres_url"))
    return open_harness(request.param, tmp_path)


@asynccontextmanager
async def _postgres_harness(address: str) -> AsyncGenerator[GateHarness]:
    """A harness on an empty PostgreSQL database, with the real clock."""
    store = await open_postgres(address, upgrade=True)
    try:
        await clear_database(address)
        await store.record_heartbeat()
        yield GateHarness(store, SetClock())
    finally:
        await store.close()
