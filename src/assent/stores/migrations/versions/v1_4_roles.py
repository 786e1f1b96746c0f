"""Schema 1.4: denials are found by their call, and a role says what it is for."""

import sqlalchemy as sa
from alembic import op

revision = "1.4"
down_revision = "1.3"
branch_labels = None
depends_on = None

_DENIED = sa.text("state = 'denied'")
_SAY_WHICH = """
    UPDATE roles SET subject = CASE
        WHEN EXISTS (SELECT 1 FROM conversations WHERE conversations.id = roles.subject) THEN 'conversation:'
        ELSE 'agent:'
    END || subject
"""


def upgrade() -> None:
    """Add to what is there; a pod of the version before goes on as if it were not."""
    op.create_index(
        "approvals_denied_call", "approvals", ["digest"], sqlite_where=_DENIED, postgresql_where=_DENIED
    )
    op.execute(_SAY_WHICH)
