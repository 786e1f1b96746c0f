"""What the tests of stores share: a real PostgreSQL, and a database of either kind."""

import asyncio
from pathlib import Path

import pytest

from assent.stores.admin.maintenance import upgrade
from tests.postgres import emptied, postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a database is, or is to be: one of each kind, and nothing in it."""
    if request.param == "sqlite":
        return str(tmp_path / "assent.db")
    url: str = request.getfixturevalue("postgres_url")
    asyncio.run(upgrade(url))
    asyncio.run(emptied(url))
    return url
