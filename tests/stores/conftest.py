"""What the tests of stores share: a real PostgreSQL."""

from tests.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]
