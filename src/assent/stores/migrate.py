"""Brings a database to this version's schema, in one transaction; two that try at once do it once."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text

from assent.stores import schema

_LOCK = 2_026_111_500
"""Any number that nobody else locks by in the same PostgreSQL database."""


def upgrade(connection: Connection) -> None:
    """Run the migrations that are missing; the caller's transaction makes it all or nothing."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    if not schema.standing(connection).is_usable:
        command.upgrade(config(connection), "head")


def config(connection: Connection) -> Config:
    """What the migration tool needs to know, without a file."""
    made = Config()
    made.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    made.attributes["connection"] = connection
    return made
