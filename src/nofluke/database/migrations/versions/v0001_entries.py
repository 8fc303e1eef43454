"""Lines of ledgers, which triggers keep from being changed."""

import sqlalchemy as sa
from alembic import op

from nofluke.database import triggers

revision = "0001"
down_revision: str | None = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "entries",
        sa.Column("ledger", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("line", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("ledger", "seq", name="pk_entries"),
    )
    triggers.create(op.get_bind())
