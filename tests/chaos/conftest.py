"""Fixtures of the chaos tests: a site, and a real PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assent.gate.ids import new_id
from chaos.postgres import create_database, drop_database, prepare_database
from chaos.site import Site
from tests.postgres import postgres_server

__all__ = ["postgres_server"]

SEED = 20_261_115


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def site(store: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """A new site."""
    if store == "sqlite":
        yield Site(address=str(tmp_path / "assent.db"), directory=tmp_path)
        return
    server, name = request.getfixturevalue("postgres_server"), f"chaos_{new_id()}"
    yield Site(address=prepare_database(create_database(server, name)), directory=tmp_path)
    drop_database(server, name)


@pytest.fixture
def sqlite_site(tmp_path: Path) -> Site:
    """A new site with an SQLite file."""
    return Site(address=str(tmp_path / "assent.db"), directory=tmp_path)
