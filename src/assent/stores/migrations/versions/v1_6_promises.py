"""Schema 1.6: the servers of one database know where each of them works, and a chat message runs once."""

import sqlalchemy as sa
from alembic import op

revision = "1.6"
down_revision = "1.5"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add to what is there; a pod of the version before goes on as if it were not."""
    _create_pods_table()
    _add_event_positions()
    _create_outbox()
    _create_chat_posts_table()
    _add_excerpt_columns()
    _add_file_column()
    _add_definition_columns()


def _create_pods_table() -> None:
    op.create_table(
        "pods",
        sa.Column("boot", sa.Text, primary_key=True),
        sa.Column("workspace", sa.Text, nullable=False),
        sa.Column("policy_digest", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("joined_at", sa.BigInteger, nullable=False),
    )


def _add_event_positions() -> None:
    """Events have a place once they are committed, and a database knows where it was last used."""
    op.add_column("policy", sa.Column("home", sa.Text))
    if op.get_bind().dialect.name != "postgresql":
        return
    op.execute("ALTER TABLE events ADD COLUMN place BIGINT")
    op.execute("CREATE SEQUENCE events_place OWNED BY events.place")
    op.execute(
        "CREATE FUNCTION place_events() RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
        # In a transaction of one statement: no client can stand still while it holds this lock.
        # The number is any that nobody else locks by in the same database.
        " PERFORM pg_advisory_xact_lock(2026111700);"
        # Each statement of a function sees what was committed before it: also what the last holder placed.
        " UPDATE events SET place = found.place FROM (SELECT number, nextval('events_place') AS place"
        " FROM (SELECT number FROM events WHERE place IS NULL ORDER BY number) AS waiting) AS found"
        " WHERE events.number = found.number; END $$"
    )
    op.execute("SELECT place_events()")
    op.execute("CREATE UNIQUE INDEX events_by_place ON events (place)")
    op.execute("CREATE INDEX events_without_place ON events (number) WHERE place IS NULL")
    # Cursors of the version before are not of this order: whoever has one reads everything anew.
    op.execute("UPDATE policy SET swept = '0.0'")


def _create_outbox() -> None:
    """What a change brings to the audit waits here, from its own commit until it is moved there."""
    op.add_column("processes", sa.Column("chain", sa.Text))
    op.create_table(
        "audit_outbox",
        _outbox_number_column(),
        sa.Column("writer", sa.Text, nullable=False),
        sa.Column("place", sa.BigInteger, nullable=False),
        sa.Column("written_at", sa.BigInteger, nullable=False),
        *_text_columns("hash", "id", "user_id", "agent_id", "conversation_id", "call_id", "tool_name"),
        *_text_columns("verdict", "stage", "rule", "decision"),
        sa.Column("with_override", sa.Boolean, nullable=False),
        *_text_columns("reason", "mode"),
        sa.Column("policy_version", sa.BigInteger, nullable=False),
        *_text_columns("approval_id"),
        sa.UniqueConstraint("writer", "place", name="audit_outbox_one_per_place"),
        sqlite_autoincrement=True,
    )
    if op.get_bind().dialect.name == "postgresql":
        _add_postgresql_triggers()
    else:
        _add_sqlite_triggers()


def _outbox_number_column() -> sa.Column[int]:
    """A row keeps its number when it is moved, so that pages of both tables are one."""
    if op.get_bind().dialect.name != "postgresql":
        return sa.Column("number", sa.Integer, primary_key=True, autoincrement=True)
    following = sa.text("nextval('audit_number_seq')")
    return sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False, server_default=following)


def _add_sqlite_triggers() -> None:
    op.execute("INSERT INTO sqlite_sequence (name, seq) SELECT 'audit_outbox', max(number) FROM audit")
    op.execute(
        "CREATE TRIGGER audit_outbox_is_not_altered BEFORE UPDATE ON audit_outbox"
        " BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END"
    )
    op.execute(
        "CREATE TRIGGER audit_outbox_is_moved BEFORE DELETE ON audit_outbox"
        " WHEN NOT EXISTS (SELECT 1 FROM audit AS a WHERE a.writer = OLD.writer AND a.place = OLD.place"
        " AND a.hash = OLD.hash) BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END"
    )


def _add_postgresql_triggers() -> None:
    op.execute(
        "CREATE FUNCTION audit_outbox_keeps() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " IF EXISTS (SELECT 1 FROM audit a WHERE a.writer = OLD.writer AND a.place = OLD.place"
        " AND a.hash = OLD.hash) THEN RETURN OLD; END IF;"
        " RAISE EXCEPTION 'the audit is append-only' USING ERRCODE = '42501'; END $$"
    )
    op.execute(
        "CREATE TRIGGER audit_outbox_is_not_altered BEFORE UPDATE ON audit_outbox"
        " FOR EACH ROW EXECUTE FUNCTION audit_refuses()"
    )
    op.execute(
        "CREATE TRIGGER audit_outbox_is_moved BEFORE DELETE ON audit_outbox"
        " FOR EACH ROW EXECUTE FUNCTION audit_outbox_keeps()"
    )
    op.execute(
        "CREATE TRIGGER audit_outbox_is_not_emptied BEFORE TRUNCATE ON audit_outbox"
        " FOR EACH STATEMENT EXECUTE FUNCTION audit_refuses()"
    )


def _text_columns(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _create_chat_posts_table() -> None:
    op.add_column("runs", sa.Column("digest", sa.Text))
    op.add_column("runs", sa.Column("replaced_by", sa.Text))
    op.create_table(
        "posts",
        sa.Column("sender", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
    )


def _add_excerpt_columns() -> None:
    """How large a question is, what a list shows of a large one, and who may take its call again."""
    pending = sa.text("state = 'pending'")
    for name in ("root_agent", "claim_nonce"):
        op.add_column("approvals", sa.Column(name, sa.Text, nullable=False, server_default=""))
    op.add_column("approvals", sa.Column("size", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("approvals", sa.Column("excerpt", sa.Text))
    op.create_index(
        "approvals_pending_bytes",
        "approvals",
        ["owner", "root_agent", "size"],
        sqlite_where=pending,
        postgresql_where=pending,
    )
    op.execute(
        "UPDATE approvals SET root_agent = agent_id, size = length(args) + length(question)"
        " WHERE state = 'pending'"
    )


def _add_file_column() -> None:
    """The file that a question was shown against, and the digests of what was asked and what ran."""
    op.add_column("approvals", sa.Column("file", sa.Text))
    for table in ("audit", "audit_outbox"):
        for name in ("asked_digest", "ran_digest"):
            op.add_column(table, sa.Column(name, sa.Text))


def _add_definition_columns() -> None:
    """What a tool said of itself when it was accepted, so that a change can be shown."""
    op.add_column("pins", sa.Column("definition", sa.Text))
