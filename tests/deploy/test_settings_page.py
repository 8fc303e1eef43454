"""docs/reference/keeper-settings.md names every setting, its option and its default."""

import dataclasses
import re
from pathlib import Path

import pytest

from nofluke.cli import run
from nofluke.server.settings import PREFIX, Settings

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/keeper-settings.md").read_text("utf-8")
ROWS = re.findall(r"^\| `(NOFLUKE_\w+)` \|(.*?)\| .*? \| (.+) \|$", PAGE, re.MULTILINE)
FIELDS = {PREFIX + f.name.upper(): f for f in dataclasses.fields(Settings)}
FILES = ("Dockerfile", "compose.yaml", "deploy/nofluke.service", "deploy/env.example")


def test_every_setting_has_its_line():
    assert [name for name, _, _ in ROWS] == list(FIELDS)


@pytest.mark.parametrize(("name", "default"), [(name, told) for name, _, told in ROWS])
def test_a_number_or_name_that_is_told_is_the_default(name, default):
    field = FIELDS[name]
    plain = re.fullmatch(r"`?([\w.]+)`?", default)
    if plain is None or field.default is dataclasses.MISSING:
        return
    given = field.default
    assert plain[1] == (f"{given:g}" if isinstance(given, float) else str(given))


def test_options_are_those_of_the_command(capsys):
    assert run(["serve", "--help"]) == 0
    known = set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out))
    told = {option.strip(" `") for _, option, _ in ROWS if option.strip()}
    assert told <= known
    assert known - told <= {"--help", "--allow-http", "--no-allow-http", "--empty-trusted-host",
                            "--empty-proxy", "--version", "--format"}  # fmt: skip


@pytest.mark.parametrize("file", FILES)
def test_files_of_deployment_set_what_there_is(file):
    named = set(re.findall(r"\bNOFLUKE_[A-Z_]+\b", (ROOT / file).read_text("utf-8")))
    assert named <= set(FIELDS) | {"NOFLUKE_TOKEN"}


def test_an_image_listens_where_its_health_check_asks():
    text = (ROOT / "Dockerfile").read_text("utf-8")
    told = dict(re.findall(r"\b(NOFLUKE_\w+)=(\S+)", text))
    settings = Settings.of({**told, "NOFLUKE_PUBLIC_URL": "https://keeper.example.org"})
    assert (settings.host, settings.port) == ("0.0.0.0", 8000)  # noqa: S104 (inside a container)
    assert settings.folder.is_relative_to("/data")
    assert settings.store.startswith("sqlite:////data/")
    assert settings.secure


def test_proxies_take_no_less_than_the_keeper():
    bytes_at_most = Settings().max_upload_bytes
    nginx = (ROOT / "deploy/nginx.conf").read_text("utf-8")
    caddy = (ROOT / "deploy/Caddyfile").read_text("utf-8")
    # A form has some bytes beside its file.
    assert int(re.search(r"client_max_body_size +(\d+)m;", nginx)[1]) * 2**20 > bytes_at_most
    assert int(re.search(r"max_size (\d+)MB", caddy)[1]) * 10**6 > bytes_at_most
