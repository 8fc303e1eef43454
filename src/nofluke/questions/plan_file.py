"""A plan on paper: what was settled before the first score was seen, and a seal that shows changes.

The seal is a digest of all that the plan says. It proves nothing by itself, as whoever changes a
plan can seal it again; kept elsewhere before the run (in a commit, a ticket, a message), it does.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nofluke import checks, means
from nofluke.errors import InputError, ReadError, some
from nofluke.questions import plan_seals
from nofluke.questions.claims import Claim
from nofluke.questions.routes import ASYMPTOTIC
from nofluke.scores import metrics
from nofluke.scores.table import Scores

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike

KIND, SCHEMA = "nofluke plan", 2
METHODS = ("mcnemar", *means.METHODS)
#: Methods whose answer may be read at any time, before N and after it.
ANYTIME = ("hedged_star",)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFile:
    """What is settled before the first score is seen.

    Attributes:
        planned: Number of units, N.
        a: Id of the baseline.
        b: Id of the candidate.
        better: "higher" or "lower" score wins.
        alternative: The claim.
        margin: The gain to be shown, or the loss or difference tolerated.
        alpha: Error level.
        method: The method of the verdict.
        metric: Name of the metric.
        bounds: Lowest and highest possible score.
        binary: Whether a score is 0 or 1 by its meaning.
        clusters: Whether clusters are the units.
        max_cluster_size: Largest possible cluster, where clusters count by size.
        missing: What it means that one side lacks an example.
        seed: Seed of the order in which units are counted.
        delta: True gain that N was planned for.
        power: Probability with which it is shown.
        created: Date of the plan, as YYYY-MM-DD.
        seen: What had been seen by then.
        cluster_by: What makes clusters: the column, or the digest of a mapping.
        pilot: Marks (short hashes) of the examples and clusters of the pilot, where they have ids.
        digest: SHA-256 of all of this.
    """

    planned: int
    a: str
    b: str
    better: str
    alternative: str
    margin: float
    alpha: float
    method: str
    metric: str | None
    bounds: tuple[float, float] | None
    binary: bool
    clusters: bool
    max_cluster_size: float | None
    missing: str
    seed: int
    delta: float | None
    power: float | None
    created: str
    seen: str = plan_seals.NOTHING
    cluster_by: str | None = None
    pilot: tuple[str, ...] = ()
    digest: str = ""

    @property
    def anytime(self) -> bool:
        """Whether the answer may be read before N and after it."""
        return self.method in ANYTIME

    def content(self) -> dict[str, Any]:
        """All that is sealed, ready for JSON."""
        said = {"kind": KIND, "schema": SCHEMA, **asdict(self)}
        del said["digest"]
        said["bounds"] = None if self.bounds is None else list(self.bounds)
        said["pilot"] = list(self.pilot)
        return said

    def to_json(self) -> str:
        """The plan as JSON text, with its digest and a short check of each field."""
        said = self.content()
        sealed = {**said, "checks": _checks(said), "digest": _digest(said)}
        return json.dumps(sealed, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def sentences(self) -> list[str]:
        """The plan in words."""
        claim = Claim.understood(self.alternative, self.margin, self.alpha)
        unit = "clusters" if self.clusters else "pairs"
        looks = "may be read at any time" if self.anytime else "is read once, at this number"
        return [
            f"Planned on {self.created}, {self.seen}: {self.planned} {unit} to show by "
            f"{self.method} that {claim.words(self.a, self.b, self.metric or 'score')}, with "
            f"error at most {self.alpha:g}; the answer {looks}.",
            f"Seal: {self.digest}",
        ]


def write(
    path: str | PathLike[str],
    *,
    planned: int,
    a: str,
    b: str,
    better: str | None = None,
    alternative: str = "better",
    margin: float = 0.0,
    alpha: float = 0.05,
    method: str = "hedged_star",
    metric: str | None = None,
    bounds: Sequence[float] | None = None,
    binary: bool | None = None,
    clusters: bool | str | Mapping[str, Any] | None = False,
    max_cluster_size: float | None = None,
    missing: str = "raise",
    seed: int = 0,
    delta: float | None = None,
    power: float | None = None,
    created: str | dt.date | None = None,
    pilot: ArrayLike | Scores | None = None,
) -> PlanFile:
    """Write a plan that ``compare`` will hold you to, before the first score is seen.

    Args:
        path: Where it goes; a file that is there is not replaced.
        planned: Number of units, N.
        a: Id of the baseline.
        b: Id of the candidate.
        better: "higher" or "lower"; known for well-known metrics.
        alternative: The claim, as in ``compare``.
        margin: As in ``compare``.
        alpha: Error level of the verdict.
        method: "hedged_star": the answer may be read at any time; or a method that looks once.
        metric: Name of the metric.
        bounds: Lowest and highest possible score; known for well-known metrics.
        binary: Whether a score is 0 or 1 by its meaning; by default as declared with the pilot's
            table or known of the metric.
        clusters: What makes clusters, where they are the units: True for the table's cluster
            column, the name of that column, or a mapping of example id to cluster. ``compare``
            asks for the same.
        max_cluster_size: Largest possible cluster; examples then count alike.
        missing: What it means that one side lacks an example.
        seed: Seed of the order in which units are counted (``order``).
        delta: True gain that N was planned for, for the record.
        power: Probability with which it is shown, for the record.
        created: Date; today by default.
        pilot: What N was chosen by, as in ``sample_size``: a table, or gains. It is sealed that it
            was seen; of a table also who was in it, and ``compare`` refuses to count those again.

    Returns:
        The plan with its digest. Keep that where it cannot be changed.

    Raises:
        InputError: Arguments that ``compare`` would refuse, or a file that is there.
    """
    if binary is None:
        declared = isinstance(pilot, Scores) and pilot.binary
        binary = declared or metrics.known(metric).binary
    by = plan_seals.clusters_sealed(clusters=clusters, pilot=pilot)
    found = plan_seals.seen(pilot, a, b, clusters=clusters)
    plan = _settled(
        planned=planned,
        a=a,
        b=b,
        better=better or metrics.orientation(metric),
        alternative=alternative,
        margin=margin,
        alpha=alpha,
        method=method,
        metric=metric,
        bounds=bounds,
        binary=binary,
        clusters=by is not None,
        max_cluster_size=max_cluster_size,
        missing=missing,
        seed=seed,
        delta=delta,
        power=power,
        created=dt.date.today() if created is None else created,
        seen=found.words,
        cluster_by=by,
        pilot=found.marks,
    )
    target = Path(path)
    try:
        with target.open("x", encoding="utf-8", newline="\n") as file:
            file.write(plan.to_json())
    except FileExistsError:
        raise InputError(
            f"{target} is there already, and a plan is not written over; name another file.",
            code="NF008",
        ) from None
    return plan


def read(path: str | PathLike[str]) -> PlanFile:
    """Read a plan, and refuse one that is not as it was written.

    Raises:
        ReadError: No file that can be read, or no JSON (NF030).
        InputError: Not a plan, or changed since it was written, with the fields that were (NF030).
    """
    said = _parsed(path)
    if not isinstance(said, dict) or said.get("kind") != KIND or said.get("schema") != SCHEMA:
        raise InputError(
            f"{path} is no plan of this version: expected kind {KIND!r} and schema {SCHEMA}; "
            "nofluke plan --write makes one.",
            code="NF030",
        )
    digest, each = said.pop("digest", None), said.pop("checks", None)
    if digest != _digest(said):
        raise InputError(_changed(path, said, each), code="NF030")
    try:
        return _settled(**{k: v for k, v in said.items() if k not in ("kind", "schema")})
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{path} is no plan that can be kept: {error}", code="NF030") from None


def _parsed(path: str | PathLike[str]) -> Any:
    """What the file says, each key once."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise ReadError(
            f"{path} cannot be read as a plan ({why}); name the file that nofluke plan --write "
            "made.",
            code="NF030",
            path=str(path),
        ) from None
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        why = "too deep" if isinstance(error, RecursionError) else error
        raise ReadError(
            f"{path} is no plan: it is not JSON of a plan ({why}); nofluke plan --write makes one.",
            code="NF030",
            path=str(path),
        ) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys differ: of two equal ones a reader would see either."""
    said = dict(pairs)
    if len(said) < len(pairs):
        names = [name for name, _ in pairs]
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"it says {some(twice)} twice")
    return said


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number of JSON")


def verified(plan: PlanFile) -> PlanFile:
    """The plan, if its digest fits what it says.

    Raises:
        InputError: It was changed or never sealed (NF030).
    """
    if plan.digest != _digest(plan.content()):
        raise InputError(
            "the plan's digest does not fit what it says: it was changed, or never sealed. Take "
            "it from nofluke.plan.read or nofluke.plan.write.",
            code="NF030",
        )
    return plan


def _changed(path: Any, said: Mapping[str, Any], each: object) -> str:
    known = each if isinstance(each, dict) else {}
    now = _checks(said)
    fields = [name for name in {**known, **now} if known.get(name) != now.get(name)]
    # A name may come from the file; shown as text it can do no harm.
    what = (
        f"what was changed: {', '.join(f'{n} (now {said.get(n)!r})' for n in fields)}"
        if known and fields
        else "what was changed cannot be told: the digest itself, or the checks of the fields"
    )
    return (
        f"{path} is not as it was written: its digest does not fit; {what}. Take the plan from "
        "where it was kept, or write a new one before new scores are seen."
    )


def _settled(
    *,
    planned: Any,
    a: Any,
    b: Any,
    better: Any,
    alternative: Any,
    margin: Any,
    alpha: Any,
    method: Any,
    metric: Any,
    bounds: Any,
    binary: Any,
    clusters: Any,
    max_cluster_size: Any,
    missing: Any,
    seed: Any,
    delta: Any,
    power: Any,
    created: Any,
    seen: Any,
    cluster_by: Any,
    pilot: Any,
) -> PlanFile:
    """The plan, checked and sealed."""
    plan = PlanFile(
        planned=checks.whole(planned, name="planned"),
        a=_name(a, "a"),
        b=_name(b, "b"),
        better=checks.better(better),
        alternative=alternative,
        margin=checks.real(margin, name="margin"),
        alpha=checks.fraction(alpha, name="alpha"),
        method=checks.choice(method, METHODS, name="method"),
        metric=None if metric is None else _name(metric, "metric"),
        bounds=_bounds(bounds, metric, binary=_truth(binary, "binary"), method=method),
        binary=_truth(binary, "binary"),
        clusters=_truth(clusters, "clusters"),
        max_cluster_size=_size(max_cluster_size),
        missing=checks.choice(missing, ("raise", "common", "worst"), name="missing"),
        seed=checks.whole(seed, name="seed", least=0),
        delta=None if delta is None else checks.real(delta, name="delta"),
        power=None if power is None else checks.fraction(power, name="power"),
        created=_date(created),
        seen=str(seen),
        cluster_by=cluster_by,
        pilot=plan_seals.check(pilot),
    )
    _refuse_unfit(plan)
    return replace(plan, digest=_digest(plan.content()))


def _digest(said: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical(said)).hexdigest()


def _checks(said: Mapping[str, Any]) -> dict[str, str]:
    """A short digest of each field, to name what was changed."""
    return {k: hashlib.sha256(_canonical([k, v])).hexdigest()[:12] for k, v in said.items()}


def _canonical(value: Any) -> bytes:
    """JSON in one spelling: 1.0 is 1, as a tool that saves the file again may write it."""
    if isinstance(value, Mapping):
        value = {k: _whole(v) for k, v in value.items()}
    else:
        value = [_whole(v) for v in value]
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return text.encode("ascii")


def _whole(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_whole(v) for v in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _truth(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{name}={value!r} is no truth value; write True or False.", code="NF008")
    return bool(value)


def _size(largest: Any) -> float | None:
    if largest is None:
        return None
    number = checks.real(largest, name="max_cluster_size")
    if not 0 < number < math.inf:
        raise InputError(f"max_cluster_size={largest!r} must be positive.", code="NF008")
    return number


def _bounds(
    bounds: Sequence[float] | None, metric: str | None, *, binary: bool, method: str
) -> tuple[float, float] | None:
    found = checks.bounds(bounds) or ((0.0, 1.0) if binary else metrics.known(metric).bounds)
    if found is None and method in ASYMPTOTIC:
        return None
    if found is None or not all(map(math.isfinite, found)):
        raise InputError(
            "bounds= is not declared: this method needs the lowest and highest possible score, "
            "such as bounds=(0, 1), and a plan settles them before scores are seen.",
            code="NF016",
        )
    low, high = found
    return float(low), float(high)


def _refuse_unfit(plan: PlanFile) -> None:
    """What ``compare`` would refuse when it is too late to plan anew."""
    claim = Claim.understood(plan.alternative, plan.margin, plan.alpha)
    _refuse_unreachable(plan)
    if plan.a == plan.b:
        raise InputError(f"a and b are both {plan.a!r}; name two candidates.", code="NF008")
    if plan.max_cluster_size is not None and not plan.clusters:
        raise InputError("max_cluster_size= needs clusters=True.", code="NF008")
    if plan.method != "mcnemar":
        return
    if not plan.binary or plan.clusters:
        raise InputError(
            "method='mcnemar' needs binary=True and pairs as units; take hedged_star.",
            code="NF008",
        )
    if plan.margin or claim.alternative in ("not-worse", "equivalent"):
        raise InputError("method='mcnemar' is a test at margin 0; take hedged_star.", code="NF008")


def _refuse_unreachable(plan: PlanFile) -> None:
    """Numbers that no comparison could have: a slip of the pen, such as per cent for shares."""
    if not math.isfinite(plan.margin):
        raise InputError(f"margin={plan.margin!r} must be finite.", code="NF008")
    if plan.delta is not None and not math.isfinite(plan.delta):
        raise InputError(f"delta={plan.delta!r} must be finite.", code="NF008")
    if plan.bounds is None:
        return
    low, high = plan.bounds
    if plan.binary and (low > 0 or high < 1):
        raise InputError(
            f"binary=True, and bounds=({low:g}, {high:g}) leave out 0 or 1.", code="NF010"
        )
    for name, size in (("margin", plan.margin), ("delta", abs(plan.delta or 0.0))):
        if size > high - low or (name == "margin" and size == high - low):
            raise InputError(
                f"{name}={size:g} is not inside the possible differences of scores in "
                f"[{low:g}, {high:g}]; it is in units of the score.",
                code="NF008",
            )


def _name(name: object, which: str) -> str:
    if not isinstance(name, str) or not name:
        raise InputError(f"{which}={name!r} is no name of a candidate.", code="NF008")
    return name


def _date(created: str | dt.date) -> str:
    try:
        return dt.date.fromisoformat(str(created)).isoformat()
    except ValueError:
        raise InputError(
            f"created={created!r} is no date; write it as 2025-03-31.", code="NF008"
        ) from None
