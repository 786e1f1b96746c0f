"""Runs migrations on the connection that it is handed, within its transaction."""

from alembic import context

from assent.stores.sql.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
