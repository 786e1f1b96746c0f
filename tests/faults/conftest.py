"""Fixtures for the tests of faults: a real PostgreSQL with all tables."""

import asyncio

import pytest

from assent.stores.admin.maintenance import upgrade_database
from tests.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]


@pytest.fixture(scope="module")
def database(postgres_url: str) -> str:
    asyncio.run(upgrade_database(postgres_url))
    return postgres_url
