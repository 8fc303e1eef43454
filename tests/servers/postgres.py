"""A private cluster of PostgreSQL for tests: made afresh, and as durable as a real one."""

import os
import pwd
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
    if os.geteuid() == 0 and not _known("postgres"):
        return "PostgreSQL does not run as root, and there is no user postgres"
    return None


class Cluster:
    """A cluster that listens on this machine only, with a password."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="nofluke-pg-"))
        self.port = _free()
        self._made = 0
        # PostgreSQL does not run as root.
        self._as = {}
        if os.geteuid() == 0:
            self._as = {"user": "postgres", "group": "postgres", "extra_groups": []}
            shutil.chown(self.folder, "postgres", "postgres")
        secret = self.folder / "secret"
        secret.write_text(PASSWORD + "\n")
        secret.chmod(0o644)
        done = subprocess.run(
            [binaries() / "initdb", "-D", self.data, "-U", USER, "-A", "scram-sha-256",
             f"--pwfile={secret}", "-E", "UTF8", "--locale=C.UTF-8", "--no-instructions",
             "--wal-segsize=1"],
            cwd="/", capture_output=True, text=True, check=False, **self._as,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        with (self.data / "postgresql.conf").open("a") as conf:
            conf.write(
                f"port = {self.port}\nlisten_addresses = '127.0.0.1'\nmax_connections = 200\n"
                f"unix_socket_directories = '{self.folder}'\nshared_buffers = '32MB'\n"
                # After a kill the file system is synchronised once, not file by file.
                "restart_after_crash = off\nrecovery_init_sync_method = syncfs\n"
            )
        self.start()

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def url(self, name: str) -> str:
        """The address of a database."""
        return f"postgresql://{USER}:{_QUOTED}@127.0.0.1:{self.port}/{name}"

    def new(self) -> str:
        """The address of a place without tables: a schema, as a database is a thousand files."""
        self._made += 1
        name = f"t{self._made}"
        self.run(f"CREATE SCHEMA {name}")
        return f"{self.url('postgres')}?options=-csearch_path%3D{name}"

    def migrated(self) -> str:
        """The address of a new place with the tables."""
        from nofluke.database.engine import Database

        url = self.new()
        with Database(url) as database:
            database.migrate()
        return url

    def run(self, statement: str, url: str | None = None) -> None:
        """Run one statement, as nobody does who goes through the package."""
        import psycopg

        with psycopg.connect(url or self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        import psycopg

        # A child of ours, so that it is reaped when it is killed, whatever the first process does.
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen(
                [binaries() / "postgres", "-D", self.data],
                stdout=log, stderr=log, cwd="/", start_new_session=True, **self._as,
            )  # fmt: skip
        patience = time.monotonic() + 60
        while True:
            try:
                return self.run("SELECT 1")
            except psycopg.OperationalError as error:
                log = (self.folder / "log").read_text()[-2000:]
                assert self._server.poll() is None, log
                if time.monotonic() > patience:
                    raise RuntimeError(log) from error
                time.sleep(0.02)

    def kill(self) -> None:
        """Kill all of its processes with kill -9, and wait until they are gone."""
        children = _children(self._server.pid)
        for pid in (self._server.pid, *children):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._server.wait()
        patience = time.monotonic() + 30
        while any(_alive(pid) for pid in children):
            assert time.monotonic() < patience
            time.sleep(0.01)

    def close(self) -> None:
        """Stop it, and take everything away."""
        try:
            if self._server.poll() is None:
                self._server.send_signal(signal.SIGQUIT)  # nothing of it is needed any more
            self._server.wait(timeout=60)
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


def _known(user: str) -> bool:
    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True


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
