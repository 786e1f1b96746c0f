"""The tables of a chat: its runs, the keys of requests, and the log that each run can be rebuilt from."""

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
    maybe_text("digest"),
    maybe_text("replaced_by"),
)
Index("runs_conversation", runs.c.conversation_id, runs.c.began_at)
Index("runs_course", runs.c.course)

posts = Table(
    "posts",
    metadata,
    key("sender"),
    key("key"),
    text("digest"),
    text("run_id"),
)

run_lines = Table(
    "run_lines",
    metadata,
    key("run_id"),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    text("kind"),
    text("body"),
)
