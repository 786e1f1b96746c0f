"""The tables of a chat: its runs, and the log that each can be rebuilt from."""

from sqlalchemy import BigInteger, Column, Index, Table, Text

from assent.stores.tables import metadata

runs = Table(
    "runs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("conversation_id", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("agent_id", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("mode", Text),
    Column("model", Text, nullable=False),
    Column("delivery", Text),
    Column("boot", Text, nullable=False),
    Column("course", Text, nullable=False),
    Column("wish", Text, nullable=False),
    Column("length", BigInteger, nullable=False),
    Column("began_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
)
Index("runs_conversation", runs.c.conversation_id, runs.c.began_at)
Index("runs_course", runs.c.course)

run_lines = Table(
    "run_lines",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("body", Text, nullable=False),
)
