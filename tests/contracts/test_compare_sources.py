"""Comparisons over rows that stay where they are: the bytes of the answer in memory, or a refusal.

DuckDB, Polars and Ibis over each other's files; Spark has a test of its own, as it starts slowly.
"""

import duckdb
import numpy as np
import pytest

import nofluke
from nofluke.errors import InputError
from nofluke.scores.sourcing import source

ENGINES = ("duckdb", "polars")
OUTPUTS = ("Paris", "Lyon", "a long answer", "")


def table(tmp_path, *, name="rows.parquet", K=4, n=60, gaps=(), repeats=1, seed=0, **beside):
    """A long table in shuffled rows; ``beside`` are functions of candidate, example and repeat."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"m{k}", f"q-{(i * 37) % n:04d}", r, float(np.round(rng.random() * (0.6 + 0.1 * k), 2)))
        for k in range(K)
        for i in range(n)
        for r in range(repeats)
        if (k, i) not in gaps
    ]
    columns = {
        "model": [k for k, *_ in rows],
        "item": [i for _, i, *_ in rows],
        "score": [x for *_, x in rows],
        **({"run": [r for *_, r, _ in rows]} if repeats > 1 else {}),
        **{c: [f(k, i, r) for k, i, r, _ in rows] for c, f in beside.items()},
    }
    order = rng.permutation(len(rows))
    frame = {c: np.array(values, dtype=object)[order].tolist() for c, values in columns.items()}
    path = tmp_path / name
    write(path, frame)
    return path


def write(path, frame):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(frame), path)


def same(path, ask, *, engines=ENGINES, **reading):
    """The JSON of an answer, the same in memory and from every engine."""
    reading = {"better": "higher", "contents": True, **reading}
    wanted = ask(nofluke.read(str(path), **reading)).to_json()
    for engine in engines:
        with source(str(path), engine=engine, **reading) as rows:
            assert ask(rows).to_json() == wanted, engine
    return wanted


def two(**how):
    return lambda scores: nofluke.compare(scores, "m1", "m3", **{"bounds": (0, 1), **how})


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"alternative": "different", "margin": 0.01},
        {"alternative": "not-worse", "margin": 0.05, "method": "hedged_star"},
        {"planned": 80},
        {"method": "t", "bounds": None},
        {"method": "bootstrap", "bounds": None},
        {"population": 500},
        {"seed": 3, "weights": {f"q-{i:04d}": 1.0 + i % 3 for i in range(60)}, "max_weight": 3},
    ],
    ids=str,
)
def test_two_of_four_candidates(tmp_path, how):
    same(table(tmp_path), two(**how))


@pytest.mark.parametrize("how", [{}, {"clusters": True}, {"groups": True}, {"max_cluster_size": 9}])
def test_clusters_of_which_some_are_of_others_alone(tmp_path, how):
    def cluster(k, i, r):
        return f"doc {int(i[2:]) % 9}" if k != "m0" else "doc of m0"

    path = table(tmp_path, cluster=cluster)
    how = {"clusters": True, **how} if "max_cluster_size" in how else how

    same(path, two(**how))


def test_groups_in_a_mix(tmp_path):
    def kind(k, i, r):
        return "news" if int(i[2:]) % 3 else "social"

    path = table(tmp_path, group=kind)

    same(path, two(mix={"news": 0.3, "social": 0.7}))
    same(path, two(groups=True))


def test_what_was_asked_and_answered(tmp_path):
    path = table(
        tmp_path,
        prompt=lambda k, i, r: f"Which town is {i}?" + (" " * (k == "m3" and i == "q-0007")),
        response=lambda k, i, r: OUTPUTS[int(i[2:]) * int(k[1]) % 4],
    )

    told = same(path, two())
    assert "NF132" in told


@pytest.mark.parametrize("missing", ["common", "worst"])
def test_gaps(tmp_path, missing):
    path = table(tmp_path, gaps={(1, 3), (3, 4), (3, 5), (0, 6), (2, 3)})

    told = same(path, two(missing=missing))
    assert "NF130" in told or "NF131" in told


def test_runs_failures_and_times(tmp_path):
    path = table(
        tmp_path,
        repeats=3,
        status=lambda k, i, r: "timeout" if (k, r) == ("m1", 2) and int(i[2:]) % 11 == 0 else "ok",
        timestamp=lambda k, i, r: f"2026-03-{1 + int(i[2:]) % 28:02d}",
    )

    told = same(path, two(), failed="status=timeout", bounds=(0, 1))
    assert "NF110" in told
    assert "NF137" in told


def test_examples_that_are_whole_numbers(tmp_path):
    path = table(tmp_path, n=30)
    duckdb.sql(
        f"SELECT model, CAST(item[3:] AS INT) - 7 AS item, score FROM '{path}'"
    ).write_parquet(str(tmp_path / "numbers.parquet"))

    same(tmp_path / "numbers.parquet", two())


def test_zeros_and_ones_by_the_exact_test(tmp_path):
    path = table(tmp_path)
    duckdb.sql(f"SELECT model, item, score > 0.3 AS correct FROM '{path}'").write_parquet(
        str(tmp_path / "binary.parquet")
    )

    told = same(
        tmp_path / "binary.parquet",
        lambda scores: nofluke.compare(scores, "m0", "m3"),
        columns={"score": "correct"},
    )
    assert '"method": "mcnemar"' in told


def test_two_samples(tmp_path):
    own = {(k, i) for k in (1, 3) for i in range(60) if (i % 2) == (k == 3)}

    same(table(tmp_path, gaps=own), two(paired=False))


def test_a_wide_table(tmp_path):
    rng = np.random.default_rng(1)
    frame = {"item": [f"q{i}" for i in range(40)]}
    frame |= {f"m{k}": rng.random(40).tolist() for k in range(4)}
    write(tmp_path / "wide.parquet", frame)

    same(tmp_path / "wide.parquet", two())


def test_a_statistic_of_the_whole_corpus(tmp_path):
    path = table(
        tmp_path,
        errors=lambda k, i, r: float(int(k[1]) + int(i[2:]) % 4),
        words=lambda k, i, r: 5.0 + int(i[2:]) % 7,
    )

    same(
        path,
        lambda scores: nofluke.compare_pooled(scores, "m0", "m2", "errors/words", better="lower"),
        keep=("errors", "words"),
    )


@pytest.mark.parametrize(
    "how",
    [{}, {"method": "max_t", "n_resamples": 200}, {"missing": "common"}, {"missing": "pairwise"}],
    ids=str,
)
def test_ranks_of_all_candidates(tmp_path, how):
    gaps = {(2, 5), (1, 7)} if "missing" in how else ()

    same(table(tmp_path, gaps=gaps), lambda scores: nofluke.rank(scores, **how), bounds=(0, 1))


def test_runs_of_configurations(tmp_path):
    path = table(tmp_path, K=3, n=12, repeats=5)

    same(path, lambda scores: nofluke.runs(scores, value="mean", quantile=[0.25, 0.5]))


def test_the_best_of_several(tmp_path):
    same(table(tmp_path), lambda scores: nofluke.champion(scores, planned="name:m1"))


# The backend of Ibis calls what newer versions of DuckDB call deprecated.
@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")
def test_lazy_tables_of_others(tmp_path):
    path = table(tmp_path)
    wanted = dict(two()(nofluke.read(str(path), better="higher")).to_dict())
    polars = pytest.importorskip("polars")
    ibis = pytest.importorskip("ibis")
    for lazy in (
        duckdb.sql(f"SELECT * FROM '{path}'"),
        polars.scan_parquet(path),
        ibis.duckdb.connect().read_parquet(str(path)),
    ):
        found = dict(two()(source(lazy, better="higher")).to_dict())
        for answer in (wanted, found):  # the digest is no longer that of the file, and that is told
            answer["notes"] = [n for n in answer["notes"] if not n.startswith("NF409")]
            answer["digest"] = None
        assert found == wanted


def test_only_the_two_are_read(tmp_path):
    with source(str(table(tmp_path)), better="higher") as rows:
        held = rows.held(("m3", "m1"))

    assert held.candidates == ("m1", "m3")
    assert held.values.size == 2 * 60


def test_unknown_candidates_are_told_as_in_memory(tmp_path):
    path = str(table(tmp_path))
    told = []
    for scores in (nofluke.read(path, better="higher"), source(path, better="higher")):
        with pytest.raises(InputError) as caught:
            nofluke.compare(scores, "m1", "m9")
        told.append((caught.value.code, str(caught.value)))

    assert told[0] == told[1]
    assert told[0][0] == "NF011"


def test_repeated_rows_are_refused(tmp_path):
    path = table(tmp_path, repeats=2)
    duckdb.sql(f"SELECT model, item, score FROM '{path}'").write_parquet(
        str(tmp_path / "twice.parquet")
    )

    with pytest.raises(InputError, match=r"repeat.*\(2 rows\)") as caught:
        two()(source(str(tmp_path / "twice.parquet"), better="higher"))
    assert caught.value.code == "NF006"


def test_rows_that_do_not_fit_are_refused_before_they_are_read(tmp_path, monkeypatch):
    from nofluke.sources.relation import Relation
    from nofluke.sources.room import Room

    rows = source(str(table(tmp_path)), better="higher")
    monkeypatch.setattr(Room, "for_rows", property(lambda self: 1000))
    monkeypatch.setattr(Relation, "columns", None)
    with pytest.raises(InputError, match=r"the 120 rows of 2 candidates.*KiB") as caught:
        two()(rows)

    assert caught.value.code == "NF406"


def test_answers_that_are_no_text_are_refused(tmp_path):
    path = table(tmp_path, response=lambda k, i, r: 0.5)

    with pytest.raises(InputError, match="spells them in its own way") as caught:
        source(str(path), better="higher", contents=True)
    assert caught.value.code == "NF407"
    same(path, two(), columns={"output": None})


def test_a_file_for_each_candidate(tmp_path):
    whole = table(tmp_path)
    for k in (1, 3):
        duckdb.sql(
            f"SELECT CAST(item[3:] AS {'INT' if k == 1 else 'BIGINT'}) AS item, score, "
            f"item[6:] = '7' AS failed FROM '{whole}' WHERE model = 'm{k}'"
        ).write_parquet(str(tmp_path / f"m{k}.parquet"))
    paths = {name: str(tmp_path / f"{name}.parquet") for name in ("m1", "m3")}
    reading = {"better": "higher", "contents": True, "failed": "failed", "bounds": (0, 1)}
    wanted = two()(nofluke.read(paths, **reading)).to_json()

    assert "NF110" in wanted
    for engine in ENGINES:
        with source(paths, engine=engine, **reading) as rows:
            assert two()(rows).to_json() == wanted, engine


def test_files_of_which_one_alone_has_clusters(tmp_path):
    one = table(tmp_path, name="m0.parquet", K=1, cluster=lambda k, i, r: i[-1])
    other = table(tmp_path, name="m1.parquet", K=1)
    for path in (one, other):
        duckdb.sql(f"SELECT * EXCLUDE model FROM '{path}'").write_parquet(f"{path}.own")
    paths = {"m0": f"{one}.own", "m1": f"{other}.own"}
    for path in paths.values():
        (tmp_path / path).rename(path.removesuffix(".parquet.own") + "-own.parquet")
    paths = {k: p.removesuffix(".parquet.own") + "-own.parquet" for k, p in paths.items()}

    with pytest.raises(InputError, match="one file has a cluster column") as caught:
        source(paths, better="higher")
    assert caught.value.code == "NF003"


def test_spark_answers_the_same(tmp_path, spark):
    path = table(
        tmp_path,
        n=40,
        cluster=lambda k, i, r: f"doc {int(i[2:]) % 7}",
        response=lambda k, i, r: OUTPUTS[int(i[2:]) * int(k[1]) % 4],
    )

    for ask in (two(clusters=True), nofluke.rank):
        same(path, ask, engines=("spark",), bounds=(0, 1))
    runs = table(tmp_path, name="runs.parquet", K=3, n=12, repeats=5)
    same(runs, lambda scores: nofluke.runs(scores, value="mean"), engines=("spark",))
