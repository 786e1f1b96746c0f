"""Fixtures for the tests of the gate: a scene on each store."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from assent.stores.postgres.database import open_postgres
from tests.gate.scene import Scene, a_scene
from tests.postgres import clear_database, postgres_server, postgres_url
from tests.stores.promises.given import SetClock

__all__ = ["postgres_server", "postgres_url"]

EVERY_STORE = ("memory", "sqlite", "postgresql")


@pytest.fixture(params=["memory", "sqlite"])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[Scene]:
    return a_scene(request.param, tmp_path)


@pytest.fixture
def in_memory() -> AbstractAsyncContextManager[Scene]:
    return a_scene()


def a_scene_on(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[Scene]:
    """A scene on the store named by the fixture's parameter, one of `EVERY_STORE`."""
    if request.param == "postgresql":
        return _in_postgres(request.getfixturevalue("postgres_url"))
    return a_scene(request.param, tmp_path)


@asynccontextmanager
async def _in_postgres(address: str) -> AsyncGenerator[Scene]:
    """A scene on an empty database, with the real clock."""
    store = await open_postgres(address, upgrade=True)
    try:
        await clear_database(address)
        await store.record_heartbeat()
        yield Scene(store, SetClock())
    finally:
        await store.close()
