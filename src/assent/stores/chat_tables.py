"""The tables of a chat: its runs, and the log that each can be rebuilt from."""

from sqlalchemy import BigInteger, Column, Index, Table

from assent.stores.tables import key, maybe_text, maybe_time, metadata, text, time

runs = Table(
    "runs",
    metadata,
    key("id"),
    text("conversation_id"),
    text("owner"),
    text("agent_id"),
    text("message"),
    maybe_text("mode"),
    text("model"),
    maybe_text("delivery"),
    text("boot"),
    text("course"),
    text("wish"),
    Column("length", BigInteger, nullable=False),
    time("began_at"),
    maybe_time("ended_at"),
)
Index("runs_conversation", runs.c.conversation_id, runs.c.began_at)
Index("runs_course", runs.c.course)

run_lines = Table(
    "run_lines",
    metadata,
    key("run_id"),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    text("kind"),
    text("body"),
)
