"""The tables of what processes tell each other: events, settings, declared tools, pods, what was spent."""

from sqlalchemy import BigInteger, Column, Index, Table

from assent.stores.tables import key, metadata, number, text, time

events = Table(
    "events",
    metadata,
    # PostgreSQL's `place`, which a row has only after its commit, is known to the migration only.
    number(),
    time("happened_at"),
    text("kind"),
    text("approval_id"),
    text("owner"),
    text("conversation_id"),
    text("agent_id"),
    # A number is never given twice, not even when the newest rows are gone.
    sqlite_autoincrement=True,
)
Index("events_at", events.c.happened_at)

settings = Table(
    "settings",
    metadata,
    key("name"),
    text("value"),
    text("set_by"),
    time("set_at"),
)

declarations = Table(
    "declarations",
    metadata,
    key("agent_id"),
    key("origin"),
    key("tool_name"),
    text("definition"),
    text("trust"),
    text("declared_by"),
    time("declared_at"),
)

spending = Table(
    "spending",
    metadata,
    key("principal_id"),
    Column("slot", BigInteger, primary_key=True),
    Column("calls", BigInteger, nullable=False),
)

pods = Table(
    "pods",
    metadata,
    key("boot"),
    text("workspace"),
    text("policy_digest"),
    text("version"),
    time("joined_at"),
)
