"""Schema 1.7: each row of the audit names the version of the field list that its hash covers."""

import sqlalchemy as sa
from alembic import op

revision = "1.7"
down_revision = "1.6"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add columns only; processes of the previous version go on writing rows, which count as version 1."""
    for table in ("audit", "audit_outbox"):
        op.add_column(table, _version_column("hash_version"))
    op.add_column("audit_segments", _version_column("last_version"))


def _version_column(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=False, server_default="1")
