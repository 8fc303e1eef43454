"""The pytest plugin: a fixture ``nofluke`` whose assertions are comparisons with a guarantee.

Loaded by pytest in every run of an environment in which nofluke is installed, so it imports nothing
heavy until an assertion is made.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from nofluke.gate.looks import Look
    from nofluke.questions.comparison import Comparison

_PROPERTY = "nofluke"
# Looks of this session, and those of earlier runs; executions of each test.
_SESSION = pytest.StashKey[dict[str, "list[Look]"]]()
_EARLIER = pytest.StashKey[dict[str, "list[Look]"]]()
_EXECUTIONS = pytest.StashKey[dict[str, int]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, all with their names."""
    group = parser.getgroup("nofluke", "comparisons with a guarantee")
    group.addoption(
        "--nofluke-inconclusive",
        choices=("fail", "skip", "pass"),
        default="fail",
        help="what too little evidence means for a test (default: fail)",
    )
    group.addoption("--nofluke-report", metavar="DIR", help="an HTML report of each comparison")
    group.addoption("--nofluke-json", metavar="FILE", help="all comparisons as JSON")
    group.addoption(
        "--nofluke-ledger",
        metavar="FILE",
        help="keep count of the looks of all runs, and split alpha over them",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Set up the counts; the process that reports also collects."""
    _refuse_targets(config)
    config.stash[_SESSION] = {}
    config.stash[_EXECUTIONS] = {}
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Collector(config), "nofluke-collector")


@pytest.fixture
def nofluke(request: pytest.FixtureRequest) -> Assertions:
    """Assertions about two models, each with a guarantee at its error level."""
    counts = request.config.stash[_EXECUTIONS]
    counts[request.node.nodeid] = counts.get(request.node.nodeid, 0) + 1
    return Assertions(request)


class Assertions:
    """What the fixture ``nofluke`` offers.

    The sides are two arrays of scores on the same examples in the same order, two mappings of
    example to score, two files or folders, two data frames, or with ``scores=`` the names of two
    candidates of a table. All further arguments are those of ``nofluke.read`` and
    ``nofluke.compare``: ``better``, ``bounds``, ``binary``, ``metric``, ``alpha``, ``planned``,
    ``method``, ``clusters`` and so on; ``names=`` tells what arrays and mappings are called.

    An assertion returns the comparison if its claim is shown, raises ``AssertionError`` if the
    opposite is, and does as ``--nofluke-inconclusive`` says if neither is. The verdict is wrong
    with probability at most ``alpha`` where its guarantee is "finite-sample" or "anytime"; what
    ``--nofluke-inconclusive=pass`` lets through is decided and not shown.

    Each assertion of a test is a question of its own, with an alpha of its own, known by its place
    in the test. A loop over fresh data that stops at the first pass is several looks, which nobody
    counts: draw the data once, or say ``planned=`` and add to them.
    """

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request
        self._made = 0

    def assert_better(self, a: Any, b: Any, *, margin: float = 0.0, **how: Any) -> Comparison:
        """Assert that b is better than a, by more than the margin.

        Raises:
            AssertionError: It is shown not to be, or there is too little evidence.
            InputError: The data cannot be used, or a rerun was a new look.
        """
        __tracebackhide__ = True
        return self._assert(a, b, "better", margin, how)

    def assert_not_worse(self, a: Any, b: Any, *, margin: float, **how: Any) -> Comparison:
        """Assert that b is not worse than a by the margin or more.

        Raises:
            AssertionError: It is shown to be, or there is too little evidence.
            InputError: The data cannot be used, or a rerun was a new look.
        """
        __tracebackhide__ = True
        return self._assert(a, b, "not-worse", margin, how)

    def assert_equivalent(self, a: Any, b: Any, *, margin: float, **how: Any) -> Comparison:
        """Assert that a and b differ by less than the margin.

        Raises:
            AssertionError: They are shown to differ, or there is too little evidence.
            InputError: The data cannot be used, or a rerun was a new look.
        """
        __tracebackhide__ = True
        return self._assert(a, b, "equivalent", margin, how)

    def _assert(
        self, a: Any, b: Any, alternative: str, margin: float, how: dict[str, Any]
    ) -> Comparison:
        __tracebackhide__ = True
        from nofluke.errors import NoflukeError
        from nofluke.gate import asserting

        if "alternative" in how:
            raise _fixed(how["alternative"], alternative)
        self._made += 1
        alpha = how.pop("alpha", None)
        key = f"{self._request.node.nodeid}#{self._made}"
        config = self._request.config
        session = config.stash[_SESSION].setdefault(key, [])
        earlier = [*_ledger(config).get(key, []), *session]
        try:
            result, look = asserting.asserted(
                a,
                b,
                alpha=alpha,
                margin=margin,
                alternative=alternative,
                earlier=earlier,
                rerun=bool(session),
                split=_may_look_again(self._request),
                **how,
            )
        except NoflukeError as error:
            # The letter says all there is to say; where inside it was written helps nobody.
            error.add_note(f"{error.code}: nofluke explain {error.code}")
            raise error.with_traceback(None) from None
        session.append(look)
        # With a plan there is nothing to be split: its alpha is that of the look.
        if alpha is None:
            alpha = look.alpha if how.get("plan") is not None else 0.05
        outcome = self._outcome(result)
        self._keep(key, result, look, asserting.record(result, look, outcome, alpha=alpha))
        if outcome == "pass":
            return result
        message = "\n".join(asserting.words(result, look, alpha=alpha))
        if outcome == "skip":
            pytest.skip(message)
        raise AssertionError(message)

    def _outcome(self, result: Comparison) -> str:
        if result.verdict == "not enough evidence":
            return str(self._request.config.getoption("--nofluke-inconclusive"))
        return "pass" if result.verdict == "yes" else "fail"

    def _keep(self, key: str, result: Comparison, look: Look, told: dict[str, Any]) -> None:
        """Leave the record where every process finds it, and the page where it was wanted."""
        node, config = self._request.node, self._request.config
        execution = config.stash[_EXECUTIONS][node.nodeid]
        whole = {"test": node.nodeid, "assertion": self._made, "execution": execution, **told}
        text = json.dumps({"key": key, "record": whole, "look": asdict(look)})
        node.user_properties.append((_PROPERTY, text))
        folder = config.getoption("--nofluke-report")
        if folder is not None:
            Path(folder).mkdir(parents=True, exist_ok=True)
            result.report(Path(folder) / f"{_slug(key)}-{execution}.html")


class _Collector:
    """Gathers what all processes found: the summary, the JSON file, the ledger."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._found: dict[tuple[str, int], dict[str, Any]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the records of a report; a test carries those of its earlier executions too."""
        for name, text in report.user_properties:
            if name == _PROPERTY:
                told = json.loads(str(text))
                self._found[told["key"], told["record"]["execution"]] = told

    def pytest_sessionfinish(self) -> None:
        """Write the files that were asked for."""
        found = [self._found[key] for key in sorted(self._found)]
        target = self._config.getoption("--nofluke-json")
        if target is not None:
            records = [told["record"] for told in found]
            text = json.dumps({"kind": "assertions", "schema": 1, "assertions": records}, indent=2)
            Path(target).write_text(text + "\n", encoding="utf-8")
        ledger = self._config.getoption("--nofluke-ledger")
        if ledger is not None and found:
            _save(Path(ledger), found)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """One line for each comparison."""
        if not self._found:
            return
        terminalreporter.section("nofluke")
        for key in sorted(self._found):
            told = self._found[key]["record"]
            margin = f", margin {told['margin']:g}" if told["margin"] else ""
            terminalreporter.write_line(
                f"{told['test']}: {told['outcome'].upper()} ({told['verdict']}), "
                f"{told['alternative']}{margin}, difference {told['estimate']:+.4g}, "
                f"{told['n_units']} {told['unit']}, alpha {told['alpha']:g}, {told['guarantee']}"
            )


def _refuse_targets(config: pytest.Config) -> None:
    """Refuse before any test what could not be written after all of them."""
    for option in ("--nofluke-json", "--nofluke-ledger"):
        target = config.getoption(option)
        if target is None:
            continue
        if Path(target).is_dir():
            raise pytest.UsageError(f"{option} {target} is a folder; name a file.")
        if not Path(target).parent.is_dir():
            raise pytest.UsageError(
                f"{option} {target}: there is no folder {Path(target).parent}; create it first."
            )
    folder = config.getoption("--nofluke-report")
    if folder is not None and Path(folder).exists() and not Path(folder).is_dir():
        raise pytest.UsageError(f"--nofluke-report {folder} is a file; name a folder.")


def _fixed(given: Any, alternative: str) -> Exception:
    """That an assertion's name says what it claims."""
    from nofluke.errors import InputError

    name = f"assert_{alternative.replace('-', '_')}"
    return InputError(
        f"alternative={given!r} arrived, and it is fixed by the assertion's name: {name} claims "
        f"{alternative!r}. Leave it out, or take assert_better, assert_not_worse or "
        "assert_equivalent.",
        code="NF008",
    )


def _may_look_again(request: pytest.FixtureRequest) -> bool:
    """Whether it was said beforehand that this test may be run on other data as well."""
    config = request.config
    if config.getoption("--nofluke-ledger") is not None:
        return True
    if request.node.get_closest_marker("flaky") is not None:
        return True
    if config.getoption("reruns", default=None):
        return True
    try:
        said = config.getini("reruns")  # of pytest-rerunfailures, as a text
    except (KeyError, ValueError):
        return False
    return str(said or "0").strip() not in ("", "0")


def _ledger(config: pytest.Config) -> dict[str, list[Look]]:
    """Looks of earlier runs, read once."""
    if _EARLIER not in config.stash:
        path, found = config.getoption("--nofluke-ledger"), {}
        if path is not None:
            from nofluke.gate import looks

            found = looks.load(Path(path))
        config.stash[_EARLIER] = found
    return config.stash[_EARLIER]


def _save(path: Path, found: list[dict[str, Any]]) -> None:
    """Add the new looks to those of earlier runs."""
    from nofluke.gate import looks

    kept = looks.load(path)
    for told in found:
        look = looks.Look(**told["look"])
        known = kept.setdefault(told["key"], [])
        if look not in known:
            known.append(look)
    looks.save(path, kept)


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[-120:]
