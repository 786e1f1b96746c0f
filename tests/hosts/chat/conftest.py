"""What the tests of the chat share: a process on a fresh store, and a PostgreSQL."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.hosts.chat.chat_process import ChatProcess, open_chat_process
from tests.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]


@pytest.fixture
def process(tmp_path: Path) -> AbstractAsyncContextManager[ChatProcess]:
    return open_chat_process(tmp_path)


@pytest.fixture(params=["memory", "sqlite"])
def each_process(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[ChatProcess]:
    return open_chat_process(
        tmp_path, ":memory:" if request.param == "memory" else str(tmp_path / "assent.db")
    )
