"""Every main computation grows as it did: exponents are held, not seconds."""

import time
from functools import partial
from itertools import count, pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from nofluke.errors import InputError
from nofluke.studies import coverage_tables, growth
from nofluke.studies.growth import Point, Subject
from nofluke.studies.growth_subjects import SUBJECTS

DOCS = Path(__file__).parents[2] / "docs"
MEASURED = growth.load(DOCS / "data" / "growth.csv")


@pytest.fixture(autouse=True)
def _one_thread_and_nothing_kept(monkeypatch):
    monkeypatch.setenv("NOFLUKE_CACHE", "")
    with threadpool_limits(limits=1):
        yield


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda s: f"{s.name} by {s.axis}")
def test_no_computation_grows_faster_than_it_did(subject):
    found = growth.check(subject)

    assert not found.worse, str(found)


def planted(make, n):
    """A computation with a comparison of all pairs of its rows beside it."""
    call, x = make(n), np.random.default_rng(n).random(n).tolist()

    def slower():
        call()
        sum(a > b for a in x for b in x)

    return slower


@pytest.mark.parametrize("name", ["band for a distribution", "area, with variance"])
def test_a_kernel_that_compares_all_pairs_fails(name):
    (subject,) = [s for s in SUBJECTS if s.name == name]
    slow = subject._replace(make=partial(planted, subject.make), checked=(200, 1_600))
    calls = count()

    def clock(call):
        next(calls)
        return growth.seconds(call)

    found = growth.check(slow, clock=clock)
    assert found.worse
    assert 1.6 < found.exponent < 2.4
    assert f"{name} grows with rows like size^" in str(found)
    assert next(calls) == 4  # it was measured once more before it counted


def subject_of(times, order=1.0):
    """A subject whose calls take what is written: processor seconds by size."""
    return Subject("fake", "rows", order, lambda n: partial(times.__getitem__, n), (), (10, 100))


def written(call):
    return call()


@pytest.mark.parametrize(
    ("times", "worse"),
    [
        ({10: 1e-3, 100: 1e-2}, False),
        ({10: 1.0, 100: 10.0}, False),  # a thousand times as slow
        ({10: 1e-3, 100: 2.4e-2}, False),  # 1.38
        ({10: 1e-3, 100: 2.6e-2}, True),  # 1.41
        ({10: 1e-3, 100: 1e-1}, True),
        ({10: 1e-3, 100: 1e-3}, False),
    ],
)
def test_the_exponent_is_judged_and_not_the_seconds(times, worse):
    assert growth.check(subject_of(times), clock=written).worse == worse


def test_a_disturbance_is_measured_once_more():
    first = iter([5.0, 1.0])  # the large one was held up

    def disturbed(call):
        return call() * next(first, 1.0) if call() > 5e-3 else call()

    found = growth.check(subject_of({10: 1e-3, 100: 1e-2}), clock=disturbed)
    assert not found.worse
    assert found.times == (1e-3, 1e-2)


def test_seconds_are_those_of_the_processor_and_the_least(monkeypatch):
    monkeypatch.setattr(growth, "_LONG", 1e-9)  # one call at a time
    assert growth.seconds(lambda: time.sleep(0.02)) < 0.01
    held_up = iter([0.05, 0.0, 0.0, 0.0])

    def call():
        until = time.process_time() + next(held_up, 0.0)
        while time.process_time() < until:
            pass

    assert growth.seconds(call) < 0.02


def test_an_exponent_is_the_slope_of_logarithms():
    rng = np.random.default_rng(3)
    sizes, noise = np.array([10, 100, 1000]), np.exp(rng.normal(0, 0.05, 3))
    points = list(zip(sizes.tolist(), (2e-6 * sizes**1.5 * noise).tolist(), strict=True))
    fit = np.polyfit(np.log(sizes), np.log([t for _, t in points]), 1)[0]
    assert growth.exponent(points) == pytest.approx(fit, abs=1e-9)
    for bad in ([(10, 1.0)], [(10, 0.0), (100, 1.0)]):
        with pytest.raises(InputError, match="two sizes and times above 0"):
            growth.exponent(bad)


def test_times_are_written_read_and_drawn(tmp_path):
    points = [Point("a", "rows", n, 1.234567e-6 * n) for n in (10, 100, 1000)]
    points += [Point("a", "clusters", n, 1e-9 * n * n) for n in (10, 100)]
    growth.save(tmp_path / "t.csv", points)
    one, two = growth.load(tmp_path / "t.csv")
    assert [p.seconds for p in one] == [1.23e-5, 1.23e-4, 1.23e-3]
    assert [p.axis for p in two] == ["clusters", "clusters"]

    rows = growth.table([one, two]).splitlines()
    assert rows[2] == "| a | rows | 10 | 12.3 µs | 1,000 | 1.23 ms | 1.00 | 1.00 |"
    assert rows[3] == "| a | clusters | 10 | 100 ns | 100 | 10 µs | 2.00 | 2.00 |"
    long = growth.table([[Point("a", "rows", 1, 999.4), Point("a", "rows", 10, 1000.0)]])
    assert "| 999 s |" in long
    assert "| 1,000 s |" in long
    drawn = ET.fromstring(growth.picture([one, two]))  # noqa: S314 (our own)
    dots = list(drawn.iter("{http://www.w3.org/2000/svg}circle"))
    assert len(dots) == len(points)
    first = [(float(d.get("cx")), float(d.get("cy"))) for d in dots[:3]]
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(first)]
    assert steps[0] == pytest.approx(steps[1], abs=0.2)  # a straight line, upwards
    assert steps[0][0] > 0 > steps[0][1]


def test_the_page_shows_what_is_measured_for_every_subject():
    of_page = {(points[0].name, points[0].axis): [p.size for p in points] for points in MEASURED}
    assert of_page == {(s.name, s.axis): list(s.sizes) for s in SUBJECTS}
    page = DOCS / "explanation" / "growth.md"
    text = page.read_text("utf-8")
    assert coverage_tables.filled(text, {"growth": growth.table(MEASURED)}) == text
    assert page.with_suffix(".svg").read_text("utf-8") == growth.picture(MEASURED)
    for sizes in of_page.values():
        assert sizes[-1] >= 1_000 * sizes[0]
