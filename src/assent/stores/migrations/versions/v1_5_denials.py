"""Schema 1.5: the denials of late are found by the agent that was denied."""

import sqlalchemy as sa
from alembic import op

revision = "1.5"
down_revision = "1.4"
branch_labels = None
depends_on = None

_DENIED = sa.text("state = 'denied'")


def upgrade() -> None:
    """Add to what is there; a pod of the version before goes on as if it were not."""
    op.create_index(
        "approvals_denied_agent",
        "approvals",
        ["agent_id", "answered_at"],
        sqlite_where=_DENIED,
        postgresql_where=_DENIED,
    )
