"""Schema 1.8: the directories that people register as workspaces of agents."""

import sqlalchemy as sa
from alembic import op

revision = "1.8"
down_revision = "1.7"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a table; processes of the previous version decide as if no workspace were registered."""
    op.create_table(
        "workspaces",
        # An empty agent is all agents.
        sa.Column("agent_id", sa.Text, primary_key=True),
        sa.Column("root", sa.Text, primary_key=True),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("added_by", sa.Text, nullable=False),
        sa.Column("remote", sa.Boolean, nullable=False),
        sa.Column("added_at", sa.BigInteger, nullable=False),
    )
