"""What the tests of the API share: a server on each store that one process can open by itself."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.surfaces.http.house import House, a_house


@pytest.fixture(params=["memory", "sqlite"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[House]:
    return a_house(request.param, tmp_path)


@pytest.fixture
def in_memory() -> AbstractAsyncContextManager[House]:
    return a_house()
