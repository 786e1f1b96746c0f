"""What the chaos tests share: a place for histories, and a real PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assent.gate.ids import new_id
from chaos.server import database, drop, prepared
from chaos.site import Site
from tests.postgres import postgres_server

__all__ = ["postgres_server"]

SEED = 20_261_115


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def site(store: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """A place where nothing has happened yet."""
    if store == "sqlite":
        yield Site(address=str(tmp_path / "assent.db"), directory=tmp_path)
        return
    server, name = request.getfixturevalue("postgres_server"), f"chaos_{new_id()}"
    yield Site(address=prepared(database(server, name)), directory=tmp_path)
    drop(server, name)


@pytest.fixture
def file(tmp_path: Path) -> Site:
    """A place with an SQLite file only."""
    return Site(address=str(tmp_path / "assent.db"), directory=tmp_path)
