"""A real server for a test, with people who have passwords."""

from __future__ import annotations

import random
import socket
import threading
import time
from pathlib import Path


class House:
    """A server that listens, with an empty store and the link of its console.

    Args:
        folder: Where its store and its uploads are.
    """

    def __init__(self, folder: Path) -> None:
        import uvicorn

        from nofluke.database.engine import Database
        from nofluke.server import accounts
        from nofluke.server.app import create_app
        from nofluke.server.settings import Settings

        self.folder = folder
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.settings = Settings(
            store=f"sqlite:///{folder / 'keeper.db'}",
            port=self._socket.getsockname()[1],
            folder=folder / "uploads",
            rate_factor=100.0,
            max_upload_bytes=200_000,
        )
        self.url = self.settings.public_url
        self.db = Database(self.settings.store)
        self.db.migrate()
        self.link = accounts.first_link(self.db, self.settings)
        app = create_app(self.settings, database=self.db)
        self._server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False))
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True
        )
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive(), "the server did not start"
            time.sleep(0.02)

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(20)
        self._socket.close()
        self.db.close()

    def rows(self, *, n: int = 120) -> Path:
        """A file of labelled rows."""
        path = self.folder / "rows.csv"
        lines = [f"r{i:04d},{_label(i)}" for i in range(n)]
        path.write_text("\n".join(["id,label", *lines]) + "\n")
        return path

    def upload(self, right: float, *, n: int = 120, seed: int = 0, name: str = "") -> Path:
        """A file of predictions, of which about the share ``right`` is right."""
        draw = random.Random(f"{right} {seed}")  # noqa: S311
        path = self.folder / (name or f"predictions-{right}-{seed}.csv")
        lines = [f"r{i:04d},{_label(i) if draw.random() < right else 'other'}" for i in range(n)]
        path.write_text("\n".join(["id,prediction", *lines]) + "\n")
        return path


def _label(i: int) -> str:
    return ("benign", "malign", "other")[random.Random(i).randrange(3)]  # noqa: S311
