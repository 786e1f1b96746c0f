"""The tables of what processes tell each other: events, settings, declared tools and what was spent."""

from sqlalchemy import BigInteger, Column, Index, Table, Text

from assent.stores.tables import Number, metadata

events = Table(
    "events",
    metadata,
    # PostgreSQL's `written_in`, which says when a row can be told in order, is known to the migration only.
    Column("number", Number, primary_key=True, autoincrement=True),
    Column("happened_at", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("approval_id", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("conversation_id", Text, nullable=False),
    Column("agent_id", Text, nullable=False),
    # A number is never given twice, not even when the newest rows are gone.
    sqlite_autoincrement=True,
)
Index("events_at", events.c.happened_at)

settings = Table(
    "settings",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
    Column("set_by", Text, nullable=False),
    Column("set_at", BigInteger, nullable=False),
)

declarations = Table(
    "declarations",
    metadata,
    Column("agent_id", Text, primary_key=True),
    Column("origin", Text, primary_key=True),
    Column("tool_name", Text, primary_key=True),
    Column("definition", Text, nullable=False),
    Column("trust", Text, nullable=False),
    Column("declared_by", Text, nullable=False),
    Column("declared_at", BigInteger, nullable=False),
)

spending = Table(
    "spending",
    metadata,
    Column("principal_id", Text, primary_key=True),
    Column("slot", BigInteger, primary_key=True),
    Column("calls", BigInteger, nullable=False),
)
