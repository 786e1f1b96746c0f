"""Schema 1.9: the leases of callers, and the sub-agents that they name, in the audit."""

import sqlalchemy as sa
from alembic import op

revision = "1.9"
down_revision = "1.8"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add columns only; a pod of the previous version goes on without leases."""
    op.add_column("approvals", sa.Column("lease", sa.BigInteger))
    op.add_column("approvals", sa.Column("leased_until", sa.BigInteger))
    for table in ("audit", "audit_outbox"):
        op.add_column(table, sa.Column("sub_agents", sa.Text))
