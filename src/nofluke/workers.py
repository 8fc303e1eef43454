"""Work in other processes: independent pieces through joblib, on whatever back end is named.

A piece carries all that it needs, its seed included, so that no answer depends on who computes it,
on how many there are, or on who is done first. Without a back end everything is computed here, and
joblib is not even imported.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
import warnings
from concurrent.futures import BrokenExecutor
from functools import cache
from importlib import import_module, metadata
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from nofluke.errors import InputError, MissingExtra, WorkerError, some

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

T = TypeVar("T")

#: Back ends that a command takes by name; in Python joblib takes any that is registered with it.
BACKENDS = ("loky", "threading", "dask", "ray")

_CLUSTERS = ("dask", "ray")
_PATIENCE = 10  # seconds until a scheduler or its first worker counts as away
_AT_ONCE = 4  # pieces for each worker in a round, where a back end hands over whole rounds only
_SAME = ("nofluke", "numpy", "scipy")


def each(
    function: Callable[..., T],
    pieces: Iterable[tuple[Any, ...]],
    *,
    n_jobs: int | None = None,
    ordered: bool = True,
) -> Generator[T, None, None]:
    """What ``function(*piece)`` gives for every piece, as it comes.

    Args:
        function: Draws from what is in the piece only; a function of a module, or one that can be
            pickled.
        pieces: Arguments.
        n_jobs: How many at once; 1 computes here. None does as ``joblib.parallel_config`` says
            where the caller is within one, and else computes here.
        ordered: Whether results come in the order of the pieces, or as they are done.

    Raises:
        WorkerError: A worker died (NF420).

    >>> list(each(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """
    if here(n_jobs):
        for piece in pieces:
            yield function(*piece)
        return
    try:
        yield from _elsewhere(function, pieces, n_jobs, ordered=ordered)
    except Exception as error:
        if not _died(error):
            raise
        raise WorkerError(
            f"a worker died while it computed ({type(error).__name__}), which is most often for "
            "want of memory; take fewer workers, or give them more.",
            code="NF420",
        ) from error


def here(n_jobs: int | None) -> bool:
    """Whether everything is computed in this process, one piece after the other."""
    if n_jobs == 1 or (n_jobs is None and "joblib" not in sys.modules):
        return True
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    own = type(get_active_backend()[0]).__module__.startswith("joblib._parallel_backends")
    return own and effective_n_jobs(n_jobs) == 1


def count(n_jobs: int | None) -> int:
    """How many pieces are computed at once.

    >>> count(1)
    1
    """
    if here(n_jobs):
        return 1
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def refuse_threads(n_jobs: int | None, *, what: str) -> None:
    """Refuse back ends whose workers share the global state of this process.

    Args:
        n_jobs: As in ``each``.
        what: What needs a process of its own, and why.

    Raises:
        InputError: Threads are active (NF415).
    """
    if here(n_jobs):
        return
    from joblib.parallel import get_active_backend

    if getattr(get_active_backend()[0], "supports_sharedmem", False):
        raise InputError(
            f"{what}, and the active back end of joblib computes in threads of one process; take "
            "'loky', or workers of one thread each.",
            code="NF415",
        )


@contextlib.contextmanager
def on(
    backend: str | None = None, *, workers: int | None = None, scheduler: str | None = None
) -> Iterator[None]:
    """Within this, ``each`` computes on a back end.

    Args:
        backend: "loky" (processes, the default), "threading", "dask", "ray", or another that is
            registered with joblib.
        workers: How many; 1 with no back end named computes here. None takes as many as there are.
        scheduler: Address of a running cluster, such as "tcp://host:8786" for Dask; without one
            "dask" and "ray" start workers on this machine, which end with this.

    Raises:
        MissingExtra: The back end is not installed (NF099).
        InputError: There is no such back end, or it cannot be used like that (NF415).
        WorkerError: The cluster cannot be reached, or computes with other versions (NF420).

    >>> with on("threading", workers=2):
    ...     list(each(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """
    name = _named(backend, workers, scheduler)
    if name is None:
        yield
        return
    import joblib

    how: dict[str, Any] = {"n_jobs": -1 if workers is None else workers}
    with contextlib.ExitStack() as stack:
        if name == "dask":
            how["client"] = stack.enter_context(_dask(workers, scheduler))
        elif name == "loky":
            # Also those that never get a piece: they wait for a lock of one that has ended.
            how |= {"initializer": _end_with, "initargs": (os.getpid(),)}
        elif name == "ray":
            stack.enter_context(_ray(workers, scheduler))
        try:
            config = joblib.parallel_config(backend=name, **how)
        except ValueError as error:
            raise InputError(
                f"joblib has no back end {name!r} ({error}); there are {some(BACKENDS)}.",
                code="NF415",
            ) from None
        stack.enter_context(config)
        yield


def _named(backend: str | None, workers: int | None, scheduler: str | None) -> str | None:
    """The back end that is meant, None for here; refused where the choices contradict."""
    if workers is not None and workers < 1:
        raise InputError(f"workers={workers!r} must be at least 1.", code="NF415")
    if scheduler is not None and backend not in _CLUSTERS:
        has = "no back end is named" if backend is None else f"backend={backend!r} has none"
        raise InputError(
            f"scheduler={scheduler!r} is the address of a cluster, and {has}; say backend='dask' "
            "or backend='ray', or leave the scheduler out.",
            code="NF415",
        )
    if scheduler is not None and backend == "dask" and workers is not None:
        raise InputError(
            f"workers={workers!r} with scheduler={scheduler!r}: a Dask cluster computes with all "
            "its workers; leave workers out.",
            code="NF415",
        )
    if backend is None:
        return None if workers == 1 else "loky"
    return backend


def _elsewhere(
    function: Callable[..., T],
    pieces: Iterable[tuple[Any, ...]],
    n_jobs: int | None,
    *,
    ordered: bool,
) -> Iterator[T]:
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    call, size = delayed(_as_child), count(n_jobs)
    calls = (call(os.getpid(), function, *piece) for piece in pieces)
    if getattr(get_active_backend()[0], "supports_return_generator", False):
        how = "generator" if ordered else "generator_unordered"
        results = Parallel(n_jobs=size, return_as=how)(calls)
        try:
            # Not "yield from", which would close it with its warning.
            for result in results:  # noqa: UP028
                yield result
        finally:
            with warnings.catch_warnings():  # that pieces are not waited for, which is the point
                warnings.simplefilter("ignore")
                results.close()
        return
    while part := list(islice(calls, _AT_ONCE * size)):
        yield from Parallel(n_jobs=size)(part)


def _as_child(parent: int, function: Callable[..., T], *piece: Any) -> T:
    """The function of a piece, in a process that does not outlive the one that asks."""
    if os.getppid() == parent:
        _end_with(parent)
    return function(*piece)


@cache
def _end_with(parent: int) -> None:
    """End this process when its parent has ended; loky's would wait for it for ever."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _died(error: Exception) -> bool:
    return isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"


@contextlib.contextmanager
def _dask(workers: int | None, scheduler: str | None) -> Iterator[Any]:
    """A client of a running cluster, or of one that is started for this and ended with it."""
    try:
        distributed: Any = import_module("distributed")  # its types come and go
    except ImportError:
        raise MissingExtra(
            "the back end 'dask' needs distributed, which is not installed: "
            "pip install distributed.",
            code="NF099",
        ) from None
    with contextlib.ExitStack() as stack:
        place: Any = scheduler
        if scheduler is None:
            # One thread each: what a fit draws from or sets is often global to its process.
            place = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0"
            )
            stack.enter_context(place)
        try:
            if scheduler is not None:
                _knock(scheduler)
            client = stack.enter_context(
                distributed.Client(place, timeout=_PATIENCE, set_as_default=False)
            )
            client.wait_for_workers(1, timeout=_PATIENCE)
        except (OSError, ValueError) as error:
            raise WorkerError(
                f"no workers of Dask at scheduler={scheduler!r} within {_PATIENCE} seconds "
                f"({error}); start dask scheduler and dask worker, or name another address.",
                code="NF420",
            ) from None
        _refuse_other_versions(client)
        yield client


def _knock(scheduler: str) -> None:
    """Whether anybody answers: a client that has failed to connect hangs when it is thrown away."""
    import socket

    comm: Any = import_module("distributed.comm")
    if scheduler.startswith(("tcp://", "tls://")) or "://" not in scheduler:
        socket.create_connection(comm.get_address_host_port(scheduler), timeout=_PATIENCE).close()


def _refuse_other_versions(client: Any) -> None:
    """Workers with other versions may round, and even compute, differently."""
    try:
        found = client.run(versions)
    except ImportError as error:
        raise WorkerError(
            f"workers of the cluster cannot import what they need ({error}); install on them what "
            "is installed here.",
            code="NF420",
        ) from None
    ours = versions()
    other = [
        f"{address} has {name} {theirs[name]}"
        for address, theirs in sorted(found.items())
        for name in ours
        if theirs[name] != ours[name]
    ]
    if other:
        told = ", ".join(f"{name} {version}" for name, version in ours.items())
        raise WorkerError(
            f"workers compute with other versions: {some(other)}. Here it is {told}, and figures "
            "of both must not be mixed; install the same on all.",
            code="NF420",
        )


def versions() -> dict[str, str]:
    """Versions of what computes."""
    return {name: metadata.version(name) for name in _SAME}


@contextlib.contextmanager
def _ray(workers: int | None, scheduler: str | None) -> Iterator[None]:
    """Ray as a back end of joblib, started here unless it runs already."""
    try:
        import ray
        from ray.util.joblib import register_ray
    except ImportError:
        raise MissingExtra(
            "the back end 'ray' needs ray, which is not installed: pip install ray.", code="NF099"
        ) from None
    register_ray()
    if ray.is_initialized():
        yield
        return
    try:
        if scheduler is None:
            ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
        else:
            ray.init(address=scheduler, log_to_driver=False)
    except (OSError, ValueError, RuntimeError) as error:
        raise WorkerError(
            f"no cluster of Ray at scheduler={scheduler!r} ({error}); start one, or name another "
            "address.",
            code="NF420",
        ) from None
    try:
        yield
    finally:
        ray.shutdown()
