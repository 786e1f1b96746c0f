"""The tables, once for SQLite and PostgreSQL: times are microseconds since 1970 in UTC."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

Number = BigInteger().with_variant(Integer, "sqlite")
"""Counts rows as they come; in SQLite only a plain integer does."""


def _number() -> Column[int]:
    return Column("number", Number, primary_key=True, autoincrement=True)


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


def _maybe_text(name: str) -> Column[str]:
    return Column(name, Text)


def _time(name: str) -> Column[int]:
    return Column(name, BigInteger, nullable=False)


def _maybe_time(name: str) -> Column[int]:
    return Column(name, BigInteger)


approvals = Table(
    "approvals",
    metadata,
    _number(),
    Column("id", Text, nullable=False, unique=True),
    # What was asked; a row never changes here.
    _text("digest"),
    _text("owner"),
    _text("user_id"),
    _text("agent_id"),
    _text("conversation_id"),
    _text("turn"),
    _text("call_id"),
    _text("tool_name"),
    _text("args"),
    _text("question"),
    _text("preset"),
    _text("mode"),
    _text("delivery"),
    _time("asked_at"),
    # What became of it.
    _text("state"),
    _text("boot"),
    _maybe_time("expires_at"),
    Column("usable_for", BigInteger, nullable=False),
    _maybe_time("later_at"),
    _maybe_text("answer"),
    _maybe_time("answered_at"),
    _text("claim"),
    _maybe_time("closed_at"),
    _text("note"),
    _text("token_digest"),
    _maybe_text("preview"),
    _maybe_time("scrubbed_at"),
)
# Each lists only some states, so that it stays small however long the history is. Which ones is said in
# `info`: as an option of a database it would have SQLAlchemy load both databases' parts at every start.
Index(
    "approvals_open",
    approvals.c.state,
    approvals.c.number,
    info={"where": "closed_at IS NULL"},
)
Index(
    "approvals_pending",
    approvals.c.agent_id,
    info={"where": "state = 'pending'"},
)
Index(
    "approvals_denied",
    approvals.c.turn,
    approvals.c.digest,
    info={"where": "state = 'denied'"},
)
Index("approvals_conversation", approvals.c.conversation_id, approvals.c.number)

grants = Table(
    "grants",
    metadata,
    _number(),
    Column("id", Text, nullable=False, unique=True),
    _text("pattern"),
    _maybe_text("conversation_id"),
    _maybe_text("agent_id"),
    _maybe_text("user_id"),
    _text("lifetime"),
    _text("boot"),
    _maybe_time("until_at"),
    Column("uses", BigInteger),
    _text("given_by"),
    _text("approval_id"),
    Column("override", Boolean, nullable=False),
    _time("given_at"),
    _maybe_time("revoked_at"),
    _maybe_text("revoked_by"),
)

rules = Table(
    "rules",
    metadata,
    _number(),
    Column("id", Text, nullable=False, unique=True),
    _text("list"),
    _text("rule"),
    _maybe_text("conversation_id"),
    _maybe_text("agent_id"),
    _maybe_text("user_id"),
    _text("given_by"),
    _text("approval_id"),
    _text("why"),
    _time("given_at"),
    _maybe_time("revoked_at"),
    _maybe_text("revoked_by"),
)

tiers = Table(
    "tiers",
    metadata,
    _number(),
    _text("agent_id"),
    _text("tool_name"),
    _text("provider_key"),
    _text("status"),
    _text("source"),
    _text("set_by"),
    _time("set_at"),
    UniqueConstraint("agent_id", "tool_name", name="tiers_one_per_tool"),
)

pins = Table(
    "pins",
    metadata,
    Column("origin", Text, primary_key=True),
    Column("tool_name", Text, primary_key=True),
    _text("digest"),
    _text("accepted_by"),
    _time("accepted_at"),
)

conversations = Table(
    "conversations",
    metadata,
    Column("id", Text, primary_key=True),
    _text("owner"),
    _text("agent_id"),
    _text("preset"),
    _text("mode"),
    _text("title"),
    _text("model"),
    _time("started_at"),
)

agents = Table(
    "agents",
    metadata,
    Column("id", Text, primary_key=True),
    _time("seen_at"),
    # A tombstone: what an agent did stays on record when the agent is gone.
    _maybe_time("ended_at"),
)

audit = Table(
    "audit",
    metadata,
    _number(),
    _text("writer"),
    Column("place", BigInteger, nullable=False),
    _time("written_at"),
    _text("hash"),
    _text("id"),
    _text("user_id"),
    _text("agent_id"),
    _text("conversation_id"),
    _text("call_id"),
    _text("tool_name"),
    _text("verdict"),
    _text("stage"),
    _text("rule"),
    _text("decision"),
    Column("with_override", Boolean, nullable=False),
    _text("reason"),
    _text("mode"),
    Column("policy_version", BigInteger, nullable=False),
    _text("approval_id"),
    UniqueConstraint("writer", "place", name="audit_one_per_place"),
)

audit_segments = Table(
    "audit_segments",
    metadata,
    Column("writer", Text, primary_key=True),
    Column("first_place", BigInteger, primary_key=True),
    Column("last_place", BigInteger, nullable=False),
    _text("previous_hash"),
    _text("last_hash"),
    _text("archive"),
    _time("closed_at"),
    _text("closed_by"),
)

policy = Table(
    "policy",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("version", BigInteger, nullable=False),
    _text("secret"),
    # The one switch: while it is set, calls that do not read wait.
    _maybe_time("paused_at"),
    _maybe_text("paused_by"),
    # The version at which tools were declared to all processes the last time.
    Column("declared", BigInteger, nullable=False, server_default="0"),
    # Events are told within one life of the database, which a restore ends; the oldest ones are swept.
    Column("life", Text, nullable=False, server_default="0"),
    Column("swept", Text, nullable=False, server_default="0.0"),
)

processes = Table(
    "processes",
    metadata,
    Column("boot", Text, primary_key=True),
    _time("started_at"),
    _time("seen_at"),
    # How far its chain in the audit goes: one that is shorter has lost its end.
    Column("audited", BigInteger, nullable=False),
)
