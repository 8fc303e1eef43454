"""What the front page says of the replication is what the page of the replication says."""

import math
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_widths_and_rates_are_those_of_the_replication():
    front = " ".join((ROOT / "README.md").read_text("utf-8").split())
    page = " ".join((ROOT / "docs/replications/psdme.md").read_text("utf-8").split())

    told = re.search(r"at least (\d+) % narrower .* rate is ([\d.]+ \([\d.]+\)), where", front)
    width = re.search(r"is at least (\d+) % narrower than the paper's band", page)
    rate = re.search(r"the largest measured in the tables below is ([\d.]+ \([\d.]+\))", page)

    assert told
    assert width
    assert rate
    assert told.groups() == (width[1], rate[1])


def test_widths_are_those_of_the_table_rounded_down():
    front = " ".join((ROOT / "README.md").read_text("utf-8").split())
    page = (ROOT / "docs/replications/psdme.md").read_text("utf-8")
    saved = {
        tuple(map(int, row[:3])): float(row[3])
        for row in re.findall(
            r"^\| (\d+) \| (\d+) \| (\d+) \| .* \| ([\d.]+) % \|", page, re.MULTILINE
        )
    }

    least = re.search(r"at least (\d+) % narrower at every setting", front)
    twenty = re.search(r"it is (\d+) % narrower than theirs with 20 examples", front)

    assert len(saved) == 12
    assert least
    assert twenty
    assert int(least[1]) == math.floor(min(saved.values()))
    assert int(twenty[1]) == math.floor(saved[2000, 1000, 20])
