"""Pictures of studies: what is drawn stands where its number says."""

import re
from xml.etree import ElementTree as ET

import pytest

from nofluke.studies import pictures
from nofluke.studies.engine import Figure

ROWS = {"a < b": Figure(0.1, 0.01), "long name of a method": Figure(0.4, 0.0)}


def drawn(**how):
    root = ET.fromstring(pictures.dots(ROWS, title="A & B", axis="share", **how))  # noqa: S314 (ours)
    return root, {node.tag.rsplit("}", 1)[-1]: node for node in root}


def places(root):
    """Numbers and x of the ticks, and x of the dots."""
    texts = [node for node in root.iter() if node.tag.endswith("text")]
    ticks = {float(t.text): float(t.get("x")) for t in texts if re.fullmatch(r"[\d.]+", t.text)}
    dots = [float(node.get("cx")) for node in root.iter() if node.tag.endswith("circle")]
    return ticks, dots


def test_names_are_escaped_and_the_title_is_there_for_who_cannot_see():
    root, nodes = drawn()
    assert nodes["title"].text == "A & B"
    assert {"a < b", "long name of a method", "share"} <= {node.text for node in root}


@pytest.mark.parametrize("span", [None, (0.0, 0.5)])
def test_dots_stand_where_the_axis_says(span):
    root, _ = drawn(span=span, mark=0.2)
    ticks, dots = places(root)
    (low, at_low), (high, at_high) = min(ticks.items()), max(ticks.items())
    for (name, figure), x in zip(ROWS.items(), dots, strict=True):
        expected = at_low + (figure.value - low) * (at_high - at_low) / (high - low)
        assert x == pytest.approx(expected, abs=0.11), name
    assert 3 <= len(ticks) <= 7


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 0.151, [0.0, 0.05, 0.1, 0.15]),
        (0.5, 1.0, [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
        (-3.0, 13.0, [0.0, 5.0, 10.0]),
    ],
)
def test_ticks_are_round_numbers(low, high, expected):
    assert pictures._ticks(low, high) == expected


def test_a_bar_is_two_errors_to_either_side():
    root, _ = drawn(span=(0.0, 0.5))
    ticks, _ = places(root)
    scale = (ticks[0.5] - ticks[0.0]) / 0.5
    bars = [n.get("d") for n in root.iter() if n.get("stroke-width") == "2"]
    left, right = map(float, re.fullmatch(r"M([\d.]+) 20H([\d.]+)", bars[0]).groups())
    assert right - left == pytest.approx(4 * 0.01 * scale, abs=0.2)
