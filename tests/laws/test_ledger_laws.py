"""What holds of every chain: a change is found, and told where it is."""

import struct

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nofluke.errors import LedgerError
from nofluke.ledger import Ledger, chain, events
from nofluke.ledger.canonical import canonical, number, parsed

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
values = st.recursive(
    st.none()
    | st.booleans()
    | texts
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=10,
)
bodies = st.lists(st.dictionaries(texts, values, max_size=3), min_size=1, max_size=8)


def chained(said, who="ann", start=events.NOTHING):
    found, previous = [], start
    for seq, body in enumerate(said, 1):
        event = events.sealed(
            seq=seq, time=f"2026-01-01T00:00:{seq:02}Z", who=who, kind="note", body=body,
            previous=previous,
        )  # fmt: skip
        found.append(event)
        previous = event.digest
    return found


def lines(said):
    return [event.line() for event in chained(said)]


@given(values)
def test_the_canonical_text_is_one_and_loses_nothing(value):
    text = canonical(value)
    assert canonical(parsed(text)) == text
    assert parsed(text) == value


@given(st.integers(0, 2**64 - 1))
def test_every_double_comes_back(bits):
    (value,) = struct.unpack(">d", bits.to_bytes(8, "big"))
    assume(value - value == 0)
    assert float(number(value)) == value


@given(bodies)
def test_a_chain_is_whole(said):
    found = chain.check(lines(said))
    assert found.faults == ()
    assert found.entries == len(said) == found.head.seq
    assert [events.read(line).body for line in lines(said)] == said


@given(bodies, st.data())
def test_an_edited_entry_is_found_where_it_is(said, data):
    place = data.draw(st.integers(1, len(said)))
    name = data.draw(st.sampled_from(["time", "who", "kind", "body", "previous"]))
    stored = lines(said)
    changed = parsed(stored[place - 1])
    changed[name] = {"other": place} if name == "body" else "0" * 63 + "1"
    assume(canonical(changed) != stored[place - 1])
    stored[place - 1] = canonical(changed)
    assert chain.check(stored).faults[0].place == place


@given(bodies, st.data())
def test_an_entry_that_is_sealed_anew_breaks_the_next_link(said, data):
    assume(len(said) > 1)
    place = data.draw(st.integers(1, len(said) - 1))
    found = chained(said)
    old = found[place - 1]
    new = events.sealed(
        seq=old.seq, time=old.time, who="mallory", kind=old.kind, body=old.body,
        previous=old.previous,
    )  # fmt: skip
    stored = [event.line() for event in found]
    stored[place - 1] = new.line()
    assert [(f.place, f.kind) for f in chain.check(stored).faults] == [(place + 1, "link")]


@given(bodies, st.data())
def test_a_deleted_entry_is_found_unless_it_is_the_last(said, data):
    stored = lines(said)
    place = data.draw(st.integers(1, len(said)))
    del stored[place - 1]
    found = chain.check(stored).faults
    if not stored:
        assert [f.kind for f in found] == ["empty"]
    elif place == len(said):
        assert found == ()
    else:
        assert (found[0].place, found[0].kind) == (place, "missing")
        assert found[0].says == f"entry {place} is not there"


@given(bodies, st.data())
def test_an_inserted_or_repeated_entry_is_found(said, data):
    found = chained(said)
    place = data.draw(st.integers(1, len(said)))
    before = found[place - 2].digest if place > 1 else events.NOTHING
    forged = events.sealed(
        seq=place, time="2026-01-01T00:00:00Z", who="mallory", kind="note", body={"forged": True},
        previous=before,
    )  # fmt: skip
    for extra in (forged, found[place - 1]):
        stored = [e.line() for e in found]
        stored.insert(place - 1, extra.line())
        assert (chain.check(stored).faults[0].place) in (place, place + 1)


@given(bodies, st.data())
def test_another_order_is_found(said, data):
    assume(len(said) > 1)
    order = data.draw(st.permutations(range(len(said))))
    assume(order != list(range(len(said))))
    stored = lines(said)
    found = chain.check([stored[i] for i in order])
    moved = next(k for k, i in enumerate(order) if k != i)
    assert found.faults[0].place == moved + 1


@given(bodies, st.data())
def test_a_head_that_was_kept_shows_a_cut_tail(said, data):
    stored = lines(said)
    kept = chain.check(stored).head
    cut = data.draw(st.integers(0, len(said)))
    found = chain.check(stored[:cut], heads=[kept])
    assert bool(found.faults) == (cut < len(said))
    if cut < len(said):
        assert found.faults[-1].kind == "head"
        assert f"entry {len(said)}" in found.faults[-1].says
    # Without it nothing is to be seen, as long as something is left.
    assert not chain.check(stored[:cut]).faults or cut == 0


@given(bodies, st.data())
def test_a_head_that_was_kept_shows_a_chain_that_was_written_anew(said, data):
    place = data.draw(st.integers(1, len(said)))
    kept = chained(said)[place - 1]
    anew = [event.line() for event in chained(said, who="mallory")]
    assert chain.check(anew).faults == ()
    found = chain.check(anew, heads=[chain.Head(kept.seq, kept.digest)])
    assert [(f.place, f.kind) for f in found.faults] == [(place, "head")]


@given(bodies, st.data())
def test_a_head_of_the_same_chain_is_no_fault_however_it_grows(said, data):
    place = data.draw(st.integers(1, len(said)))
    kept = chained(said)[place - 1]
    assert chain.check(lines(said), heads=[chain.Head(kept.seq, kept.digest)]).faults == ()


def small(place):
    ticks = iter(range(10, 99))
    clock = lambda: f"2026-01-01T00:00:{next(ticks)}.000Z"  # noqa: E731
    with Ledger.begin(place, name="é", who="ann", clock=clock) as ledger:
        ledger.record("rule", rule="largest area", fixed="plan.md")
        ledger.record("note", text='1 "2" \\ 3', )  # fmt: skip
        ledger.record("candidates", candidates=["a"], settings=1.5e-7, seeds=0, thresholds=[0.5])
        return ledger.entries()


def test_every_byte_of_a_file_of_lines_counts(tmp_path):
    place = tmp_path / "ledger.jsonl"
    small(place)
    data = place.read_bytes()
    missed = []
    with Ledger(place) as ledger:
        for i, byte in enumerate(data):
            for other in {byte ^ 1, byte ^ 32, 0x0A} - {byte}:
                place.write_bytes(data[:i] + bytes([other]) + data[i + 1 :])
                if ledger.verify().intact:
                    missed.append((i, byte, other))
    assert missed == []


def test_every_byte_of_a_database_counts_or_says_the_same(tmp_path):
    """A database has bytes that say nothing; whatever is changed is found, or is one of those."""
    place = tmp_path / "ledger.db"
    before = [e.line() for e in small(place)]
    data = place.read_bytes()
    used = [i for i in range(len(data)) if data[i] or i < 100 or i % 7 == 0]
    missed, found = [], 0
    for i in used[:: max(1, len(used) // 600)]:
        place.write_bytes(data[:i] + bytes([data[i] ^ 0x41]) + data[i + 1 :])
        try:
            with Ledger(place) as ledger:
                intact = ledger.verify().intact
                same = not intact or [e.line() for e in ledger.entries()] == before
        except LedgerError:
            intact = same = False
        found += not intact
        if intact and not same:
            missed.append(i)
        for rest in place.parent.glob("ledger.db-*"):
            rest.unlink()
    assert missed == []
    assert found > 200


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(["cr", "bom"]), unique=True), bodies)
def test_export_and_import_keep_every_byte_whatever_the_line_ends(ways, said):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with Ledger.begin(place / "a.db") as ledger:
            for body in said:
                ledger.record("note", text=body or "nothing")
            ledger.export(place / "a.jsonl")
            head, entries = ledger.head, ledger.entries()
        data = (place / "a.jsonl").read_bytes()
        if "cr" in ways:
            data = data.replace(b"\n", b"\r\n")
        if "bom" in ways:
            data = b"\xef\xbb\xbf" + data
        (place / "b.jsonl").write_bytes(data)
        with Ledger.bring(place / "b.db", place / "b.jsonl", heads=[head]) as copy:
            assert copy.entries() == entries
            assert copy.verify(heads=[head]).intact
            copy.export(place / "c.jsonl")
        assert (place / "c.jsonl").read_bytes() == (place / "a.jsonl").read_bytes()
