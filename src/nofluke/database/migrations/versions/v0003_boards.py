"""Labelled rows behind a release rule, boards, their people and their submissions."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "holdouts",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("ledger", sa.Text(), nullable=False),
        sa.Column("rows", sa.LargeBinary(), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("salt", sa.Text(), nullable=False),
        sa.Column("created", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_holdouts"),
        sa.UniqueConstraint("fingerprint", name="uq_holdouts_fingerprint"),
        sa.UniqueConstraint("ledger", name="uq_holdouts_ledger"),
    )
    op.create_table(
        "boards",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("holdout", sa.Text(), nullable=False),
        sa.Column("created", sa.Text(), nullable=False),
        sa.Column("closed", sa.Text(), nullable=True),
        sa.Column("confirmation", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["holdout"], ["holdouts.id"], name="fk_boards_holdout"),
        sa.PrimaryKeyConstraint("id", name="pk_boards"),
        sa.UniqueConstraint("slug", name="uq_boards_slug"),
    )
    op.create_index("ix_boards_holdout", "boards", ["holdout"], unique=False)
    op.create_table(
        "invitations",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("board", sa.Text(), nullable=True),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("team", sa.Text(), nullable=True),
        sa.Column("maker", sa.Text(), nullable=True),
        sa.Column("created", sa.Text(), nullable=False),
        sa.Column("expires", sa.Text(), nullable=False),
        sa.Column("used", sa.Text(), nullable=True),
        sa.Column("user", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["board"], ["boards.id"], name="fk_invitations_board"),
        sa.ForeignKeyConstraint(["maker"], ["users.id"], name="fk_invitations_maker"),
        sa.ForeignKeyConstraint(["user"], ["users.id"], name="fk_invitations_user"),
        sa.PrimaryKeyConstraint("id", name="pk_invitations"),
        sa.UniqueConstraint("digest", name="uq_invitations_digest"),
    )
    op.create_index("ix_invitations_board", "invitations", ["board"], unique=False)
    op.create_table(
        "members",
        sa.Column("board", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("team", sa.Text(), nullable=True),
        sa.Column("joined", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["board"], ["boards.id"], name="fk_members_board"),
        sa.ForeignKeyConstraint(["user"], ["users.id"], name="fk_members_user"),
        sa.PrimaryKeyConstraint("board", "user", name="pk_members"),
    )
    op.create_index("ix_members_user", "members", ["user"], unique=False)
    op.create_table(
        "submissions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("holdout", sa.Text(), nullable=False),
        sa.Column("board", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("first", sa.Text(), nullable=True),
        sa.Column("second", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("training", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("look", sa.Integer(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("code", sa.Text(), nullable=True),
        sa.Column("created", sa.Text(), nullable=False),
        sa.Column("done", sa.Text(), nullable=True),
        sa.Column("finalist", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["board"], ["boards.id"], name="fk_submissions_board"),
        sa.ForeignKeyConstraint(["first"], ["submissions.id"], name="fk_submissions_first"),
        sa.ForeignKeyConstraint(["holdout"], ["holdouts.id"], name="fk_submissions_holdout"),
        sa.ForeignKeyConstraint(["second"], ["submissions.id"], name="fk_submissions_second"),
        sa.ForeignKeyConstraint(["user"], ["users.id"], name="fk_submissions_user"),
        sa.PrimaryKeyConstraint("id", name="pk_submissions"),
        sa.UniqueConstraint("holdout", "number", name="uq_submissions_holdout_number"),
        sa.UniqueConstraint(
            "holdout", "user", "kind", "digest", name="uq_submissions_holdout_user_kind_digest"
        ),
    )
    op.create_index("ix_submissions_board", "submissions", ["board"], unique=False)
    op.create_index("ix_submissions_status", "submissions", ["status", "number"], unique=False)
    op.create_index("ix_submissions_user", "submissions", ["user"], unique=False)
    op.create_table(
        "predictions",
        sa.Column("submission", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.id"], name="fk_predictions_submission"
        ),
        sa.PrimaryKeyConstraint("submission", name="pk_predictions"),
    )
    op.create_table(
        "refusals",
        sa.Column("holdout", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("entry", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["holdout"], ["holdouts.id"], name="fk_refusals_holdout"),
        sa.ForeignKeyConstraint(["user"], ["users.id"], name="fk_refusals_user"),
        sa.PrimaryKeyConstraint("holdout", "user", "digest", name="pk_refusals"),
    )
    op.create_index("ix_refusals_user", "refusals", ["user"], unique=False)
