"""Entries of a ledger in a second: written one by one, checked all together."""

import pytest

from nofluke.ledger import Ledger, chain, events


@pytest.mark.parametrize("name", ["ledger.db", "ledger.jsonl"])
def test_entries_written_one_by_one(benchmark, tmp_path, name):
    with Ledger.begin(tmp_path / name) as ledger:
        benchmark.pedantic(ledger.record, ("note",), {"text": "x" * 200}, rounds=200)


def test_a_chain_of_ten_thousand_entries_checked(benchmark):
    lines, previous = [], events.NOTHING
    for seq in range(1, 10_001):
        event = events.sealed(
            seq=seq, time="2026-01-01T00:00:00.000Z", who="ann", kind="note",
            body={"text": "x" * 200, "n": seq}, previous=previous,
        )  # fmt: skip
        lines.append(event.line())
        previous = event.digest
    assert benchmark(chain.check, lines).faults == ()
