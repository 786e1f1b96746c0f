"""Fixtures of the API tests: a server on each store that needs no other process."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.surfaces.http.api_server import ApiServer, open_api_server


@pytest.fixture(params=["memory", "sqlite"])
def api(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[ApiServer]:
    return open_api_server(request.param, tmp_path)


@pytest.fixture
def in_memory() -> AbstractAsyncContextManager[ApiServer]:
    return open_api_server()
