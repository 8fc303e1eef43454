"""Frames of many libraries give one table; lazy ones are collected once, and only in part."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as arrow_dataset
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nofluke
from nofluke.errors import InputError
from nofluke.scores.readers import frames, workspace
from nofluke.scores.readers.deferred import DeferredTable
from nofluke.scores.readers.memory import MemoryTable, Values
from nofluke.scores.readers.tables import Source

COLUMNS = {
    "model": ["a", "a", "b", "b"],
    "id": [1, 2, 1, 2],
    "accuracy": [0.5, 1.0, None, 0.75],
    "text": ["w", "x", "y", "z"],
}
EXPECTED = nofluke.read([{name: COLUMNS[name][i] for name in COLUMNS} for i in range(4)])


class Dataset:
    """What a Dataset of Hugging Face offers to whoever reads it, and what was asked of it."""

    num_rows = 4
    format = {"type": None}  # noqa: RUF012

    def __init__(self, table, asked=None, style=None):
        self.table, self.style = table, style
        self.asked = [] if asked is None else asked
        self.features = type("Features", (), {"arrow_schema": table.schema})

    def select_columns(self, names):
        self.asked.append(names)
        return Dataset(self.table.select(names), self.asked)

    def with_format(self, style):
        return Dataset(self.table, self.asked, style)

    def __getitem__(self, part):
        assert (part, self.style) == (slice(None), "arrow")
        return self.table


class Capsule:
    """Speaks Arrow's C interface and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, schema=None):
        return self.table.__arrow_c_stream__(schema)


def arrow():
    return pa.table(COLUMNS)


def pandas(**types):
    return pd.DataFrame(COLUMNS).astype(types)


SOURCES = {
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars lazy": lambda: pl.LazyFrame(COLUMNS),
    "arrow": arrow,
    "record batch": lambda: arrow().to_batches()[0],
    "record batch reader": lambda: arrow().to_reader(max_chunksize=1),
    "arrow capsule": lambda: Capsule(arrow()),
    "hugging face": lambda: Dataset(arrow()),
    "duckdb": lambda: duckdb.from_arrow(arrow()),
    "pandas": pandas,
    "pandas nullable": lambda: pandas().convert_dtypes(),
    "pandas arrow": lambda: pandas().convert_dtypes(dtype_backend="pyarrow"),
    "pandas objects": lambda: pandas(model=object, id=object, accuracy=object),
    "pandas categories": lambda: pandas(model="category", id="category"),
    "pandas small numbers": lambda: pandas(id="int8", accuracy="Float32"),
    "polars categories": lambda: pl.DataFrame(COLUMNS).cast({"model": pl.Categorical}),
    "polars decimals": lambda: pl.DataFrame(COLUMNS).cast({"accuracy": pl.Decimal(10, 3)}),
    "arrow dictionaries": lambda: arrow().set_column(
        0, "model", arrow()["model"].dictionary_encode()
    ),
    "arrow large strings": lambda: arrow().cast(
        pa.schema([("model", pa.large_string()), *[arrow().schema.field(i) for i in (1, 2, 3)]])
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_every_library_gives_the_same_table(name):
    scores = nofluke.read(SOURCES[name]())

    assert scores.digest == EXPECTED.digest
    assert scores.values.tolist() == [0.5, 1.0, 0.75]
    assert (scores.candidates, scores.examples) == (("a", "b"), ("1", "2"))
    assert scores.empty.tolist() == [[1, 0]]
    assert scores.metric == "accuracy"


@pytest.mark.parametrize("name", SOURCES)
def test_a_check_up_reads_every_source_although_it_looks_several_times(name):
    answer = nofluke.check(SOURCES[name]())

    assert (answer.K, answer.read) == (2, True)


@pytest.mark.parametrize("name", ["polars lazy", "record batch reader", "hugging face", "duckdb"])
def test_predictions_come_from_lazy_sources(name):
    columns = {"label": "id", "prediction": "accuracy", "candidate": "model", "example": "text"}

    found = nofluke.read_predictions(SOURCES[name](), positive=2, missing="own", columns=columns)

    assert found.predictions.tolist() == [0.5, 1.0, 0.75]
    assert found.sample("a").labels.tolist() == [False, True]


def test_a_data_set_of_files(tmp_path):
    pq.write_table(arrow(), tmp_path / "a.parquet")

    scores = nofluke.read(arrow_dataset.dataset(tmp_path))

    assert scores.digest == EXPECTED.digest


class TestLazy:
    def test_columns_that_nobody_needs_are_not_computed(self):
        def fail(_):
            raise AssertionError("nobody needs this")

        lazy = pl.LazyFrame(COLUMNS).with_columns(
            pl.col("text").map_batches(fail, return_dtype=pl.String)
        )
        assert nofluke.read(lazy).digest == EXPECTED.digest
        with pytest.raises(InputError, match="nobody needs this"):
            nofluke.read(lazy, columns={"cluster": "text"})

    @pytest.mark.parametrize("ask", [nofluke.read, nofluke.check])
    def test_every_row_is_collected_once(self, ask):
        rows = []
        lazy = pl.LazyFrame(COLUMNS).with_columns(
            pl.col("accuracy").map_batches(
                lambda x: rows.extend(x) or x, return_dtype=pl.Float64, is_elementwise=True
            )
        )
        ask(lazy)
        assert len(rows) == 4

    def test_a_relation_computes_only_what_is_needed(self):
        con = duckdb.connect()
        con.register("t", arrow())
        relation = con.sql("SELECT model, id, accuracy, error(text) AS text FROM t")
        assert nofluke.read(relation).digest == EXPECTED.digest

    def test_a_dataset_is_asked_for_the_needed_columns_once(self):
        dataset = Dataset(arrow())
        nofluke.read(dataset)
        assert [sorted(names) for names in dataset.asked] == [["accuracy", "id", "model"]]

    def test_errors_of_the_library_come_as_ours(self):
        lazy = pl.LazyFrame(COLUMNS).with_columns(pl.col("accuracy").cast(pl.String).str.to_date())
        lazy = lazy.with_columns(pl.lit(1.0).alias("x") / pl.col("model").cast(pl.Int8))
        with pytest.raises(InputError, match="cannot be computed") as caught:
            nofluke.read(lazy, columns={"score": "x"})
        assert caught.value.code == "NF351"

    def test_more_columns_later_are_fetched_together_with_the_first(self):
        asked = []

        def fetch(columns):
            asked.append(list(columns))
            return MemoryTable({c: Values(["1"]) for c in columns}, 1, Source("t"))

        table = DeferredTable(dict.fromkeys("abc", "text"), Source("t"), fetch)
        table.prepare(["a"])
        table.prepare(["a"])
        table.prepare(["b", "a"])
        assert asked == [["a"], ["a", "b"]]
        table.number_rows("row")
        table.prepare(["row", "a"])
        assert len(asked) == 2
        assert table.labels("row") == ["0"]

    def test_a_table_that_nobody_prepared_is_fetched_whole(self):
        whole = {c: Values(["1"]) for c in "ab"}
        table = DeferredTable(
            dict.fromkeys("ab", "text"), Source("t"), lambda c: MemoryTable(whole, 1, Source("t"))
        )
        assert table.n_rows() == 1
        assert table.count("a") == {"1": 1}


class TestRefusals:
    def test_a_stream_is_read_once(self):
        stream = frames.streams.of(arrow().to_reader())
        assert stream.fetch(["id"])["id"].to_pylist() == [1, 2, 1, 2]
        with pytest.raises(InputError, match="read once") as caught:
            stream.fetch(["id"])
        assert caught.value.code == "NF351"

    def test_splits_are_no_candidates(self):
        class DatasetDict(dict):
            pass

        with pytest.raises(InputError, match=r"choose one of them: ds\['train'\]") as caught:
            nofluke.read(DatasetDict(train=Dataset(arrow()), test=Dataset(arrow())))
        assert caught.value.code == "NF351"
        both = nofluke.read(
            {"x": Dataset(arrow().slice(0, 2)), "y": Dataset(arrow().slice(2, 2))},
            columns={"example": "id", "score": "accuracy"},
        )
        assert both.candidates == ("x", "y")

    def test_rows_that_would_be_fetched_are_refused(self):
        class IterableDataset:
            features = None
            with_format = select_columns = None

        with pytest.raises(InputError, match=r"without streaming=True"):
            nofluke.read(IterableDataset())

    def test_a_transform_shows_other_values_than_are_stored(self):
        dataset = Dataset(arrow())
        dataset.format = {"type": "custom"}
        with pytest.raises(InputError, match="set_transform"):
            nofluke.read(dataset)

    def test_an_index_of_pandas_is_pointed_out(self):
        with pytest.raises(InputError, match=r"its index 'id' is no column; reset_index\(\)"):
            nofluke.read(pandas().set_index("id"))

    def test_categories_of_fractions_are_no_ids(self):
        with pytest.raises(InputError, match=r"is it 7\.0 or 7"):
            nofluke.read(pandas(id=float).astype({"id": "category"}))

    def test_columns_of_one_name(self):
        relation = duckdb.connect().sql("SELECT 1 AS id, 2 AS id, 0.5 AS score")
        with pytest.raises(InputError, match="several columns 'id'"):
            nofluke.read(relation)

    def test_other_things(self):
        with pytest.raises(InputError, match="a set arrived"):
            nofluke.read({1, 2})


def test_missing_texts_of_categories_are_missing():
    frame = pandas(model="category")
    frame.loc[0, "model"] = None

    with pytest.raises(InputError, match="candidate id .* is missing in 1 row"):
        nofluke.read(frame)


ids = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5)


@settings(max_examples=25, deadline=None)  # it opens four libraries
@given(
    names=st.lists(ids, min_size=1, max_size=4, unique=True),
    data=st.data(),
)
def test_ids_and_numbers_survive_every_way_in(names, data):
    n = len(names)
    score = data.draw(st.lists(st.floats(-1e6, 1e6), min_size=n, max_size=n))
    columns = {"model": ["a"] * n, "id": names, "score": score}
    ways = [pl.LazyFrame(columns), pa.table(columns).to_reader(), Dataset(pa.table(columns)),
            pd.DataFrame(columns)]  # fmt: skip

    read = [nofluke.read(way, better="higher") for way in ways]

    assert len({s.digest for s in read}) == 1
    found = dict(zip(read[0].examples, read[0].values.tolist(), strict=True))
    assert found == dict(zip(names, score, strict=True))


class TestRealLibraries:
    """The same through libraries that need not be there."""

    @pytest.mark.filterwarnings("default")
    def test_hugging_face(self):
        datasets = pytest.importorskip("datasets", reason="datasets of Hugging Face is not there")
        ds = datasets.Dataset.from_dict(COLUMNS)
        assert nofluke.read(ds).digest == EXPECTED.digest
        turned = datasets.Dataset.from_dict({k: v[::-1] for k, v in COLUMNS.items()})
        assert nofluke.read(turned.select([3, 2, 1, 0])).digest == EXPECTED.digest
        assert nofluke.read(ds.filter(lambda row: row["model"] == "a")).candidates == ("a",)
        with pytest.raises(InputError, match="splits"):
            nofluke.read(datasets.DatasetDict(train=ds))
        with pytest.raises(InputError, match="streaming"):
            nofluke.read(ds.to_iterable_dataset())
        with pytest.raises(InputError, match="set_transform"):
            nofluke.read(ds.with_transform(lambda batch: batch))

    @pytest.mark.filterwarnings("default")
    def test_ibis(self):
        ibis = pytest.importorskip("ibis", reason="Ibis is not there")
        assert nofluke.read(ibis.memtable(arrow())).digest == EXPECTED.digest
        assert nofluke.check(ibis.memtable(arrow())).K == 2


class Connection:
    """A database in a notebook without ipywidgets: there is no bar, and none can be set."""

    def execute(self, query):
        if "SET enable_progress_bar" in query:
            raise duckdb.InvalidInputException("required package 'ipywidgets' is missing")
        return self

    def fetchall(self):
        return [(False,)]

    def close(self):
        pass


def test_a_notebook_without_widgets_has_no_bar_to_switch_off(monkeypatch):
    monkeypatch.setattr(duckdb, "connect", lambda *_, **__: Connection())

    with workspace.Workspace() as space:
        assert isinstance(space.con, Connection)


def test_the_bar_is_off():
    with workspace.Workspace() as space:
        assert space.con.execute("SELECT current_setting('enable_progress_bar')").fetchall() == [
            (False,)
        ]


def test_numbers_of_arrays_are_doubles():
    frame = pl.DataFrame({"id": ["x"], "a": [0.1]}, schema={"id": pl.String, "a": pl.Float32})

    assert nofluke.read(frame, better="higher").values.tolist() == [float(np.float32(0.1))]


def test_a_stream_that_breaks_while_it_is_checked_is_refused_as_when_it_is_read():
    def batches():
        yield pa.record_batch({"id": ["x"], "model": ["a"], "accuracy": [1.0]})
        raise OSError("the disk is gone")

    for ask in (nofluke.read, nofluke.check):
        schema = pa.schema([("id", "string"), ("model", "string"), ("accuracy", "double")])
        with pytest.raises(InputError, match="cannot be computed .the disk is gone") as refused:
            ask(pa.RecordBatchReader.from_batches(schema, batches()))
        assert refused.value.code == "NF351"
