"""Fixtures for the tests of stores: a real PostgreSQL, and a database of each kind."""

import asyncio
from pathlib import Path

import pytest

from assent.stores.admin.maintenance import upgrade_database
from tests.postgres import clear_database, postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, one of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "assent.db")
    url: str = request.getfixturevalue("postgres_url")
    asyncio.run(upgrade_database(url))
    asyncio.run(clear_database(url))
    return url
