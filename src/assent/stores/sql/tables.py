"""The tables of SQLite and PostgreSQL; times are microseconds since 1970 in UTC."""

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, MetaData, Table, Text, UniqueConstraint

metadata = MetaData()

Number = BigInteger().with_variant(Integer, "sqlite")
"""The SQL type of row numbers; SQLite requires a plain integer."""


def number_column() -> Column[int]:
    """The column of row numbers, which the database assigns."""
    return Column("number", Number, primary_key=True, autoincrement=True)


def key_column(name: str) -> Column[str]:
    """A text column that is part of the primary key."""
    return Column(name, Text, primary_key=True)


def text_column(name: str) -> Column[str]:
    """A text column that is not null."""
    return Column(name, Text, nullable=False)


def text_columns(*names: str) -> list[Column[str]]:
    """Text columns that are not null."""
    return [text_column(name) for name in names]


def nullable_text_column(name: str) -> Column[str]:
    """A text column that may be null."""
    return Column(name, Text)


def time_column(name: str) -> Column[int]:
    """A time column that is not null."""
    return Column(name, BigInteger, nullable=False)


def nullable_time_column(name: str) -> Column[int]:
    """A time column that may be null."""
    return Column(name, BigInteger)


approvals = Table(
    "approvals",
    metadata,
    number_column(),
    Column("id", Text, nullable=False, unique=True),
    # The question, which never changes.
    *text_columns(
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
    time_column("asked_at"),
    # The state.
    *text_columns("state", "boot"),
    nullable_time_column("expires_at"),
    Column("usable_for", BigInteger, nullable=False),
    nullable_time_column("later_at"),
    nullable_text_column("answer"),
    nullable_time_column("answered_at"),
    text_column("claim"),
    nullable_time_column("closed_at"),
    *text_columns("note", "token_digest"),
    nullable_text_column("preview"),
    nullable_time_column("scrubbed_at"),
    # Size of the question in bytes; 0 in rows from before schema 1.6.
    Column("size", BigInteger, nullable=False, server_default="0"),
    # The first agent of the lineage.
    Column("root_agent", Text, nullable=False, server_default=""),
    # The excerpt of a large question as JSON; null if lists show the whole question.
    nullable_text_column("excerpt"),
    # The digest of the nonce with which a caller may repeat its claim.
    Column("claim_nonce", Text, nullable=False, server_default=""),
    nullable_text_column("file"),
    # The lease of the caller: its duration in microseconds, and its end.
    Column("lease", BigInteger),
    nullable_time_column("leased_until"),
)
_c = approvals.c
# Partial indexes, which stay small however long the history is. The condition is in `info`, because as a
# dialect option it would make SQLAlchemy load both dialects at every start.
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
    number_column(),
    Column("id", Text, nullable=False, unique=True),
    text_column("pattern"),
    *map(nullable_text_column, ("conversation_id", "agent_id", "user_id")),
    *text_columns("lifetime", "boot"),
    nullable_time_column("until_at"),
    Column("uses", BigInteger),
    *text_columns("given_by", "approval_id"),
    Column("override", Boolean, nullable=False),
    time_column("given_at"),
    nullable_time_column("revoked_at"),
    nullable_text_column("revoked_by"),
)

rules = Table(
    "rules",
    metadata,
    number_column(),
    Column("id", Text, nullable=False, unique=True),
    *text_columns("list", "rule"),
    *map(nullable_text_column, ("conversation_id", "agent_id", "user_id")),
    *text_columns("given_by", "approval_id", "why"),
    time_column("given_at"),
    nullable_time_column("revoked_at"),
    nullable_text_column("revoked_by"),
)

tiers = Table(
    "tiers",
    metadata,
    number_column(),
    *text_columns("agent_id", "tool_name", "provider_key", "status", "source", "set_by"),
    time_column("set_at"),
    UniqueConstraint("agent_id", "tool_name", name="tiers_one_per_tool"),
)

pins = Table(
    "pins",
    metadata,
    *map(key_column, ("origin", "tool_name")),
    *text_columns("digest", "accepted_by"),
    time_column("accepted_at"),
    nullable_text_column("definition"),
)

conversations = Table(
    "conversations",
    metadata,
    key_column("id"),
    *text_columns("owner", "agent_id", "preset", "mode", "title", "model"),
    time_column("started_at"),
)

agents = Table(
    "agents",
    metadata,
    key_column("id"),
    time_column("seen_at"),
    # The row of an agent stays after the agent is removed.
    nullable_time_column("ended_at"),
)


def _link_columns() -> list[Column[Any]]:
    """The columns of an audit row, which the audit and its outbox share."""
    return [
        text_column("writer"),
        Column("place", BigInteger, nullable=False),
        time_column("written_at"),
        *text_columns(
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
        *text_columns("reason", "mode"),
        Column("policy_version", BigInteger, nullable=False),
        text_column("approval_id"),
        *map(nullable_text_column, ("asked_digest", "ran_digest", "sub_agents")),
        # Which list of fields the hash covers, see `gate.audit.HASHED`.
        Column("hash_version", BigInteger, nullable=False, server_default="1"),
    ]


audit = Table(
    "audit",
    metadata,
    number_column(),
    *_link_columns(),
    UniqueConstraint("writer", "place", name="audit_one_per_place"),
)

# Rows that wait to be moved to the audit; in PostgreSQL one sequence numbers the rows of both tables.
audit_outbox = Table(
    "audit_outbox",
    metadata,
    number_column(),
    *_link_columns(),
    UniqueConstraint("writer", "place", name="audit_outbox_one_per_place"),
    sqlite_autoincrement=True,
)

audit_segments = Table(
    "audit_segments",
    metadata,
    key_column("writer"),
    Column("first_place", BigInteger, primary_key=True),
    Column("last_place", BigInteger, nullable=False),
    *text_columns("previous_hash", "last_hash", "archive"),
    time_column("closed_at"),
    text_column("closed_by"),
    # The version of the last row, so that the rows after it may not have a lower one.
    Column("last_version", BigInteger, nullable=False, server_default="1"),
)

policy = Table(
    "policy",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("version", BigInteger, nullable=False),
    text_column("secret"),
    # The pause switch: while it is set, only reads run.
    nullable_time_column("paused_at"),
    nullable_text_column("paused_by"),
    # The policy version of the last declaration of tools.
    Column("declared", BigInteger, nullable=False, server_default="0"),
    # `life` changes when the database is restored, which makes older event cursors invalid.
    Column("life", Text, nullable=False, server_default="0"),
    Column("swept", Text, nullable=False, server_default="0.0"),
    # The mark of the server and database; if it changed, the database was restored from a backup.
    nullable_text_column("home"),
)

processes = Table(
    "processes",
    metadata,
    key_column("boot"),
    time_column("started_at"),
    time_column("seen_at"),
    # The length of its audit chain: a shorter chain has lost its end.
    Column("audited", BigInteger, nullable=False),
    # `open`, `closed` by its own process, or `cut` after a crash; null for versions without an outbox.
    nullable_text_column("chain"),
)


people = Table(
    "people",
    metadata,
    key_column("id"),
    text_column("name"),
    # Issuer and subject at the sign-in provider, joined.
    Column("identity", Text, unique=True),
    Column("administrator", Boolean, nullable=False),
    text_column("added_by"),
    time_column("added_at"),
    nullable_time_column("disabled_at"),
    nullable_text_column("disabled_by"),
)

roles = Table(
    "roles",
    metadata,
    *map(key_column, ("person_id", "subject")),
    *text_columns("role", "given_by"),
    time_column("given_at"),
)

credentials = Table(
    "credentials",
    metadata,
    key_column("id"),
    # The secret itself is never stored.
    Column("digest", Text, nullable=False, unique=True),
    *text_columns("purpose", "kind", "principal_id", "on_behalf", "label", "made_by"),
    time_column("made_at"),
    nullable_time_column("expires_at"),
    nullable_time_column("ended_at"),
    nullable_text_column("ended_by"),
)
Index("credentials_principal", credentials.c.principal_id)

replies = Table(
    "replies",
    metadata,
    *map(key_column, ("principal_id", "key")),
    text_column("request_digest"),
    # Both are null while the first request with this key is running.
    Column("status", Integer),
    nullable_text_column("body"),
    time_column("began_at"),
)


events = Table(
    "events",
    metadata,
    # In PostgreSQL there is also `place`, which is assigned after the commit; only the migration defines it.
    number_column(),
    time_column("happened_at"),
    *text_columns("kind", "approval_id", "owner", "conversation_id", "agent_id"),
    # A number is never reused, even if the newest rows are deleted.
    sqlite_autoincrement=True,
)
Index("events_at", events.c.happened_at)

settings = Table(
    "settings",
    metadata,
    key_column("name"),
    *text_columns("value", "set_by"),
    time_column("set_at"),
)

declarations = Table(
    "declarations",
    metadata,
    *map(key_column, ("agent_id", "origin", "tool_name")),
    *text_columns("definition", "trust", "declared_by"),
    time_column("declared_at"),
)

workspaces = Table(
    "workspaces",
    metadata,
    *map(key_column, ("agent_id", "root")),
    *text_columns("id", "added_by"),
    Column("remote", Boolean, nullable=False),
    time_column("added_at"),
)

spending = Table(
    "spending",
    metadata,
    key_column("principal_id"),
    Column("slot", BigInteger, primary_key=True),
    Column("calls", BigInteger, nullable=False),
)

pods = Table(
    "pods",
    metadata,
    key_column("boot"),
    *text_columns("workspace", "policy_digest", "version"),
    time_column("joined_at"),
)


runs = Table(
    "runs",
    metadata,
    key_column("id"),
    *text_columns("conversation_id", "owner", "agent_id", "message"),
    nullable_text_column("mode"),
    text_column("model"),
    nullable_text_column("delivery"),
    *text_columns("boot", "course", "wish"),
    Column("length", BigInteger, nullable=False),
    time_column("began_at"),
    nullable_time_column("ended_at"),
    *map(nullable_text_column, ("digest", "replaced_by")),
)
Index("runs_conversation", runs.c.conversation_id, runs.c.began_at)
Index("runs_course", runs.c.course)

posts = Table(
    "posts",
    metadata,
    *map(key_column, ("sender", "key")),
    *text_columns("digest", "run_id"),
)

run_lines = Table(
    "run_lines",
    metadata,
    key_column("run_id"),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    *text_columns("kind", "body"),
)
