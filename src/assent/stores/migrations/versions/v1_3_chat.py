"""Schema 1.3: the runs of a chat, and the log that each can be rebuilt from in another process."""

import sqlalchemy as sa
from alembic import op

revision = "1.3"
down_revision = "1.2"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add to what is there; a pod of the version before goes on as if it were not."""
    op.create_table(
        "runs",
        sa.Column("id", sa.Text, primary_key=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("conversation_id", "owner", "agent_id")),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("mode", sa.Text),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("delivery", sa.Text),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("boot", "course", "wish")),
        sa.Column("length", sa.BigInteger, nullable=False),
        sa.Column("began_at", sa.BigInteger, nullable=False),
        sa.Column("ended_at", sa.BigInteger),
    )
    op.create_index("runs_conversation", "runs", ["conversation_id", "began_at"])
    op.create_index("runs_course", "runs", ["course"])
    op.create_table(
        "run_lines",
        sa.Column("run_id", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("kind", "body")),
    )
