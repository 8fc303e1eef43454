"""compose.yaml and the files of deploy/: what they grant, and that their tools can read them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
TEXT = (ROOT / "compose.yaml").read_text("utf-8")
COMPOSE = yaml.safe_load(TEXT)
SERVICES = COMPOSE["services"]


def test_there_is_one_of_each():
    assert set(SERVICES) == {"keeper", "db"}


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_may_do_little(name):
    service = SERVICES[name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not {"privileged", "cap_add", "network_mode", "pid", "ipc", "devices"} & set(service)
    assert service["pids_limit"] > 0
    assert service["mem_limit"]
    assert service["restart"] == "unless-stopped"
    assert "docker.sock" not in TEXT
    for place in service["tmpfs"]:
        assert re.search(r":size=\d+m,mode=1777,noexec,nosuid,nodev$", place)


def test_the_database_is_reached_from_inside_only():
    db = SERVICES["db"]

    assert "ports" not in db
    assert db["networks"] == ["inside"]
    assert COMPOSE["networks"]["inside"]["internal"] is True
    assert re.fullmatch(r"postgres:\d+\.\d+-\w+", db["image"])
    assert not db["user"].startswith(("0", "root"))
    assert "pg_isready" in db["healthcheck"]["test"]


def test_the_keeper_is_published_on_this_machine_only():
    ports = SERVICES["keeper"]["ports"]
    assert [p for p in ports if not p.startswith("127.0.0.1:")] == []
    assert SERVICES["keeper"]["depends_on"]["db"]["condition"] == "service_healthy"


def test_the_word_of_the_proxy_is_believed_and_of_nobody_else():
    said = SERVICES["keeper"]["environment"]["NOFLUKE_PROXIES"]
    (network,) = COMPOSE["networks"]["outside"]["ipam"]["config"]
    assert said == network["gateway"]
    assert SERVICES["keeper"]["networks"] == ["outside", "inside"]


def test_no_secret_is_written_down_and_none_may_be_left_out():
    for service in SERVICES.values():
        for name, value in service["environment"].items():
            if "PASSWORD" in name:
                assert re.fullmatch(r"\$\{POSTGRES_PASSWORD:\?.+\}", value)
    url = SERVICES["keeper"]["environment"]["NOFLUKE_STORE"]
    assert re.fullmatch(r"postgresql://\w+@db/\w+", url)  # no password in it

    asked = set(re.findall(r"\$\{(\w+):\?", TEXT))
    example = (DEPLOY / "env.example").read_text("utf-8")
    offered = dict(re.findall(r"^(\w+)=(.*)$", example, re.M))
    assert asked == set(offered)
    assert offered["POSTGRES_PASSWORD"] == ""
    assert "\n.env\n" in (ROOT / ".gitignore").read_text("utf-8")


def test_every_volume_is_declared_and_every_store_lies_in_one():
    used = {v.split(":")[0] for s in SERVICES.values() for v in s["volumes"]}
    assert used == set(COMPOSE["volumes"])
    # The folder is that of the image up to PostgreSQL 17; 18 moves it.
    assert SERVICES["db"]["volumes"] == ["database:/var/lib/postgresql/data"]
    assert re.match(r"postgres:1[0-7]\.", SERVICES["db"]["image"])


def test_compose_itself_can_read_it():
    if _ran("docker", "compose", "version") is None:
        pytest.skip("docker compose is not here; the file was parsed and checked as YAML")
    env = {"POSTGRES_PASSWORD": "x", "NOFLUKE_PUBLIC_URL": "https://keeper.example.org"}
    ran = _ran("docker", "compose", "--file", str(ROOT / "compose.yaml"), "config", "-q", env=env)
    assert ran is not None
    assert ran.stderr == ""
    missing = subprocess.run(
        ["docker", "compose", "--file", str(ROOT / "compose.yaml"), "config", "--quiet"],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": _PATH},
    )
    assert missing.returncode != 0
    assert "set it in .env" in missing.stderr


def test_compose_says_nothing_that_its_specification_does_not_know():
    specification = pytest.importorskip("compose_spec", reason="PyPI: compose-spec is not here")
    text = re.sub(r"\$\{\w+:\?[^}]*\}", "x", TEXT)

    assert specification.PyCompose.from_yaml(text).service_names() == ["keeper", "db"]
    with pytest.raises(ValueError, match="readonly"):
        specification.PyCompose.from_yaml(text.replace("read_only:", "readonly:"))


def test_nginx_can_read_its_file(tmp_path):
    nginx = shutil.which("nginx", path=_PATH)
    if nginx is None:
        pytest.skip("nginx is not here")
    openssl = shutil.which("openssl", path=_PATH)
    if openssl is None:
        pytest.skip("openssl is not here, and nginx reads no site without a certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=x"),
            *("-newkey", "rsa:2048", "-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    site = (DEPLOY / "nginx.conf").read_text("utf-8")
    site = re.sub(r"/etc/\S+fullchain\.pem", str(certificate), site)
    site = re.sub(r"/etc/\S+privkey\.pem", str(key), site)
    (tmp_path / "site.conf").write_text(site, "utf-8")
    whole = tmp_path / "nginx.conf"
    whole.write_text(
        f"pid {tmp_path}/pid; error_log stderr; events {{}}\n"
        f"http {{ access_log off; include {tmp_path}/site.conf; }}\n",
        "utf-8",
    )
    ran = subprocess.run(
        [nginx, "-t", "-q", "-c", str(whole)], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def test_caddy_can_read_its_file(tmp_path):
    caddy = shutil.which("caddy", path=_PATH)
    if caddy is None:
        pytest.skip("caddy is not here")
    ran = subprocess.run(
        [caddy, "adapt", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": _PATH, "HOME": str(tmp_path)},
    )
    assert ran.returncode == 0, ran.stderr
    assert '"warning"' not in ran.stderr


def test_systemd_can_read_its_unit(tmp_path):
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not here")
    unit = tmp_path / "nofluke.service"
    text = (DEPLOY / "nofluke.service").read_text("utf-8")
    unit.write_text(text.replace("/opt/nofluke/bin/nofluke", "/bin/true"), "utf-8")
    ran = subprocess.run(
        [analyze, "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert [line for line in ran.stderr.splitlines() if "nofluke.service" in line] == []


@pytest.mark.parametrize("name", ["nginx.conf", "Caddyfile"])
def test_a_proxy_believes_no_client_and_shows_no_figures(name):
    text = (DEPLOY / name).read_text("utf-8")
    assert "proxy_add_x_forwarded_for" not in text
    assert "/metrics" in text
    assert "127.0.0.1:8000" in text


def test_the_how_to_shows_lines_of_the_sites():
    page = (ROOT / "docs/how-to/serve.md").read_text("utf-8")
    for kind, name in (("nginx", "nginx.conf"), ("text", "Caddyfile")):
        block = re.search(rf"^```{kind}\n(.*?)^```", page, re.M | re.S)[1]
        site = {line.strip() for line in (DEPLOY / name).read_text("utf-8").splitlines()}
        assert [line for line in block.splitlines() if line.strip() not in site] == []


def test_no_log_of_nginx_holds_an_invitation():
    text = (DEPLOY / "nginx.conf").read_text("utf-8")
    assert re.search(r"location /join/ \{\s+access_log off;", text)
    assert re.search(r"access_log off;\s+return 301", text)


_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def _ran(*command, env=None):
    if shutil.which(command[0], path=_PATH) is None:
        return None
    ran = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": _PATH, **(env or {})},
    )
    return ran if ran.returncode == 0 else None
