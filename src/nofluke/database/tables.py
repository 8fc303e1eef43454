"""The tables, as the newest migration leaves them.

Times are text in UTC (ISO 8601 with milliseconds and Z), so that they sort, and are the same in
every database and in a backup. Secrets that people hold (sessions, tokens, invitations) are kept as
SHA-256 only. What members must never see stands in ``holdouts`` and ``predictions`` alone.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

#: Names of constraints are fixed, so that migrations can name them.
METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_N_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

#: Lines of ledgers; triggers refuse changes and deletions.
entries = Table(
    "entries",
    METADATA,
    Column("ledger", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("line", LargeBinary, nullable=False),
)

#: What the server must remember of itself, such as its signing key.
settings = Table(
    "settings",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

users = Table(
    "users",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("folded", Text, nullable=False, unique=True),  # the name as it is compared
    Column("password", Text, nullable=False),  # argon2id
    Column("admin", Boolean, nullable=False),
    Column("created", Text, nullable=False),
    Column("disabled", Text),
)

sessions = Table(
    "sessions",
    METADATA,
    Column("digest", Text, primary_key=True),
    Column("user", Text, ForeignKey("users.id"), nullable=False, index=True),
    Column("created", Text, nullable=False),
    Column("seen", Text, nullable=False),
    Column("expires", Text, nullable=False),
)

tokens = Table(
    "tokens",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("user", Text, ForeignKey("users.id"), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("digest", Text, nullable=False, unique=True),
    Column("scopes", Text, nullable=False),  # words with spaces between
    Column("created", Text, nullable=False),
    Column("expires", Text, nullable=False),
    Column("used", Text),
    Column("revoked", Text),
)

#: Labelled rows behind a release rule: one for each fingerprint of labels, whatever the boards.
holdouts = Table(
    "holdouts",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("fingerprint", Text, nullable=False, unique=True),
    Column("ledger", Text, nullable=False, unique=True),
    Column("rows", LargeBinary, nullable=False),  # ids, labels, clusters, split
    Column("policy", Text, nullable=False),  # JSON: metric, rule, budgets
    Column("state", Text, nullable=False),  # JSON of the release rule
    Column("salt", Text, nullable=False),  # of the state's commitment in the ledger
    Column("created", Text, nullable=False),
)

boards = Table(
    "boards",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("slug", Text, nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("holdout", Text, ForeignKey("holdouts.id"), nullable=False, index=True),
    Column("created", Text, nullable=False),
    Column("closed", Text),
    Column("confirmation", Text),  # JSON of what the final rows said, once they were opened
)

members = Table(
    "members",
    METADATA,
    Column("board", Text, ForeignKey("boards.id"), primary_key=True),
    Column("user", Text, ForeignKey("users.id"), primary_key=True, index=True),
    Column("role", Text, nullable=False),  # owner, member, auditor
    Column("team", Text),
    Column("joined", Text, nullable=False),
)

#: Links that let somebody in once: to a board, or (without one) to run the server.
invitations = Table(
    "invitations",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("digest", Text, nullable=False, unique=True),
    Column("board", Text, ForeignKey("boards.id"), index=True),
    Column("role", Text, nullable=False),  # owner, member, auditor; admin without a board
    Column("team", Text),
    Column("maker", Text, ForeignKey("users.id")),
    Column("created", Text, nullable=False),
    Column("expires", Text, nullable=False),
    Column("used", Text),
    Column("user", Text, ForeignKey("users.id")),
)

submissions = Table(
    "submissions",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("number", BigInteger, nullable=False),  # order in which the holdout was asked
    Column("holdout", Text, ForeignKey("holdouts.id"), nullable=False),
    Column("board", Text, ForeignKey("boards.id"), nullable=False, index=True),
    Column("user", Text, ForeignKey("users.id"), nullable=False, index=True),
    Column("team", Text, nullable=False),
    Column("kind", Text, nullable=False),  # predictions, or comparison of two of them
    Column("digest", Text, nullable=False),  # of the content: a repetition has the same
    Column("first", Text, ForeignKey("submissions.id")),
    Column("second", Text, ForeignKey("submissions.id")),
    Column("name", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("training", Text),  # the analyst's own score, as text; for Thresholdout
    Column("status", Text, nullable=False),  # queued, released, failed
    Column("attempt", Integer, nullable=False),  # entry that charged it
    Column("look", Integer),  # entry that holds what was told
    Column("answer", Text),  # JSON of what was told
    Column("code", Text),  # why it failed
    Column("created", Text, nullable=False),
    Column("done", Text),
    Column("finalist", Boolean, nullable=False),
    UniqueConstraint("holdout", "number"),
    UniqueConstraint("holdout", "user", "kind", "digest"),
    Index("ix_submissions_status", "status", "number"),
)

predictions = Table(
    "predictions",
    METADATA,
    Column("submission", Text, ForeignKey("submissions.id"), primary_key=True),
    Column("content", LargeBinary, nullable=False),
)

#: Contents that a budget refused, so that the same refusal is on record once.
refusals = Table(
    "refusals",
    METADATA,
    Column("holdout", Text, ForeignKey("holdouts.id"), primary_key=True),
    Column("user", Text, ForeignKey("users.id"), primary_key=True, index=True),
    Column("digest", Text, primary_key=True),
    Column("entry", BigInteger, nullable=False),  # of the ledger
)
