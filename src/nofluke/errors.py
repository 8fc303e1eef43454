"""Every way nofluke says no.

```
NoflukeError
  InputError (ValueError)     the argument or the data cannot be used as given
    ReadError                 a file cannot be read; carries path, line and field
  HoldoutError                a guard refuses a look; carries the looks so far
  LedgerError                 a ledger is away, or its chain is broken
  StoreError                  a database is away, or of another revision
    StoreConflict             what is to be written contradicts what is there
  AccessError                 the asker is not known, or may not
  LimitError                  asked too often, or for too much at once; carries when to try again
  WorkerError                 processes that compute cannot be reached, are not alike, or died
  MissingExtra (ImportError)  an optional library is needed; names what to install
```

An error is a short letter: what arrived, what was expected, what to try. Each kind has a
stable code (`NF008`) with a page that ``nofluke explain NF008`` opens offline.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


class NoflukeError(Exception):
    """Root of all errors raised on purpose; ``code`` names its page.

    Args:
        message: What arrived, what was expected, what to try.
        code: The stable code of this kind of error.
    """

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[Any, ...]:
        # What a worker raises is pickled, and pickle would leave out what is keyword-only.
        return _again, (type(self), self.args, self.__dict__)


def _again(kind: type[NoflukeError], args: tuple[Any, ...], has: dict[str, Any]) -> NoflukeError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(has)
    return error


class InputError(NoflukeError, ValueError):
    """The argument or the data cannot be used as given."""


class ReadError(InputError):
    """A file cannot be read.

    Args:
        message: What arrived, what was expected, what to try.
        code: The stable code of this kind of error.
        path: The file.
        line: Line number counted from 1, where one is known.
        field: Column or key, where one is known.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        path: str,
        line: int | None = None,
        field: str | None = None,
    ) -> None:
        super().__init__(message, code=code)
        self.path, self.line, self.field = path, line, field


class HoldoutError(NoflukeError):
    """A guard refuses a look at test rows.

    Args:
        message: What was asked, why it is refused, what to do first.
        code: The stable code of this kind of error.
        looks: Looks at these rows so far.
        budget: Looks that were allowed in all, where somebody set a number.
    """

    def __init__(self, message: str, *, code: str, looks: int, budget: int | None = None) -> None:
        super().__init__(message, code=code)
        self.looks, self.budget = looks, budget


class LedgerError(NoflukeError):
    """A ledger cannot be read or written, or its chain is broken."""


class StoreError(NoflukeError):
    """A database cannot be reached, read or written, or its tables are of another revision."""


class StoreConflict(StoreError):  # noqa: N818 (it reads as what is wrong)
    """What is to be written contradicts what is there: it must be unique, or refers to nothing."""


class AccessError(NoflukeError):
    """The asker is not known (NF073), may not (NF074), or asks for what is not there (NF075)."""


class LimitError(NoflukeError):
    """Too often (NF076), or too much at once (NF077).

    Args:
        message: What was asked, what is allowed, when or how to try again.
        code: The stable code of this kind of error.
        retry_after: Whole seconds after which the same may be asked again; None if it never may.
    """

    def __init__(self, message: str, *, code: str, retry_after: int | None = None) -> None:
        super().__init__(message, code=code)
        self.retry_after = retry_after


class WorkerError(NoflukeError):
    """Processes that compute cannot be reached, are not alike, or died."""


class MissingExtra(NoflukeError, ImportError):  # noqa: N818 (it reads as what is wrong)
    """An optional library is needed; the message names what to install."""


def some(items: Iterable[object], *, most: int = 5) -> str:
    """The first few of the offending items and how many there are.

    >>> some(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    listed = list(items)
    head = ", ".join(repr(item) for item in listed[:most])
    return head if len(listed) <= most else f"{head} and {len(listed) - most} more"
