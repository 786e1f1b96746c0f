"""Schema 1.1: everything that the first version keeps."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "1.1"
down_revision: str | None = None
branch_labels = None
depends_on = None

_OPEN = sa.text("closed_at IS NULL")
_DENIED = sa.text("state = 'denied'")
_PENDING = sa.text("state = 'pending'")


def upgrade() -> None:
    """Make the tables, the view, and what guards the audit."""
    _approvals()
    _remembered()
    _others()
    _audit()
    match op.get_bind().dialect.name:
        case "postgresql":
            _guard_postgresql()
            _view("to_timestamp(written_at / 1000000.0)")
        case _:
            _guard_sqlite()
            _view("strftime('%Y-%m-%dT%H:%M:%fZ', written_at / 1000000.0, 'unixepoch')")


def _approvals() -> None:
    op.create_table(
        "approvals",
        _number(),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        *_texts("digest", "owner", "user_id", "agent_id", "conversation_id", "turn", "call_id", "tool_name"),
        *_texts("args", "question", "preset", "mode", "delivery"),
        _time("asked_at"),
        *_texts("state", "boot"),
        _maybe_time("expires_at"),
        _time("usable_for"),
        _maybe_time("later_at"),
        _maybe_text("answer"),
        _maybe_time("answered_at"),
        *_texts("claim"),
        _maybe_time("closed_at"),
        *_texts("note", "token_digest"),
        _maybe_text("preview"),
        _maybe_time("scrubbed_at"),
    )
    op.create_index(
        "approvals_open", "approvals", ["state", "number"], sqlite_where=_OPEN, postgresql_where=_OPEN
    )
    op.create_index(
        "approvals_pending", "approvals", ["agent_id"], sqlite_where=_PENDING, postgresql_where=_PENDING
    )
    op.create_index(
        "approvals_denied", "approvals", ["turn", "digest"], sqlite_where=_DENIED, postgresql_where=_DENIED
    )
    op.create_index("approvals_conversation", "approvals", ["conversation_id", "number"])


def _remembered() -> None:
    op.create_table(
        "grants",
        _number(),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        *_texts("pattern"),
        *_scopes(),
        *_texts("lifetime", "boot"),
        _maybe_time("until_at"),
        _maybe_time("uses"),
        *_texts("given_by", "approval_id"),
        sa.Column("override", sa.Boolean, nullable=False),
        _time("given_at"),
        _maybe_time("revoked_at"),
        _maybe_text("revoked_by"),
    )
    op.create_table(
        "rules",
        _number(),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        *_texts("list", "rule"),
        *_scopes(),
        *_texts("given_by", "approval_id", "why"),
        _time("given_at"),
        _maybe_time("revoked_at"),
        _maybe_text("revoked_by"),
    )
    op.create_table(
        "tiers",
        _number(),
        *_texts("agent_id", "tool_name", "provider_key", "status", "source", "set_by"),
        _time("set_at"),
        sa.UniqueConstraint("agent_id", "tool_name", name="tiers_one_per_tool"),
    )
    op.create_table(
        "pins",
        sa.Column("origin", sa.Text, primary_key=True),
        sa.Column("tool_name", sa.Text, primary_key=True),
        *_texts("digest", "accepted_by"),
        _time("accepted_at"),
    )


def _others() -> None:
    op.create_table(
        "conversations",
        sa.Column("id", sa.Text, primary_key=True),
        *_texts("owner", "agent_id", "preset", "mode", "title", "model"),
        _time("started_at"),
    )
    op.create_table(
        "agents", sa.Column("id", sa.Text, primary_key=True), _time("seen_at"), _maybe_time("ended_at")
    )
    op.create_table(
        "processes",
        sa.Column("boot", sa.Text, primary_key=True),
        _time("started_at"),
        _time("seen_at"),
        sa.Column("audited", sa.BigInteger, nullable=False),
    )
    policy = op.create_table(
        "policy",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        *_texts("secret"),
    )
    op.bulk_insert(policy, [{"id": 1, "version": 0, "secret": secrets.token_hex(32)}])


def _audit() -> None:
    op.create_table(
        "audit",
        _number(),
        *_texts("writer"),
        sa.Column("place", sa.BigInteger, nullable=False),
        _time("written_at"),
        *_texts("hash", "id", "user_id", "agent_id", "conversation_id", "call_id", "tool_name"),
        *_texts("verdict", "stage", "rule", "decision"),
        sa.Column("with_override", sa.Boolean, nullable=False),
        *_texts("reason", "mode"),
        sa.Column("policy_version", sa.BigInteger, nullable=False),
        *_texts("approval_id"),
        sa.UniqueConstraint("writer", "place", name="audit_one_per_place"),
    )
    op.create_table(
        "audit_segments",
        sa.Column("writer", sa.Text, primary_key=True),
        sa.Column("first_place", sa.BigInteger, primary_key=True),
        sa.Column("last_place", sa.BigInteger, nullable=False),
        *_texts("previous_hash", "last_hash", "archive"),
        _time("closed_at"),
        *_texts("closed_by"),
    )


def _guard_sqlite() -> None:
    """What was recorded stays: only rows of a segment that is closed and archived may be taken out."""
    op.execute(
        "CREATE TRIGGER audit_is_not_altered BEFORE UPDATE ON audit"
        " BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END"
    )
    op.execute(
        "CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit"
        " WHEN NOT EXISTS (SELECT 1 FROM audit_segments AS s WHERE s.writer = OLD.writer"
        " AND OLD.place BETWEEN s.first_place AND s.last_place)"
        " BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END"
    )
    for action in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER audit_segments_stay_{action.lower()} BEFORE {action} ON audit_segments"
            " BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END"
        )


def _guard_postgresql() -> None:
    """The same as in SQLite; `TRUNCATE` passes no row by, so it has a trigger of its own."""
    op.execute(
        "CREATE FUNCTION audit_refuses() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " RAISE EXCEPTION 'the audit is append-only' USING ERRCODE = '42501'; END $$"
    )
    op.execute(
        "CREATE FUNCTION audit_keeps() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " IF EXISTS (SELECT 1 FROM audit_segments s WHERE s.writer = OLD.writer"
        " AND OLD.place BETWEEN s.first_place AND s.last_place) THEN RETURN OLD; END IF;"
        " RAISE EXCEPTION 'the audit is append-only' USING ERRCODE = '42501'; END $$"
    )
    op.execute(
        "CREATE TRIGGER audit_is_not_altered BEFORE UPDATE ON audit"
        " FOR EACH ROW EXECUTE FUNCTION audit_refuses()"
    )
    op.execute(
        "CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit"
        " FOR EACH ROW EXECUTE FUNCTION audit_keeps()"
    )
    op.execute(
        "CREATE TRIGGER audit_segments_stay BEFORE UPDATE OR DELETE ON audit_segments"
        " FOR EACH ROW EXECUTE FUNCTION audit_refuses()"
    )
    for table in ("audit", "audit_segments"):
        op.execute(
            f"CREATE TRIGGER {table}_is_not_emptied BEFORE TRUNCATE ON {table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION audit_refuses()"
        )


def _view(created_at: str) -> None:
    """The answers of people, in the columns that tool permissions are reported in."""
    columns = (
        "id, call_id AS tool_call_id, user_id, agent_id, conversation_id AS chat_id, tool_name, decision"
    )
    others = f"with_override, NULLIF(reason, '') AS reason, {created_at} AS created_at"
    answers = "verdict = '' AND decision IN ('approved', 'denied', 'denied_with_reason')"
    op.execute(
        f"CREATE VIEW agent_tool_approval_audit AS SELECT {columns}, {others} FROM audit WHERE {answers}"  # noqa: S608
    )


def _number() -> sa.Column[int]:
    kind = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    return sa.Column("number", kind, primary_key=True, autoincrement=True)


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _scopes() -> list[sa.Column[str]]:
    return [_maybe_text("conversation_id"), _maybe_text("agent_id"), _maybe_text("user_id")]


def _maybe_text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text)


def _time(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=False)


def _maybe_time(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger)
