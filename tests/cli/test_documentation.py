"""What the documentation says is what the program does."""

import os
import re
import shlex
from pathlib import Path

import pytest

from nofluke import bands, explain, means, proportions, selective, sequences
from nofluke.classify import cost, curves
from nofluke.cli import run

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    ROOT / "examples/digits/README.md",
    *sorted(DOCS.rglob("*.md")),
]
# The public score tables of docs/explanation/real-tables.md, where somebody has them.
TABLES = Path(os.environ.get("NOFLUKE_TABLES", ROOT.parent / "shared" / "data"))
# Its commands need a server that runs: tests/deploy/test_serve_page.py plays the whole page.
PLAYED = DOCS / "how-to/serve.md"
CODE = re.compile(r"\bNF\d{3}\b")
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def name_of(page):
    return str(page.relative_to(ROOT))


def commands():
    """(page, command, lines it shows) for each command of a console block."""
    for page in (p for p in PAGES if p != PLAYED):
        for block in CONSOLE.findall(page.read_text(encoding="utf-8")):
            for part in re.split(r"^\$ ", block.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
                command, *shown = part.splitlines()
                if command.startswith("nofluke "):
                    yield page, command, shown


def files_of(command):
    return re.findall(r"\S+\.(?:parquet|csv|json|jsonl)\b", command.partition(">")[0])


def words(text):
    return " ".join(text.split())


@pytest.fixture
def with_tables(workplace):
    """The examples' folder, with the public tables beside them."""
    if TABLES.is_dir():
        for table in TABLES.glob("*.parquet"):
            if not (workplace / table.name).exists():
                (workplace / table.name).symlink_to(table)
    return workplace


@pytest.mark.parametrize(
    ("page", "command", "shown"),
    [pytest.param(*c, id=f"{name_of(c[0])}: {words(c[1])}") for c in commands()],
)
def test_commands_answer_as_shown(page, command, shown, with_tables, monkeypatch, capsys):
    absent = [f for f in files_of(command) if not (with_tables / f).exists()]
    if absent:
        pytest.skip(f"{absent[0]} stands for a file of the reader's own")
    refused = bool(shown) and bool(CODE.match(shown[0]))

    monkeypatch.chdir(with_tables)
    code = run(shlex.split(command)[1:])
    out, err = capsys.readouterr()

    assert code == ((4 if shown[0].startswith("NF066") else 2) if refused else 0), err
    said = words(err if refused else out)
    # A line of dots stands for what is left out; a line that ends in dots is cut.
    lines = [words(line.removesuffix("...")) for line in shown if line.strip(" .")]
    assert [line for line in lines if line not in said] == []


def test_there_are_commands_to_run():
    assert len(list(commands())) > 15


def pages_with_codes():
    return [*PAGES, *(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.md")]


def test_every_code_has_a_page():
    named = {code: p for p in pages_with_codes() for code in CODE.findall(p.read_text("utf-8"))}
    assert {code: name_of(p) for code, p in named.items() if code not in explain.codes()} == {}


def test_every_page_has_a_code_in_use():
    used = {c for p in (ROOT / "src").rglob("*.py") for c in CODE.findall(p.read_text("utf-8"))}
    assert [code for code in explain.codes() if code not in used] == []


@pytest.mark.parametrize(
    "command",
    [
        "certify",
        "champion",
        "check",
        "classifier",
        "compare",
        "drift",
        "final-report",
        "gate",
        "plan",
        "rank",
        "runs",
        "submit",
    ],
)
def test_every_option_is_explained(command, capsys):
    assert run([command, "--help"]) == 0
    shown = capsys.readouterr().out
    options = set(re.findall(r"--[a-z][a-z-]*", shown))
    text = (DOCS / "reference/command-line.md").read_text("utf-8")

    assert "--format" in options
    assert [option for option in sorted(options) if f"`{option}`" not in text] == []


def test_every_option_of_the_server_is_explained(capsys):
    assert run(["serve", "--help"]) == 0
    options = set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out))
    text = (DOCS / "reference/command-line.md").read_text("utf-8")

    assert "--store" in options
    assert [option for option in sorted(options) if f"`{option}`" not in text] == []


@pytest.mark.parametrize("rule", selective.RULES)
def test_every_rule_is_explained(rule):
    assert f"`{rule}" in (DOCS / "reference/level-rules.md").read_text("utf-8")


@pytest.mark.parametrize("region", [*bands.METHODS, *proportions.METHODS])
def test_every_region_is_explained(region):
    assert f"`{region}`" in (DOCS / "reference/guarantees.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("register", "heading"),
    [(means.METHODS, "## One look"), (sequences.MEANS, "## Many looks")],
    ids=["means", "sequences"],
)
def test_every_method_for_a_mean_is_explained(register, heading):
    text = (DOCS / "reference/means.md").read_text("utf-8")
    section = text[text.index(heading) :].split("\n## ", 1)[0]
    told = dict(re.findall(r"^\| `(\w+)` \| ([\w-]+)", section, flags=re.MULTILINE))

    assert told == {method.name: method.guarantee for method in register.values()}


@pytest.mark.parametrize(
    ("register", "page", "heading"),
    [
        (curves.AUC_INTERVALS, "guarantees", "| area under the ROC curve"),
        (curves.AVERAGE_PRECISION_INTERVALS, "guarantees", "| average precision"),
        (cost.INTERVALS, "costs", "| method"),
    ],
    ids=["area", "average precision", "cost"],
)
def test_every_interval_of_a_classifier_is_explained(register, page, heading):
    text = (DOCS / f"reference/{page}.md").read_text("utf-8")
    lines = text[text.index(heading) :].split("\n\n", 1)[0].split("\n")

    for method in register.values():
        promise = next(line for line in lines if f"`{method.name}`" in line)
        assert method.guarantee in promise


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_leads_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    targets = [t for t in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in t]
    broken = []
    for target in targets:
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not there.exists() or (anchor and anchor not in anchors(there)):
            broken.append(target)
    assert broken == []


def anchors(page):
    heads = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def listed(page):
    """Pages that the contents of a section list, by name or all of a folder."""
    blocks = re.findall(
        r"^```\{toctree\}\n(.*?)^```", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    entries = [line for block in blocks for line in block.split("\n") if line and line[0] != ":"]
    return {found for entry in entries for found in page.parent.glob(f"{entry}.md")}


def test_every_page_can_be_reached_from_the_index():
    seen, todo = set(), [DOCS / "index.md"]
    while todo:
        page = todo.pop()
        if page in seen:
            continue
        seen.add(page)
        links = re.findall(r"\]\(([^)\s#]+)", page.read_text("utf-8"))
        found = {(page.parent / t).resolve() for t in links if "://" not in t}
        found |= listed(page)
        todo += [p for p in found if p.suffix == ".md" and p.is_relative_to(DOCS)]
    assert [name_of(p) for p in sorted(DOCS.rglob("*.md")) if p not in seen] == []
