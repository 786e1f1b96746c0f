"""The tables of SQLite and PostgreSQL; times are microseconds since 1970 in UTC."""

from typing import Any

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
"""Type of row numbers; SQLite needs a plain integer."""


def number() -> Column[int]:
    """The row number, which the database assigns."""
    return Column("number", Number, primary_key=True, autoincrement=True)


def key(name: str) -> Column[str]:
    """A text of the primary key."""
    return Column(name, Text, primary_key=True)


def text(name: str) -> Column[str]:
    """A text that is not null."""
    return Column(name, Text, nullable=False)


def texts(*names: str) -> list[Column[str]]:
    """Texts that are not null."""
    return [text(name) for name in names]


def maybe_text(name: str) -> Column[str]:
    """A text or null."""
    return Column(name, Text)


def time(name: str) -> Column[int]:
    """A time that is not null."""
    return Column(name, BigInteger, nullable=False)


def maybe_time(name: str) -> Column[int]:
    """A time or null."""
    return Column(name, BigInteger)


approvals = Table(
    "approvals",
    metadata,
    number(),
    Column("id", Text, nullable=False, unique=True),
    # The question, which never changes.
    *texts(
        "digest",
        "owner",
        "user_id",
        "agent_id",
        "conversation_id",
        "turn",
        "call_id",
        "tool_name",
        "args",
        "question",
        "preset",
        "mode",
        "delivery",
    ),
    time("asked_at"),
    # The state.
    *texts("state", "boot"),
    maybe_time("expires_at"),
    Column("usable_for", BigInteger, nullable=False),
    maybe_time("later_at"),
    maybe_text("answer"),
    maybe_time("answered_at"),
    text("claim"),
    maybe_time("closed_at"),
    *texts("note", "token_digest"),
    maybe_text("preview"),
    maybe_time("scrubbed_at"),
    # Size of the question in bytes; 0 in rows from before schema 1.6.
    Column("size", BigInteger, nullable=False, server_default="0"),
    # The first agent of the lineage.
    Column("root_agent", Text, nullable=False, server_default=""),
    # The excerpt of a large question as JSON; null if lists show the whole question.
    maybe_text("excerpt"),
    # The digest of the nonce with which a caller may repeat its claim.
    Column("claim_nonce", Text, nullable=False, server_default=""),
    maybe_text("file"),
)
_c = approvals.c
# Partial indexes, which stay small however long the history is. The condition is in `info`: as a dialect
# option it would make SQLAlchemy load both dialects at every start.
Index("approvals_open", _c.state, _c.number, info={"where": "closed_at IS NULL"})
Index("approvals_pending", _c.agent_id, info={"where": "state = 'pending'"})
Index("approvals_pending_bytes", _c.owner, _c.root_agent, _c.size, info={"where": "state = 'pending'"})
Index("approvals_denied", _c.turn, _c.digest, info={"where": "state = 'denied'"})
Index("approvals_denied_call", _c.digest, info={"where": "state = 'denied'"})
Index("approvals_denied_agent", _c.agent_id, _c.answered_at, info={"where": "state = 'denied'"})
Index("approvals_conversation", _c.conversation_id, _c.number)

grants = Table(
    "grants",
    metadata,
    number(),
    Column("id", Text, nullable=False, unique=True),
    text("pattern"),
    *map(maybe_text, ("conversation_id", "agent_id", "user_id")),
    *texts("lifetime", "boot"),
    maybe_time("until_at"),
    Column("uses", BigInteger),
    *texts("given_by", "approval_id"),
    Column("override", Boolean, nullable=False),
    time("given_at"),
    maybe_time("revoked_at"),
    maybe_text("revoked_by"),
)

rules = Table(
    "rules",
    metadata,
    number(),
    Column("id", Text, nullable=False, unique=True),
    *texts("list", "rule"),
    *map(maybe_text, ("conversation_id", "agent_id", "user_id")),
    *texts("given_by", "approval_id", "why"),
    time("given_at"),
    maybe_time("revoked_at"),
    maybe_text("revoked_by"),
)

tiers = Table(
    "tiers",
    metadata,
    number(),
    *texts("agent_id", "tool_name", "provider_key", "status", "source", "set_by"),
    time("set_at"),
    UniqueConstraint("agent_id", "tool_name", name="tiers_one_per_tool"),
)

pins = Table(
    "pins",
    metadata,
    *map(key, ("origin", "tool_name")),
    *texts("digest", "accepted_by"),
    time("accepted_at"),
    maybe_text("definition"),
)

conversations = Table(
    "conversations",
    metadata,
    key("id"),
    *texts("owner", "agent_id", "preset", "mode", "title", "model"),
    time("started_at"),
)

agents = Table(
    "agents",
    metadata,
    key("id"),
    time("seen_at"),
    # The records of an agent stay when the agent is gone.
    maybe_time("ended_at"),
)


def _link_columns() -> list[Column[Any]]:
    """The columns of an audit row, which the audit and its outbox share."""
    return [
        text("writer"),
        Column("place", BigInteger, nullable=False),
        time("written_at"),
        *texts(
            "hash",
            "id",
            "user_id",
            "agent_id",
            "conversation_id",
            "call_id",
            "tool_name",
            "verdict",
            "stage",
            "rule",
            "decision",
        ),
        Column("with_override", Boolean, nullable=False),
        *texts("reason", "mode"),
        Column("policy_version", BigInteger, nullable=False),
        text("approval_id"),
        *map(maybe_text, ("asked_digest", "ran_digest")),
        # Which list of fields the hash covers, see `gate.audit.HASHED`.
        Column("hash_version", BigInteger, nullable=False, server_default="1"),
    ]


audit = Table(
    "audit",
    metadata,
    number(),
    *_link_columns(),
    UniqueConstraint("writer", "place", name="audit_one_per_place"),
)

# Rows that wait to be moved to the audit; in PostgreSQL one sequence numbers the rows of both tables.
audit_outbox = Table(
    "audit_outbox",
    metadata,
    number(),
    *_link_columns(),
    UniqueConstraint("writer", "place", name="audit_outbox_one_per_place"),
    sqlite_autoincrement=True,
)

audit_segments = Table(
    "audit_segments",
    metadata,
    key("writer"),
    Column("first_place", BigInteger, primary_key=True),
    Column("last_place", BigInteger, nullable=False),
    *texts("previous_hash", "last_hash", "archive"),
    time("closed_at"),
    text("closed_by"),
    # The version of the last row, so that the rows after it may not have a lower one.
    Column("last_version", BigInteger, nullable=False, server_default="1"),
)

policy = Table(
    "policy",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("version", BigInteger, nullable=False),
    text("secret"),
    # The pause switch: while it is set, only reads run.
    maybe_time("paused_at"),
    maybe_text("paused_by"),
    # The policy version of the last declaration of tools.
    Column("declared", BigInteger, nullable=False, server_default="0"),
    # Event cursors are valid within one life of the database, which a restore ends; old events are deleted.
    Column("life", Text, nullable=False, server_default="0"),
    Column("swept", Text, nullable=False, server_default="0.0"),
    # Where the database was last used: if that changed, it was restored from a backup.
    maybe_text("home"),
)

processes = Table(
    "processes",
    metadata,
    key("boot"),
    time("started_at"),
    time("seen_at"),
    # The length of its audit chain: a shorter chain has lost its end.
    Column("audited", BigInteger, nullable=False),
    # `open`, `closed` by its own process, or `cut` after a crash; null for versions without an outbox.
    maybe_text("chain"),
)


people = Table(
    "people",
    metadata,
    key("id"),
    text("name"),
    # Issuer and subject at the sign-in provider, joined.
    Column("identity", Text, unique=True),
    Column("administrator", Boolean, nullable=False),
    text("added_by"),
    time("added_at"),
    maybe_time("disabled_at"),
    maybe_text("disabled_by"),
)

roles = Table(
    "roles",
    metadata,
    *map(key, ("person_id", "subject")),
    *texts("role", "given_by"),
    time("given_at"),
)

credentials = Table(
    "credentials",
    metadata,
    key("id"),
    # The secret itself is never stored.
    Column("digest", Text, nullable=False, unique=True),
    *texts("purpose", "kind", "principal_id", "on_behalf", "label", "made_by"),
    time("made_at"),
    maybe_time("expires_at"),
    maybe_time("ended_at"),
    maybe_text("ended_by"),
)
Index("credentials_principal", credentials.c.principal_id)

replies = Table(
    "replies",
    metadata,
    *map(key, ("principal_id", "key")),
    text("request_digest"),
    # Both are null while the first request with this key is running.
    Column("status", Integer),
    maybe_text("body"),
    time("began_at"),
)


events = Table(
    "events",
    metadata,
    # In PostgreSQL there is also `place`, which is assigned after the commit; only the migration defines it.
    number(),
    time("happened_at"),
    *texts("kind", "approval_id", "owner", "conversation_id", "agent_id"),
    # A number is never reused, even if the newest rows are deleted.
    sqlite_autoincrement=True,
)
Index("events_at", events.c.happened_at)

settings = Table(
    "settings",
    metadata,
    key("name"),
    *texts("value", "set_by"),
    time("set_at"),
)

declarations = Table(
    "declarations",
    metadata,
    *map(key, ("agent_id", "origin", "tool_name")),
    *texts("definition", "trust", "declared_by"),
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
    *texts("workspace", "policy_digest", "version"),
    time("joined_at"),
)


runs = Table(
    "runs",
    metadata,
    key("id"),
    *texts("conversation_id", "owner", "agent_id", "message"),
    maybe_text("mode"),
    text("model"),
    maybe_text("delivery"),
    *texts("boot", "course", "wish"),
    Column("length", BigInteger, nullable=False),
    time("began_at"),
    maybe_time("ended_at"),
    *map(maybe_text, ("digest", "replaced_by")),
)
Index("runs_conversation", runs.c.conversation_id, runs.c.began_at)
Index("runs_course", runs.c.course)

posts = Table(
    "posts",
    metadata,
    *map(key, ("sender", "key")),
    *texts("digest", "run_id"),
)

run_lines = Table(
    "run_lines",
    metadata,
    key("run_id"),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    *texts("kind", "body"),
)
