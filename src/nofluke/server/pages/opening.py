"""Opening a board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from nofluke.errors import HoldoutError, InputError
from nofluke.guard.metrics import METRICS
from nofluke.server import boards
from nofluke.server.pages import forms
from nofluke.server.pages.rendering import render
from nofluke.server.pages.visits import Person, Visit
from nofluke.server.records import BoardSpec
from nofluke.server.web import problems

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nofluke.server.web.spool import Form

routes = APIRouter()

_RULES: Final = (
    (
        "ladder",
        "Ladder",
        "Tells a score, in whole steps, only when a submission beats the best so far by more than "
        "a step. For competitions: many looks cost little, as long as few of them improve.",
    ),
    (
        "free-ladder",
        "Ladder without a step",
        "The same, with the standard error of the difference for a step, so that nobody has to "
        "choose one. Its limits are wider where the board moves often.",
    ),
    (
        "rounded",
        "Rounded scores",
        "Tells every submission its score, rounded to steps. For a few looks only: they cost the "
        "most, and determined people can work out labels from many of them.",
    ),
    (
        "thresholdout",
        "Confirmed training scores",
        "Members bring a score of their own. It is told back where the hidden rows agree; else a "
        "noisy hidden score is told, and one of a budget is spent.",
    ),
    (
        "verdict",
        "Better than a baseline, or not shown",
        "Tells one of two words about each submission. Needs a column with the predictions of a "
        "baseline.",
    ),
)
_OPTIONS: Final = (
    ("step", "Step", "Width of a step, in units of the score, for ladder, rounded, thresholdout."),
    ("threshold", "Threshold", "For confirmed training scores: the difference that still agrees."),
    ("sigma", "Noise", "For confirmed training scores: scale of the noise; 0 is none."),
    ("budget", "Corrections", "For confirmed training scores: how often a hidden score is told."),
    ("wins", "Verdicts “better”", "For verdicts: how many may be told at most."),
    ("margin", "Margin", "For verdicts: by how much the baseline must be beaten."),
)
_POSITIVE: Final = "option-positive"
_COUNTS: Final = frozenset({"budget", "wins"})

_DEFAULTS: Final[Mapping[str, str]] = {
    "title": "",
    "slug": "",
    "description": "",
    "id": "id",
    "label": "label",
    "cluster": "",
    "baseline": "",
    "confirm": "0.3",
    "metric": "accuracy",
    "high": "",
    "rule": "ladder",
    "looks": "100",
    "per_team": "20",
    "per_member": "",
    "alpha": "0.05",
    **{f"option-{name}": "" for name, _, _ in _OPTIONS},
    _POSITIVE: "",
}


@routes.get("/new")
def form(request: Request, visit: Person) -> Response:
    """What an owner says of a new board."""
    boards.may_open(visit.who)
    return _form(request, _DEFAULTS)


@routes.post("/new")
async def opened(request: Request, visit: Person) -> Response:
    """A new board over the rows of a file."""
    boards.may_open(visit.who)
    visit.limits.take("upload", visit.who.id)
    known, who = {"csrf", *_DEFAULTS}, visit.who.id
    async with visit.spool.received(request, fields=known, admit=visit.admit, who=who) as received:
        return await run_in_threadpool(_opened, request, visit, received)


def _opened(request: Request, visit: Visit, received: Form) -> Response:
    try:
        if received.file is None or not received.file.size:
            raise InputError("no file was chosen, or it is empty; choose one.", code="NF098")
        board = boards.create(
            visit.db, visit.who, spec(received.fields), received.file.path, file=received.file.name
        )
    except (InputError, HoldoutError) as error:
        told = problems.problem(error)
        return _form(request, {**_DEFAULTS, **received.fields}, status=told.status, problem=told)
    return RedirectResponse(f"/b/{board.slug}?done=opened", status_code=303)


def spec(fields: Mapping[str, str]) -> BoardSpec:
    """What a filled form asks for.

    Raises:
        InputError: A field holds no number where one is expected (NF098).
    """
    high = forms.real(fields, "high", "Largest error of a row")
    options: dict[str, Any] = {}
    for name, label, _ in _OPTIONS:
        read = forms.whole if name in _COUNTS else forms.real
        value = read(fields, f"option-{name}", label)
        if value is not None:
            options[name] = value
    if fields.get(_POSITIVE, "").strip():
        options["positive"] = fields[_POSITIVE].strip()
    looks = forms.whole(fields, "looks", "Looks in all")
    alpha = forms.real(fields, "alpha", "Probability that anything told is wrong")
    confirm = forms.real(fields, "confirm", "Share kept for the final confirmation")
    return BoardSpec(
        slug=fields.get("slug", "").strip(),
        title=fields.get("title", "").strip(),
        description=fields.get("description", "").strip(),
        metric=fields.get("metric", "accuracy"),
        bounds=None if high is None else (0.0, high),
        rule=fields.get("rule", "ladder"),
        looks=100 if looks is None else looks,
        per_member=forms.whole(fields, "per_member", "Looks of one member"),
        per_team=forms.whole(fields, "per_team", "Looks of one team"),
        alpha=0.05 if alpha is None else alpha,
        options=options,
        id=fields.get("id", "").strip() or "id",
        label=fields.get("label", "").strip() or "label",
        cluster=fields.get("cluster", "").strip() or None,
        baseline=fields.get("baseline", "").strip() or None,
        confirm=0.0 if confirm is None else confirm,
    )


def _form(
    request: Request, fields: Mapping[str, Any], *, status: int = 200, problem: Any = None
) -> Response:
    chosen = any(fields[f"option-{name}"] for name, _, _ in _OPTIONS) or fields["baseline"]
    return render(
        request,
        "new",
        status=status,
        fields={**fields, "opened": bool(chosen or problem)},
        metrics=[(metric.name, f"{metric.name}: {metric.says}") for metric in METRICS.values()],
        rules=_RULES,
        options=_OPTIONS,
        problem=problem,
        here="boards",
    )
