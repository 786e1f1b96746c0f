"""What the tests of the chat share: a room on a fresh store, and a PostgreSQL."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.hosts.chat.room import Room, a_room
from tests.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]


@pytest.fixture
def room(tmp_path: Path) -> AbstractAsyncContextManager[Room]:
    return a_room(tmp_path)


@pytest.fixture(params=["memory", "sqlite"])
def each_room(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[Room]:
    return a_room(tmp_path, ":memory:" if request.param == "memory" else str(tmp_path / "assent.db"))
