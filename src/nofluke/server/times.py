"""Times as the tables hold them: text in UTC to the millisecond, which sorts as time does."""

from __future__ import annotations

import datetime as dt


def now() -> dt.datetime:
    """The time of this machine, in UTC."""
    return dt.datetime.now(dt.UTC)


def text(moment: dt.datetime) -> str:
    """A time as the tables hold it.

    >>> text(dt.datetime(2026, 3, 1, 12, 30, tzinfo=dt.UTC))
    '2026-03-01T12:30:00.000Z'
    """
    return moment.astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def after(moment: dt.datetime, **span: float) -> str:
    """The time a span of ``hours``, ``days``, ``seconds`` later (earlier, if negative), as text.

    >>> after(dt.datetime(2026, 3, 1, tzinfo=dt.UTC), hours=-1)
    '2026-02-28T23:00:00.000Z'
    """
    return text(moment + dt.timedelta(**span))
