"""The pages of docs/reference that are made from the code are what the code says now."""

import gc
import importlib
import json
import re
import shlex
from pathlib import Path

import jsonschema
import made_pages
import methods_page
import pytest

import nofluke
from nofluke.cli import run
from nofluke.methods import Register

SRC = Path(__file__).parents[2] / "src"
SCHEMA = json.loads((made_pages.REFERENCE / "answer.schema.json").read_text("utf-8"))
ASKED = """
certify examples/digits/log_loss.parquet --select top:5@column:val_score --gamma 0.2,0.001
compare docs/data/old.csv docs/data/new.csv
rank docs/data/passed.csv --binary --better higher
runs docs/data/seeds.csv --quantile 0.05
champion docs/data/champion.csv --gate 0.82
classifier docs/data/tumours.csv --positive malignant --threshold 0.5
final-report docs/data/tumours.csv --positive malignant --tried 2
drift docs/data/drift-before.csv docs/data/drift-now.csv
check docs/data/messy.csv
plan --delta 0.05 --sd 0.2
""".strip().splitlines()


@pytest.fixture(scope="module")
def made():
    return made_pages.made()


@pytest.mark.parametrize(
    "name", ["methods.md", "commands.md", "python.md", "codes.md", "answer.schema.json"]
)
def test_the_page_is_fresh(name, made):
    assert (made_pages.REFERENCE / name).read_text("utf-8") == made[name], "run `make reference`"


def test_each_made_page_is_looked_at(made):
    assert list(made) == [
        "methods.md",
        "commands.md",
        "python.md",
        "codes.md",
        "answer.schema.json",
    ]


def test_every_register_is_in_the_table():
    makers = [p for p in SRC.rglob("*.py") if "= Register(" in p.read_text("utf-8")]
    for path in makers:
        name = ".".join(path.relative_to(SRC).with_suffix("").parts)
        importlib.import_module(name.removesuffix(".__init__"))
    made = [r for r in gc.get_objects() if type(r) is Register and r._methods]
    told = [topic.register for topic in methods_page.TOPICS]

    assert len(told) > 8
    assert [r for r in made if not any(r is t for t in told)] == []


def test_every_method_of_every_register_has_a_line(made):
    for topic in methods_page.TOPICS:
        section = made["methods.md"].partition(f"## {topic.heading}\n")[2].partition("\n## ")[0]
        for method in topic.register.values():
            assert f"| `{method.name}` | {method.guarantee} |" in section


@pytest.mark.parametrize("command", ASKED)
def test_answers_keep_to_the_schema(command, workplace, monkeypatch, capsys):
    monkeypatch.chdir(workplace)

    assert run([*shlex.split(command), "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)

    jsonschema.validate(answer, SCHEMA)
    assert any(
        answer["kind"] == part["if"]["properties"]["kind"]["const"] for part in SCHEMA["allOf"]
    )


def test_the_schema_refuses_what_is_no_answer():
    answer = nofluke.runs([0.7, 0.8, 0.9, 0.75]).to_dict()
    jsonschema.validate(answer, SCHEMA)

    for wrong in ({"rows": 1}, {"kind": "compute"}, {"notes": "none"}, {"schema": 2}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(answer | wrong, SCHEMA)
    for field in ("guarantee", "differences"):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({k: v for k, v in answer.items() if k != field}, SCHEMA)


def test_the_page_on_origins_names_every_source_of_the_registers():
    told = " ".join(
        (made_pages.REFERENCE.parent / "explanation/origins.md").read_text("utf-8").split()
    )
    sources = {
        source
        for topic in methods_page.TOPICS
        for method in topic.register.values()
        for source in re.findall(r"([A-Z][a-z]+)[\w\s,.&-]*? ((?:19|20)\d\d)\b(?!\.)", method.cite)
    }

    told = told.replace("et al.", "et al")
    assert len(sources) > 30
    assert [s for s in sorted(sources) if not re.search(rf"{s[0]}[^.;]*? {s[1]}", told)] == []
