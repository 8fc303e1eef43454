"""What the server tells: the records that pages show and the API returns. None holds a secret."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Role: TypeAlias = Literal["owner", "member", "auditor"]
Scope: TypeAlias = Literal["read", "submit", "admin"]
Status: TypeAlias = Literal["queued", "released", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who asks. Not for responses.

    Attributes:
        id: The user's id.
        name: The user's name.
        admin: Whether the user runs the server: may open boards, and invite.
        scopes: What the token or session may do; a session may do everything.
        until: When the token ends; None for a session.
        held: Digest of the token or session by which they came; None for who has just come in
            by a link, or given a password.
    """

    id: str
    name: str
    admin: bool
    scopes: frozenset[str] = frozenset({"read", "submit", "admin"})
    until: str | None = None
    held: str | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What is left of the looks, and of how many.

    Attributes:
        looks: Left for these labels, by whomever and on whichever board.
        looks_of: As many as the error level pays for.
        team: Left for the asker's team; None without a limit.
        team_of: The team's limit.
        member: Left for the asker; None without a limit.
        member_of: The member's limit.
        rule: What is left of the rule's own budget (such as verdicts "better"), where it has one.
        bits: Bits that all answers so far have told.
    """

    looks: int
    looks_of: int
    team: int | None = None
    team_of: int | None = None
    member: int | None = None
    member_of: int | None = None
    rule: float | None = None
    bits: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One submission, or one comparison of two of them, as its own team may see it.

    Attributes:
        id: Its id.
        board: The board's slug.
        number: Its number at these labels, in the order in which looks were charged. One whose look
            was given back keeps it; looks that were answered are counted in ``answer``.
        kind: "predictions" or "comparison".
        name: What its submitter calls it.
        message: The submitter's words.
        user: The submitter's name.
        team: The submitter's team.
        digest: SHA-256 of the content; the same content handed in again is the same submission.
        status: "queued", "released" or "failed".
        answer: What was told, the fields of ``release.Released``; None before, or if it failed.
        sentences: What was told, in words that may be pasted.
        code: Why it failed; a failed one costs nothing.
        attempt: Entry of the ledger that charged it.
        look: Entry of the ledger that holds what was told.
        first: For a comparison: the id of one submission.
        second: The id of the other; a difference is the second minus the first.
        finalist: Whether its team has named it for the final rows.
        created: When it was accepted.
        done: When it was answered.
    """

    id: str
    board: str
    number: int
    kind: str
    name: str
    message: str
    user: str
    team: str
    digest: str
    status: Status
    answer: dict[str, Any] | None
    sentences: tuple[str, ...]
    code: str | None
    attempt: int
    look: int | None
    first: str | None
    second: str | None
    finalist: bool
    created: str
    done: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One line of a board; all of it follows from answers that were told.

    Attributes:
        id: The submission.
        name: What its submitter calls it.
        team: Its team.
        number: Its number at these labels, as of a submission.
        value: What was told of it, in words or a number; None where the rule tells nothing of it.
        verdict: What was told, where the rule tells verdicts.
        lower: Lower limit of its expected score, as far as the answers tell.
        upper: Upper limit.
        best_rank: The best rank it may truly have.
        worst_rank: The worst rank it may truly have.
        tier: 1 for the submissions that may be the best, and so on.
        mine: Whether it is the asker's or the asker's team's.
    """

    id: str
    name: str
    team: str
    number: int
    value: float | None
    verdict: str | None
    lower: float | None
    upper: float | None
    best_rank: int
    worst_rank: int
    tier: int
    mine: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardLine:
    """A board in a list.

    Attributes:
        slug: Its name in addresses.
        title: Its name for people.
        role: The asker's role.
        looks: Looks that are left for these labels.
        looks_of: As many as the error level pays for.
        closed: When it was closed to submissions; None while it is open.
    """

    slug: str
    title: str
    role: Role
    looks: int
    looks_of: int
    closed: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A board as one of its people sees it.

    Attributes:
        slug: Its name in addresses.
        title: Its name for people.
        description: The owner's words, plain text.
        role: The asker's role.
        team: The asker's team.
        metric: Name of the metric.
        better: "higher" or "lower".
        rule: Name of the release rule.
        rule_words: What a look reveals and what it costs, in plain words.
        level: The probability with which everything that looks tell holds at once.
        guarantee: What is promised, in one word.
        assumes: What must be true for it.
        n: Units behind the board: rows, or clusters of rows; of an area under the curve, rows of
            the rarer class.
        rows: All rows that a submission must predict, those for the final confirmation among them.
        confirmation_rows: How many rows are kept for the final confirmation; 0 where there is none.
        prediction: What a submission holds for each id: "label", "probability" or "number".
        labels: Names of the labels where they are names; empty for numbers.
        training: Whether a submission must name the analyst's own score.
        left: What is left for the asker.
        standings: The board.
        standing_words: What the ranks and tiers mean, in plain words.
        created: When it was opened.
        closed: When it was closed to submissions; None while it is open.
        confirmation: What the final rows said, once they were opened by this board.
        final_opened: Whether they were opened, by this board or another over the same rows.
        notes: Cautions, each with its code.
    """

    slug: str
    title: str
    description: str
    role: Role
    team: str
    metric: str
    better: str
    rule: str
    rule_words: tuple[str, ...]
    level: float
    guarantee: str
    assumes: tuple[str, ...]
    n: int
    rows: int
    confirmation_rows: int
    prediction: str
    labels: tuple[str, ...]
    training: bool
    left: Left
    standings: tuple[Standing, ...]
    standing_words: tuple[str, ...]
    created: str
    closed: str | None
    confirmation: dict[str, Any] | None
    final_opened: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a trial upload was found to be; it is scored against nothing and costs nothing.

    Attributes:
        rows: Rows read.
        digest: SHA-256 of the content.
        known: The id of an own earlier submission of the same content, which would be told again.
        left: What is left for the asker.
    """

    rows: int
    digest: str
    known: str | None
    left: Left


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One person of a board.

    Attributes:
        id: The person's id.
        name: The person's name.
        role: What they are on the board.
        team: A member's team.
        joined: When they joined.
        looks: Looks they were charged at these labels.
    """

    id: str
    name: str
    role: Role
    team: str | None
    joined: str
    looks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """A link that lets somebody in once.

    Attributes:
        id: Its id.
        role: What it makes of whoever uses it.
        team: The team it leads to.
        created: When it was made.
        expires: When it ends, if nobody uses it.
        used: When it was used.
        by: Who made it.
        secret: What the link ends with; told only when it is made.
    """

    id: str
    role: str
    team: str | None
    created: str
    expires: str
    used: str | None
    by: str | None
    secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invited:
    """What an invitation is for, as whoever holds its link may see it.

    Attributes:
        role: "owner", "member" or "auditor" of a board; "admin" of the server; "password" for a
            link that lets its user choose a new one.
        team: The team, where the invitation names one.
        board: The board's slug; None for the server.
        title: The board's title.
        by: Who invites; None for the link that the console showed.
        name: Whose password it is, for "password" only.
        expires: When it ends.
    """

    role: str
    team: str | None
    board: str | None
    title: str | None
    by: str | None
    name: str | None
    expires: str


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """One account, as those who run the server see it."""

    id: str
    name: str
    admin: bool
    created: str
    disabled: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token of the API.

    Attributes:
        id: Its id.
        name: What its owner calls it.
        scopes: What it may do: "read", "submit", "admin".
        created: When it was made.
        expires: When it ends.
        used: When it was used last.
        revoked: When its owner ended it.
        secret: What is sent; told only when it is made.
    """

    id: str
    name: str
    scopes: tuple[str, ...]
    created: str
    expires: str
    used: str | None
    revoked: str | None
    secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerPage:
    """The ledger of a board: the chain check, what is on record, and the audit.

    Attributes:
        name: Its name.
        head: Number and digest of the last entry, to be kept elsewhere.
        intact: Whether nothing was found that is not as it was written.
        verified: The sentences of the check.
        faults: What was found.
        entries: Entries in short, the newest first: seq, time, who, kind, rows, says.
        entries_of: How many entries there are.
        sets: The rows that are registered: name, role, state, looks.
        audit: One row for each part of the audit.
        sentences: What is on record, in words.
        notes: Cautions, each with its code.
    """

    name: str
    head: str
    intact: bool
    verified: tuple[str, ...]
    faults: tuple[dict[str, Any], ...]
    entries: tuple[dict[str, Any], ...]
    entries_of: int
    sets: tuple[dict[str, Any], ...]
    audit: tuple[dict[str, Any], ...]
    sentences: tuple[str, ...]
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSpec:
    """What an owner asks for when a board is opened.

    Attributes:
        slug: 1 to 40 of a-z, 0-9 and "-".
        title: Up to 200 characters.
        description: Up to 10,000 characters of plain text.
        metric: One of ``guard.metrics.METRICS``.
        bounds: Lowest and highest possible score of a row, for metrics of numbers.
        rule: One of ``ladder``, ``free-ladder``, ``thresholdout``, ``rounded``, ``verdict``.
        looks: How many looks the error level pays for.
        per_member: The most that one member may take; None without a limit.
        per_team: The most that one team may take; None without a limit.
        alpha: The probability that anything told is wrong.
        options: The rule's own choices, such as step, budget, threshold, sigma, wins, margin.
        id: Column of ids in the file.
        label: Column of labels.
        cluster: Column of clusters, each of which is one unit; None where every row is one.
        baseline: Column of the baseline's predictions, for ``verdict``.
        confirm: Share of the units that wait for the final confirmation, from 0 below 1.
    """

    slug: str
    title: str
    description: str = ""
    metric: str = "accuracy"
    bounds: tuple[float, float] | None = None
    rule: str = "ladder"
    looks: int = 100
    per_member: int | None = None
    per_team: int | None = None
    alpha: float = 0.05
    options: dict[str, Any] = field(default_factory=dict)
    id: str = "id"
    label: str = "label"
    cluster: str | None = None
    baseline: str | None = None
    confirm: float = 0.0
