"""How often somebody may ask: token buckets in memory, a bounded number of them.

A bucket is kept as the one moment at which it will be full again (the generic cell rate algorithm).
A server of several processes counts in each of them.
"""

from __future__ import annotations

import hashlib
import heapq
import ipaddress
import math
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nofluke.errors import InputError, LimitError
from nofluke.server import names

if TYPE_CHECKING:
    from collections.abc import Callable


class Buckets:
    """One bucket for each key: ``burst`` requests at once, then one more every ``every`` seconds.

    At most ``keys`` buckets are kept. When there are more, the fullest are forgotten first, since
    they remember least: whoever wants an empty bucket forgotten must empty all others.

    Args:
        burst: Requests that a full bucket holds.
        every: Seconds until one more is there.
        keys: The most buckets that are kept.
        clock: Seconds of a clock that never goes back.

    >>> seconds = iter([0, 0, 0, 10])
    >>> buckets = Buckets(2, every=10, clock=lambda: next(seconds))
    >>> buckets.wait("ann"), buckets.wait("ann"), buckets.wait("ann"), buckets.wait("ann")
    (0.0, 0.0, 10.0, 0.0)
    """

    def __init__(
        self,
        burst: float,
        *,
        every: float,
        keys: int = 20_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not (burst >= 1 and every > 0 and keys >= 1):
            raise InputError(
                f"burst={burst}, every={every}, keys={keys} make no limit; "
                "give a burst and keys of at least 1, and every above 0.",
                code="NF008",
            )
        self._deep, self._every, self._keys, self._clock = burst * every, every, keys, clock
        self._full: dict[bytes, float] = {}  # when each bucket will be full again
        self._soonest: list[tuple[float, bytes]] = []  # a heap of the same; may hold old moments
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._full)

    def wait(self, key: str, *, cost: float = 1) -> float:
        """Takes ``cost`` requests from the bucket of ``key``.

        Returns:
            0 if they were there; otherwise nothing is taken, and it returns the seconds until they
            will be.
        """
        short = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        with self._lock:
            now = self._clock()
            full = max(now, self._full.get(short, now)) + cost * self._every
            # Rounding must not refuse what is there to the last request.
            missing = full - now - self._deep
            if missing > 1e-9 * self._deep:
                return float(missing)
            self._full[short] = full
            heapq.heappush(self._soonest, (full, short))
            self._forget(now)
            return 0.0

    def _forget(self, now: float) -> None:
        while self._soonest and (self._soonest[0][0] <= now or len(self._full) > self._keys):
            full, key = heapq.heappop(self._soonest)
            if self._full.get(key) == full:
                del self._full[key]
        if len(self._soonest) > 2 * len(self._full) + 64:
            self._soonest = [(full, key) for key, full in self._full.items()]
            heapq.heapify(self._soonest)


@dataclass(frozen=True, slots=True)
class Rate:
    """``burst`` requests at once, then one more every ``every`` seconds; ``what`` they are."""

    burst: float
    every: float
    what: str


#: What is limited. A whole team may sit behind one address; people are told apart by their account.
RATES = {
    "visit": Rate(600, 0.05, "requests from this address"),
    "ask": Rate(300, 0.1, "requests of this account"),
    "upload": Rate(30, 2.0, "uploads of this account"),
    "sign-in-address": Rate(60, 2.0, "attempts to sign in from this address"),
    "sign-in-pair": Rate(10, 30.0, "attempts to sign in with this name from this address"),
    "sign-in-name": Rate(100, 15.0, "attempts to sign in with this name"),
    "join": Rate(120, 2.0, "invitations from this address"),
    "password": Rate(10, 30.0, "changes of this password"),
}


class Limits:
    """All the limits of a server.

    Args:
        factor: Multiplies how many and how often; 0 lifts all limits.
        clock: Seconds of a clock that never goes back.

    >>> limits = Limits(clock=lambda: 0.0)
    >>> for _ in range(10):
    ...     limits.sign_in(address="192.0.2.7", name="Ann")
    >>> limits.sign_in(address="192.0.2.7", name="ANN")
    Traceback (most recent call last):
    nofluke.errors.LimitError: too many attempts to sign in with this name from this address; \
try again in 30 seconds.
    """

    def __init__(self, factor: float = 1.0, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._buckets = (
            {
                name: Buckets(max(1, rate.burst * factor), every=rate.every / factor, clock=clock)
                for name, rate in RATES.items()
            }
            if factor > 0
            else {}
        )

    def take(self, rate: str, key: str) -> None:
        """Counts one request.

        Args:
            rate: One of ``RATES``.
            key: Whose it is.

        Raises:
            LimitError: It is one too many (NF076); carries ``retry_after``.
        """
        wait = self._buckets[rate].wait(key) if self._buckets else 0.0
        if wait > 0:
            seconds = math.ceil(wait)
            unit = "second" if seconds == 1 else "seconds"
            raise LimitError(
                f"too many {RATES[rate].what}; try again in {seconds} {unit}.",
                code="NF076",
                retry_after=seconds,
            )

    def sign_in(self, *, address: str, name: str) -> None:
        """Counts an attempt to sign in, before it is known whether there is such a user.

        Raises:
            LimitError: From this address, for this name, or both together, too often (NF076).
        """
        near, who = network(address), names.folded(name[: 16 * names.LONGEST])
        self.take("sign-in-address", near)
        self.take("sign-in-pair", f"{near} {who}")
        self.take("sign-in-name", who)

    def visit(self, *, address: str) -> None:
        """Counts a request of whomever. Raises LimitError (NF076)."""
        self.take("visit", network(address))

    def join(self, *, address: str) -> None:
        """Counts the use of an invitation. Raises LimitError (NF076)."""
        self.take("join", network(address))


def network(address: str) -> str:
    """What counts as one place: an IPv4 address; of IPv6 the /64, which one machine has whole.

    >>> network("192.0.2.7"), network("2001:db8::1:2"), network("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8::', '192.0.2.7')
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address  # a socket of this machine, or a test
    if isinstance(found, ipaddress.IPv6Address):
        mapped = found.ipv4_mapped
        if mapped is None:
            return str(ipaddress.ip_network((found, 64), strict=False).network_address)
        found = mapped
    return str(found)
