"""What the gate's tests share: a scene on each store that one process can open by itself."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.gate.scene import Scene, a_scene


@pytest.fixture(params=["memory", "sqlite"])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[Scene]:
    return a_scene(request.param, tmp_path)


@pytest.fixture
def in_memory() -> AbstractAsyncContextManager[Scene]:
    return a_scene()
