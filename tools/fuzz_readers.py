"""Broken logs without end: every reader refuses with a message, or reads; nothing else happens.

Guided by coverage where `atheris` is installed (pip install atheris), else by plain mutations of
the fixtures of tests/contracts/logs. A finding is written to the folder named by --out.

    python tools/fuzz_readers.py --seconds 300
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOGS = ROOT / "tests" / "contracts" / "logs"
_LARGEST = 1 << 20
_SLOWEST = 5.0  # seconds for one input of at most 1 MiB
_PIECES = (
    *(b"{", b"[", b"]", b"}", b'"', b",", b":", b"\n", b"\0", b"\xff", b"\\u0000", b"\\ud800"),
    *(b"null", b"NaN", b"1e999", b"-0", b"9" * 400, b"true", b'""', b"[]", b"{}", b"[" * 500),
    *(b"PK\x03\x04", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1", b"\xef\xbb\xbf", b"\r"),
)


def tried(data: bytes, folder: Path) -> None:
    """Read some bytes as a log and as scores.

    Raises:
        TimeoutError: It took too long.
        Exception: Whatever is no error of ours.
    """
    from nofluke import read
    from nofluke.errors import NoflukeError
    from nofluke.scores.readers import files, recognition
    from nofluke.scores.readers.workspace import Workspace

    path = folder / "log"
    path.write_bytes(data[:_LARGEST])
    started = time.perf_counter()
    for reader in [None, *recognition.readers()]:
        if reader is not None and reader.folders:
            continue
        try:
            if reader is None:
                read(str(path))
            else:
                with Workspace() as space:
                    list(reader.read(files.told(path, str(path), space)))
        except NoflukeError:
            continue
    if time.perf_counter() - started > _SLOWEST:
        raise TimeoutError("took too long")


def mutated(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """The bytes with some changes: cut, flipped, spliced, repeated, or with a piece put in."""
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at, to = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        kind = rng.randrange(6)
        if kind == 0:
            data = data[:to]
        elif kind == 1 and at < len(data):
            data = data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
        elif kind == 2:
            other = rng.choice(others)
            data = data[:at] + other[rng.randrange(len(other) + 1) :]
        elif kind == 3:
            data = data[:at] + data[at:to] * rng.choice((2, 3)) + data[to:]
        elif kind == 4:
            data = data[:at] + rng.choice(_PIECES) + data[at:]
        else:
            data = data[:at] + rng.choice(_PIECES) + data[to:]
        data = data[:_LARGEST]
    return data


def seeds() -> list[bytes]:
    """The fixtures of all readers of files."""
    return [p.read_bytes() for p in sorted(LOGS.rglob("*")) if p.is_file()]


def plain(seconds: float, check: Callable[[bytes], None], seed: int) -> int:
    """Mutate the fixtures for some time; returns how many inputs were tried."""
    rng, known, count = random.Random(seed), seeds(), 0  # noqa: S311 (no secret)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        check(mutated(rng.choice(known), known, rng))
        count += 1
    return count


def guided(seconds: float, check: Callable[[bytes], None], out: Path) -> None:
    """Let atheris choose inputs, so that new branches are reached; it ends the process."""
    import atheris

    with atheris.instrument_imports(include=["nofluke.scores.readers"]):
        from nofluke.scores.readers import recognition

        recognition.readers()
    corpus = out / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for i, data in enumerate(seeds()):
        (corpus / f"fixture-{i}").write_bytes(data)
    limits = [f"-max_total_time={int(seconds)}", f"-max_len={_LARGEST}", "-timeout=20"]
    atheris.Setup([sys.argv[0], *limits, f"-artifact_prefix={out}/", str(corpus)], check)
    atheris.Fuzz()


def main() -> None:
    """Fuzz, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=ROOT / "fuzzed")
    parser.add_argument("--plain", action="store_true", help="mutations, even with atheris")
    asked = parser.parse_args()
    failures: dict[str, int] = {}

    def check(data: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            try:
                tried(data, Path(folder))
            except Exception as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                name = f"{type(error).__name__}-{Path(where.filename).stem}-{where.lineno}"
                failures[name] = failures.get(name, 0) + 1
                if failures[name] == 1:
                    asked.out.mkdir(parents=True, exist_ok=True)
                    (asked.out / name).write_bytes(data)
                    sys.stderr.write(f"{name}\n{traceback.format_exc()}\n")
                if not asked.plain and "atheris" in sys.modules:
                    raise

    try:
        if asked.plain:
            raise ImportError
        guided(asked.seconds, check, asked.out)
    except ImportError:
        count = plain(asked.seconds, check, asked.seed)
        sys.stdout.write(f"{count} inputs, {len(failures)} kinds of failure: {failures}\n")
        sys.exit(bool(failures))


if __name__ == "__main__":
    main()
