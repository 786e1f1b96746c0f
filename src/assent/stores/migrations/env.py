"""Runs migrations on the given connection, in its open transaction."""

from alembic import context

from assent.stores.sql.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
