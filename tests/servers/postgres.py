"""A private cluster of PostgreSQL for tests: made afresh, and as durable as a real one."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

USER, PASSWORD = "keeper", "s3cret-pass/word"
_QUOTED = PASSWORD.replace("/", "%2F")


def binaries() -> Path | None:
    """The folder with initdb and pg_ctl, of the newest version there is."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
    found = shutil.which("initdb")
    folders += [Path(found).resolve().parent] if found else []
    return next((f for f in reversed(folders) if (f / "initdb").exists()), None)


def missing() -> str | None:
    """Why no cluster can be started here, if so."""
    if binaries() is None:
        return "PostgreSQL is not installed (Debian and Ubuntu: apt-get install postgresql)"
    if os.geteuid() == 0 and shutil.which("runuser") is None:
        return "PostgreSQL does not run as root, and there is no runuser"
    return None


class Cluster:
    """A cluster that listens on this machine only, with a password."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="nofluke-pg-"))
        self.port = _free()
        self._made, self._template = 0, False
        self._owner = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self._owner:
            shutil.chown(self.folder, "postgres")
        secret = self.folder / "secret"
        secret.write_text(PASSWORD + "\n")
        if self._owner:
            shutil.chown(secret, "postgres")
        self._run(
            "initdb",
            "-D",
            self.data,
            "-U",
            USER,
            "-A",
            "scram-sha-256",
            f"--pwfile={secret}",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "--no-instructions",
        )
        with (self.data / "postgresql.conf").open("a") as conf:
            conf.write(
                f"port = {self.port}\nlisten_addresses = '127.0.0.1'\nmax_connections = 200\n"
                f"unix_socket_directories = '{self.folder}'\nshared_buffers = '32MB'\n"
                "restart_after_crash = off\n"
            )
        self.start()

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def url(self, name: str) -> str:
        return f"postgresql://{USER}:{_QUOTED}@127.0.0.1:{self.port}/{name}"

    def new(self) -> str:
        """The address of a new, empty database."""
        return self._create("template1")

    def migrated(self) -> str:
        """The address of a new database with the tables."""
        from nofluke.database.engine import Database

        if not self._template:
            self.run("CREATE DATABASE migrated")
            with Database(self.url("migrated")) as database:
                database.migrate()
            self._template = True
        return self._create("migrated")

    def run(self, statement: str, name: str = "postgres") -> None:
        """Run one statement, as nobody does who goes through the package."""
        import psycopg

        with psycopg.connect(self.url(name), autocommit=True) as connection:
            connection.execute(statement)

    def _create(self, template: str) -> str:
        self._made += 1
        self.run(f"CREATE DATABASE t{self._made} TEMPLATE {template}")
        return self.url(f"t{self._made}")

    def start(self) -> None:
        self._run("pg_ctl", "-D", self.data, "-w", "-t", "60", "-l", self.folder / "log", "start")

    def kill(self) -> None:
        """Kill the whole cluster at once: first its postmaster, then what it has begun."""
        head = int((self.data / "postmaster.pid").read_text().split()[0])
        children = _children(head)
        for pid in (head, *children):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        patience = time.monotonic() + 30
        while any(Path(f"/proc/{pid}").exists() and _alive(pid) for pid in (head, *children)):
            assert time.monotonic() < patience
            time.sleep(0.01)

    def close(self) -> None:
        """Stop it, and take everything away."""
        try:
            self._run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop")
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, name: str, *words: object) -> None:
        done = subprocess.run(
            [*self._owner, str(binaries() / name), *map(str, words)],
            cwd="/",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
            text=True,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
        assert done.returncode == 0, f"{name}: {done.stderr}"


def _free() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _children(head: int) -> list[int]:
    text = Path(f"/proc/{head}/task/{head}/children").read_text()
    return [int(pid) for pid in text.split()]


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
