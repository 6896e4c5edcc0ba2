"""A circuit breaker: it stops calls to a judge that does not answer."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from ..exchange.failure import Failure, Strange

__all__ = ["Breaker"]

_IN_DOUBT: Final = 3
_FIRST_S: Final = 30.0
_LONGEST_S: Final = 600.0
_MISCONFIGURED_S: Final = 300.0
_ASIDE: Final = timedelta(seconds=10)
"""For questions that failed it stays open this much longer, so that another question is tried first: by default a lane
looks for questions every 5 s."""


class Breaker:
    """Opens after `most_failures` in a row, for longer each time. Until a call succeeds, one is tried at a time.

    A question that always fails must not block others. So callers may pass the question, as its request_hash: one that
    failed is not tried first, and its Strange answers count once. Callers also pass the time (UTC).
    """

    def __init__(self, most_failures: int) -> None:
        self._most_failures = most_failures
        self._in_a_row = 0
        self._openings = 0
        self._cause: Failure | None = None
        self._until: datetime | None = None
        self._length = timedelta()
        self._failed: set[str] = set()
        self.is_in_doubt = True
        """Whether no call has succeeded since the start, or since it opened. Then one call is tried at a time."""

    def open_until(self, now: datetime, question: str | None = None) -> tuple[datetime, Failure] | None:
        """Return until when it is open for the question (UTC), and the cause; None if it is closed.

        It does not stay open longer if the clock is set back.
        """
        if self._until is not None:
            self._until = min(self._until, now + self._length)
        if self._until is None or self._cause is None:
            return None
        until = self._until + _ASIDE if question in self._failed else self._until
        return (until, self._cause) if now < until else None

    def succeeded(self) -> None:
        self._in_a_row = self._openings = 0
        self._until = self._cause = None
        self._failed.clear()
        self.is_in_doubt = False

    def failed(self, now: datetime, cause: Failure, *, question: str | None = None, patience: int = 1) -> None:
        """Count a failure. `patience` multiplies the number of failures until it opens. After it was open, one failure
        opens it again."""
        if isinstance(cause, Strange) and question in self._failed:
            return  # only the question may be at fault
        self._remember(question)
        self._in_a_row += 1
        most = min(_IN_DOUBT, self._most_failures) if self.is_in_doubt else self._most_failures
        if self._openings or self._in_a_row >= most * patience:
            self.open(now, cause, for_s=min(_FIRST_S * 2 ** min(self._openings, 10), _LONGEST_S))

    def open(
        self, now: datetime, cause: Failure, *, question: str | None = None, for_s: float = _MISCONFIGURED_S
    ) -> None:
        """Open for `for_s` seconds. While it is open, failures of calls that were in flight have no effect."""
        self._remember(question)
        if self.open_until(now) is not None:
            return
        self._openings += 1
        self._cause = cause
        self._length = timedelta(seconds=for_s)
        self._until = now + self._length
        self.is_in_doubt = True

    def _remember(self, question: str | None) -> None:
        if question is not None:
            self._failed.add(question)
