"""Schema 1.2: who is there, what happened while somebody was away, and what a server needs to share."""

import sqlalchemy as sa
from alembic import op

revision = "1.2"
down_revision = "1.1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add to what is there; a pod of the version before goes on as if it were not."""
    _people()
    _credentials()
    _events()
    _shared()


def _people() -> None:
    op.create_table(
        "people",
        sa.Column("id", sa.Text, primary_key=True),
        *_texts("name"),
        # Where somebody signs in with a provider: its issuer and subject, joined; unique where there is one.
        sa.Column("identity", sa.Text, unique=True),
        sa.Column("administrator", sa.Boolean, nullable=False),
        *_texts("added_by"),
        _time("added_at"),
        _maybe_time("disabled_at"),
        sa.Column("disabled_by", sa.Text),
    )
    op.create_table(
        "roles",
        sa.Column("person_id", sa.Text, primary_key=True),
        # A conversation or an agent, by id; the two never share a name space in rights.
        sa.Column("subject", sa.Text, primary_key=True),
        *_texts("role", "given_by"),
        _time("given_at"),
    )


def _credentials() -> None:
    op.create_table(
        "credentials",
        sa.Column("id", sa.Text, primary_key=True),
        # Never the secret itself.
        sa.Column("digest", sa.Text, nullable=False, unique=True),
        *_texts("purpose", "kind", "principal_id", "on_behalf", "label", "made_by"),
        _time("made_at"),
        _maybe_time("expires_at"),
        _maybe_time("ended_at"),
        sa.Column("ended_by", sa.Text),
    )
    op.create_index("credentials_principal", "credentials", ["principal_id"])


def _events() -> None:
    number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "events",
        sa.Column("number", number, primary_key=True, autoincrement=True),
        _time("happened_at"),
        *_texts("kind", "approval_id", "owner", "conversation_id", "agent_id"),
        # A number is never given twice, not even when the newest rows are gone.
        sqlite_autoincrement=True,
    )
    if op.get_bind().dialect.name == "postgresql":
        # Numbers are given before a commit and seen after it: who reads up to a number must know that no
        # smaller one is still to come, and the transaction that wrote a row tells.
        op.execute("ALTER TABLE events ADD COLUMN written_in xid8 NOT NULL DEFAULT pg_current_xact_id()")
        op.execute("CREATE INDEX events_in_order ON events (written_in, number)")
    op.create_index("events_at", "events", ["happened_at"])


def _shared() -> None:
    op.add_column("policy", sa.Column("paused_at", sa.BigInteger))
    op.add_column("policy", sa.Column("paused_by", sa.Text))
    op.add_column("policy", sa.Column("declared", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("policy", sa.Column("life", sa.Text, nullable=False, server_default="0"))
    op.add_column("policy", sa.Column("swept", sa.Text, nullable=False, server_default="0.0"))
    op.create_table(
        "settings",
        sa.Column("name", sa.Text, primary_key=True),
        *_texts("value", "set_by"),
        _time("set_at"),
    )
    op.create_table(
        "declarations",
        sa.Column("agent_id", sa.Text, primary_key=True),
        sa.Column("origin", sa.Text, primary_key=True),
        sa.Column("tool_name", sa.Text, primary_key=True),
        *_texts("definition", "trust", "declared_by"),
        _time("declared_at"),
    )
    op.create_table(
        "spending",
        sa.Column("principal_id", sa.Text, primary_key=True),
        sa.Column("slot", sa.BigInteger, primary_key=True),
        sa.Column("calls", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "replies",
        sa.Column("principal_id", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        *_texts("request_digest"),
        sa.Column("status", sa.Integer),
        sa.Column("body", sa.Text),
        _time("began_at"),
    )


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _time(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=False)


def _maybe_time(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger)
