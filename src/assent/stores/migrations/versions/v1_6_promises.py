"""Schema 1.6: the servers of one database know where each of them works."""

import sqlalchemy as sa
from alembic import op

revision = "1.6"
down_revision = "1.5"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add to what is there; a pod of the version before goes on as if it were not."""
    _pods()


def _pods() -> None:
    op.create_table(
        "pods",
        sa.Column("boot", sa.Text, primary_key=True),
        sa.Column("workspace", sa.Text, nullable=False),
        sa.Column("policy_digest", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("joined_at", sa.BigInteger, nullable=False),
    )
